// The WebAssembly inflate engine. It is synchronous and runs on the caller's thread. Its input may
// be cut at any byte. It owns the counts and the bounds of its outputs; src/engine/wasm/inflate.ts
// decodes.

import { DONE, type Step } from '../../core/steps'
import { lend } from '../loan'
import {
  ENDED,
  giveBackInflateMemory,
  type InflateCore,
  type InflateMemory,
  NEEDS_INPUT,
  OUTPUT_FULL,
  takeInflateMemory,
} from './inflate-core'
import { dataInvalid, type InflateEngine, type NewInflateEngine } from './inflate-engine'

const NOTHING = new Uint8Array()

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
  readonly #outputs: IterableIterator<Uint8Array, void> = {
    next: () => this.#next(),
    [Symbol.iterator]: () => this.#outputs,
  }
  #startOffset: number
  #memory: InflateMemory | undefined
  /** The part of the block that the core does not have yet. */
  #rest: Uint8Array = NOTHING
  /** The result of the core's last run. */
  #result = NEEDS_INPUT
  #givenBytes = 0
  #usedBytes = 0
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
    return this.#result === ENDED
  }

  get crc(): number {
    return this.#crc
  }

  inflate(block: Uint8Array): IterableIterator<Uint8Array, void> {
    this.#rest = block
    return this.#outputs
  }

  finish(): IterableIterator<Uint8Array, void> {
    return this.#outputs
  }

  restart(startOffset: number): boolean {
    if (!this.#memory || !this.ended) return false
    this.#memory.core.reset()
    this.#startOffset = startOffset
    this.#result = NEEDS_INPUT
    this.#givenBytes = 0
    this.#usedBytes = 0
    this.#crc = 0
    return true
  }

  destroy(): void {
    const memory = this.handOver()
    if (memory) giveBackInflateMemory(memory)
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

  #next(): Step<Uint8Array> {
    // An output that is not full waits for the rest of the block.
    while (this.#memory && this.#feed(this.#memory.core)) {
      const { core } = this.#memory
      this.#result = core.run()
      if (this.#result !== NEEDS_INPUT || this.#rest.length === 0) {
        const output = this.#output(this.#memory)
        if (output) return { done: false, value: output }
      }
    }
    return DONE
  }

  /**
   * Gives the core its next input where it needs some. Returns false where there is nothing to do
   * for the core.
   * @throws FeedError GZIP_DATA_INVALID, after the outputs before the fault
   */
  #feed(core: InflateCore): boolean {
    if (this.#result === OUTPUT_FULL) return true
    const fault = core.faultOf(this.#result)
    if (fault !== undefined)
      throw dataInvalid(faultOffsetOf(this.#startOffset + this.#usedBytes, core.unusedBits), fault)
    if (this.#result !== NEEDS_INPUT || this.#rest.length === 0) return false
    const most = this.#givenBytes === 0 ? FIRST_INPUT_BYTES : core.allInputBytes
    const piece = this.#rest.subarray(0, most)
    this.#rest = this.#rest.subarray(piece.length)
    this.#givenBytes += piece.length
    core.fillInput(0, piece)
    core.useInput(0, piece.length)
    return true
  }

  #output({ core, memory }: InflateMemory): Uint8Array | undefined {
    const { outputFrom, outputEnd, historyBytes, freeFrom } = core
    this.#usedBytes = this.#givenBytes - core.inputLeft
    if (this.ended) this.#usedBytes -= core.unusedBits >> 3
    this.#crc = core.crc(outputFrom, outputEnd, this.#crc)
    core.releaseOutput(BLOCKS)
    if (outputEnd === outputFrom) return undefined
    return lend(core.output(outputFrom, outputEnd), { memory, freeFrom, historyBytes })
  }
}

/**
 * Returns the byte in which the bits at fault end, where `offset` is the first byte that is not
 * taken.
 */
export function faultOffsetOf(offset: number, unusedBits: number): number {
  return offset - ((unusedBits >> 3) + 1)
}
