// The WebAssembly inflate engine. It is synchronous, runs on the caller's thread, and can be
// resumed at any byte of its input. It owns the counts, the bounds of its outputs and the format of
// a saved state; src/wasm/inflate.ts decodes.

import { FeedError } from '../../errors'
import { lend } from '../loan'
import { crc32 } from './crc32'
import { ENDED, type InflateCore, NEEDS_INPUT, OUTPUT_FULL } from './inflate-core'
import { dataInvalid, type InflateEngine, type NewInflateEngine } from './inflate-engine'
import { giveBackInflateMemory, type InflateMemory, takeInflateMemory } from './inflate-memory'

const NOTHING: readonly never[] = []

/**
 * The size of the first input of the core. Input is copied, and a member may be much smaller than
 * the block that it begins in.
 */
const FIRST_INPUT_BYTES = 1024

/**
 * A saved state has these four bytes, the CRC32 of all bytes after the CRC32, the bytes used so far
 * as a float64, and the state of the core.
 */
const STATE_MAGIC = 0x3153_4946 // `FIS1`
const STATE_HEADER_BYTES = 16
const CHECKED_FROM = 8

/**
 * The number of blocks that outputs use in turn. A small number uses little of the processor's
 * cache. With fewer blocks, the core could overwrite the history of the lent output.
 */
const BLOCKS = 3

/**
 * Returns the engine, after a check that this process can run it.
 *
 * @throws FeedError DEPENDENCY_UNSUPPORTED
 */
export function wasmEngine(): NewInflateEngine {
  giveBackInflateMemory(takeInflateMemory())
  return startOffset => new WasmInflate(startOffset)
}

/**
 * An inflate engine in WebAssembly. `byteOffset` of its errors is the byte in which the bits at
 * fault end, however the input is cut.
 */
export class WasmInflate implements InflateEngine {
  #startOffset: number
  #memory: InflateMemory | undefined
  #usedBytes = 0
  #ended = false
  #crc: number

  /**
   * @param startOffset where the deflate data begins, in compressed bytes from the start of the
   * file
   * @param state the result of `saveState` from which to continue: the first byte of input is then
   * the one at `usedBytes`
   * @param crc CRC-32 of all outputs of the member before that state, which the state does not hold
   * @throws FeedError OPTION_INVALID for bytes that no engine saved, DEPENDENCY_UNSUPPORTED
   */
  constructor(startOffset: number, state?: Uint8Array, crc = 0) {
    this.#startOffset = startOffset
    this.#crc = crc
    this.#memory = takeInflateMemory()
    if (state) this.#restore(this.#memory.core, state)
  }

  get usedBytes(): number {
    return this.#usedBytes
  }

  get ended(): boolean {
    return this.#ended
  }

  get crc(): number {
    return this.#crc
  }

  *inflate(block: Uint8Array): Generator<Uint8Array, void, void> {
    for (let rest = block; rest.length > 0 && this.#memory && !this.#ended; ) {
      const piece = rest.subarray(
        0,
        this.#usedBytes === 0 ? FIRST_INPUT_BYTES : this.#memory.core.inputBytes,
      )
      rest = rest.subarray(piece.length)
      yield* this.#inflatePiece(piece, rest.length === 0)
    }
  }

  finish(): IterableIterator<never> {
    return NOTHING.values()
  }

  restart(startOffset: number): boolean {
    if (!this.#memory || !this.#ended) return false
    this.#memory.core.reset()
    this.#startOffset = startOffset
    this.#usedBytes = 0
    this.#ended = false
    this.#crc = 0
    return true
  }

  destroy(): void {
    if (this.#memory) giveBackInflateMemory(this.#memory)
    this.#memory = undefined
  }

  /** The memory, with which a worker prepares; `handOver` lets the worker begin. */
  get memory(): InflateMemory | undefined {
    return this.#memory
  }

  /**
   * Ends this engine and gives away its memory, from which another core can continue between two
   * blocks of input.
   */
  handOver(): InflateMemory | undefined {
    const memory = this.#memory
    this.#memory = undefined
    return memory
  }

  /**
   * Returns the state that another engine needs to continue from here, in at most 33 KiB. It is
   * valid between two blocks, and between two outputs of one block. The input then continues at
   * `usedBytes`. The next engine refuses the state of a failed one.
   *
   * @throws FeedError STAGE_DESTROYED
   */
  saveState(): Uint8Array {
    if (!this.#memory)
      throw new FeedError(
        'STAGE_DESTROYED',
        'the inflate engine was destroyed before its state was asked for',
        { stage: 'Gunzip' },
      )
    const core = this.#memory.core.save()
    const saved = new Uint8Array(STATE_HEADER_BYTES + core.length)
    saved.set(core, STATE_HEADER_BYTES)
    const fields = new DataView(saved.buffer)
    fields.setUint32(0, STATE_MAGIC, true)
    fields.setFloat64(8, this.#usedBytes, true)
    fields.setUint32(4, crc32(saved.subarray(CHECKED_FROM)), true)
    return saved
  }

  #restore(core: InflateCore, state: Uint8Array): void {
    const fields = new DataView(state.buffer, state.byteOffset, state.byteLength)
    const isWhole =
      state.length >= STATE_HEADER_BYTES &&
      fields.getUint32(0, true) === STATE_MAGIC &&
      fields.getUint32(4, true) === crc32(state.subarray(CHECKED_FROM))
    if (!isWhole || !core.restore(state.subarray(STATE_HEADER_BYTES))) {
      this.destroy()
      const context = {
        option: 'state',
        expected: 'what saveState returned',
        received: `${state.length} other bytes`,
      }
      throw new FeedError(
        'OPTION_INVALID',
        'this is not the saved state of an inflate engine',
        context,
      )
    }
    this.#usedBytes = fields.getFloat64(8, true)
    this.#ended = core.hasEnded
  }

  *#inflatePiece(piece: Uint8Array, isLast: boolean): Generator<Uint8Array, void, void> {
    const usedBefore = this.#usedBytes
    this.#memory?.core.fillInput(0, piece)
    this.#memory?.core.useInput(0, piece.length)
    for (let result: number = OUTPUT_FULL; result === OUTPUT_FULL; ) {
      if (!this.#memory) return
      const { core, memory } = this.#memory
      result = core.run()
      this.#usedBytes = usedBefore + piece.length - core.inputLeft
      if (result === ENDED) this.#end(core.unusedBits)
      // An output that is not full waits for the rest of the block.
      if (result === NEEDS_INPUT && !isLast) return
      const { outputFrom, outputEnd, historyBytes } = core
      this.#crc = core.crc(outputFrom, outputEnd, this.#crc)
      // This comes before the output is lent, so that a state which is saved meanwhile stands after
      // the output.
      core.releaseOutput(BLOCKS)
      const fault = core.faultOf(result)
      const faultOffset = faultOffsetOf(this.#startOffset + this.#usedBytes, core.unusedBits)
      if (outputEnd > outputFrom) {
        yield lend(core.output(outputFrom, outputEnd), {
          memory,
          freeFrom: core.freeFrom,
          historyBytes,
        })
      }
      if (fault !== undefined) throw dataInvalid(faultOffset, fault)
    }
  }

  #end(unusedBits: number): void {
    this.#usedBytes -= unusedBits >> 3
    this.#ended = true
  }
}

/**
 * Returns the byte in which the bits at fault end, where `offset` is the first byte that is not
 * taken.
 */
export function faultOffsetOf(offset: number, unusedBits: number): number {
  return offset - ((unusedBits >> 3) + 1)
}
