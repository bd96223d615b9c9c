// The WebAssembly inflate engine: synchronous, on the caller's thread, and restartable at any byte
// of its input. It owns the counting, the bounds of its outputs and the form of a saved state; the
// decoding is src/wasm/inflate.ts.

import { FeedError } from '../../errors'
import { lend } from '../loan'
import { crc32 } from './crc32'
import { ENDED, type InflateCore, NEEDS_INPUT, OUTPUT_FULL } from './inflate-core'
import { dataInvalid, type InflateEngine, type NewInflateEngine } from './inflate-engine'
import { giveBackInflateMemory, type InflateMemory, takeInflateMemory } from './inflate-memory'

const NOTHING: readonly never[] = []

/**
 * The first input that the core is given. Input is copied, and a member may be much smaller than
 * the block that it begins in.
 */
const FIRST_INPUT_BYTES = 1024

/**
 * A saved state: these four bytes, the CRC32 of what follows, the bytes used so far as a float64,
 * and the core's own.
 */
const STATE_MAGIC = 0x3153_4946 // `FIS1`
const STATE_HEADER_BYTES = 16
const CHECKED_FROM = 8

/**
 * Blocks that outputs go round in: as little of the processor's cache as can be. With fewer, moving
 * the history could reach that of the output lent.
 */
const BLOCKS = 3

/**
 * The engine, after a check that this process can run it.
 *
 * @throws DEPENDENCY_UNSUPPORTED
 */
export function wasmEngine(): NewInflateEngine {
  giveBackInflateMemory(takeInflateMemory())
  return startOffset => new WasmInflate(startOffset)
}

/**
 * `byteOffset` of its errors: the byte in which the bits at fault end, however the input is cut.
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
   * @param state goes on where `saveState` was called: the first byte of input is the one at
   * `usedBytes`
   * @param crc of all outputs of the member before that state, which the state does not hold
   * @throws OPTION_INVALID for a state that no engine saved, DEPENDENCY_UNSUPPORTED
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

  /** What a worker needs to get ready; `handOver` lets it begin. */
  get memory(): InflateMemory | undefined {
    return this.#memory
  }

  /**
   * Ends this engine and gives away its memory, from which another core can go on where it stands,
   * between two blocks of input.
   */
  handOver(): InflateMemory | undefined {
    const memory = this.#memory
    this.#memory = undefined
    return memory
  }

  /**
   * All that another engine needs to go on from here, in at most 33 KiB: of value between two
   * blocks, and between two outputs of one. The input goes on at `usedBytes`. Of a failed engine it
   * is refused by the next one.
   *
   * @throws STAGE_DESTROYED
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
      // Before the output is lent: a state that is saved in the meantime has it behind it.
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

/** The byte in which the bits at fault end, when `offset` is the first byte that is not taken. */
export function faultOffsetOf(offset: number, unusedBits: number): number {
  return offset - ((unusedBits >> 3) + 1)
}
