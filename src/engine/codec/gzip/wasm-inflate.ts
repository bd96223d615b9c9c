// The WebAssembly inflate engine. It is synchronous and runs on the caller's thread. Its input may
// be cut at any byte. It owns the counts and the bounds of its outputs; src/engine/wasm/inflate.ts
// decodes.

import { lend } from '../loan'
import {
  ENDED,
  giveBackInflateMemory,
  type InflateMemory,
  NEEDS_INPUT,
  OUTPUT_FULL,
  takeInflateMemory,
} from './inflate-core'
import { dataInvalid, type InflateEngine, type NewInflateEngine } from './inflate-engine'

const NOTHING: readonly never[] = []

/**
 * The size of the first input of the core. Input is copied, and a member may be much smaller than
 * the block that it begins in.
 */
const FIRST_INPUT_BYTES = 1024

/**
 * The number of blocks that outputs use in turn. With fewer, the core could overwrite the history
 * of the lent output.
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
  #crc = 0

  /**
   * @param startOffset where the deflate data begins, in compressed bytes from the start of the
   * file
   * @param shared true where a worker may continue in its memory
   * @throws FeedError DEPENDENCY_UNSUPPORTED
   */
  constructor(startOffset: number, shared = false) {
    this.#startOffset = startOffset
    this.#memory = takeInflateMemory(shared)
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
