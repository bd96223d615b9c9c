// One instance of the WebAssembly inflate module (src/engine/wasm/inflate.ts) over a memory, with
// typed calls. The whole state of the module lies in that memory, so another instance over it, on
// another thread, continues where this one stands.

import { copyInto } from '../memory'
import {
  type CompiledWasm,
  isShared,
  type WasmMemory,
  WasmModule,
  wasmInstance,
  wasmMemory,
} from '../wasm-module'
import { INFLATE_BINARY, INFLATE_PAGES } from './inflate-binary'

/** The results of `run`; from FIRST_FAULT on a result is a fault. */
export const NEEDS_INPUT = 0
export const OUTPUT_FULL = 1
export const ENDED = 2
const FIRST_FAULT = 3

/** The faults by number, from FIRST_FAULT on, in zlib's words. */
const FAULTS = [
  'invalid block type',
  'invalid stored block lengths',
  'too many length or distance symbols',
  'invalid code lengths set',
  'invalid bit length repeat',
  'invalid code -- missing end-of-block',
  'invalid literal/lengths set',
  'invalid distances set',
  'invalid literal/length code',
  'invalid distance code',
  'invalid distance too far back',
]

interface Exports {
  readonly INPUT: number
  readonly INPUT_BYTES: number
  readonly INPUT_SLOTS: number
  readonly OUTPUT_BLOCKS: number
  readonly HISTORY_BYTES: number
  readonly FREE: number
  reset(): void
  setInput(slot: number, bytes: number): void
  run(): number
  releaseOutput(blocks: number): void
  inputLeft(): number
  unusedBits(): number
  outputFrom(): number
  outputEnd(): number
  historyBytes(): number
  crc32(from: number, bytes: number, before: number): number
}

export class InflateCore {
  readonly #exports: Exports
  readonly #memory: Uint8Array
  /** The most bytes that one slot holds. */
  readonly inputBytes: number
  readonly inputSlots: number
  /** The most bytes that all slots hold: input of that size may lie in the first slot and beyond. */
  readonly allInputBytes: number
  /** The number of blocks that the outputs can use in turn. */
  readonly outputBlocks: number

  /** The offset from which on no core uses the memory. */
  readonly freeFrom: number

  constructor(module: CompiledWasm, memory: WasmMemory) {
    this.#exports = wasmInstance(module, memory)
    this.#memory = new Uint8Array(memory.buffer)
    this.inputBytes = this.#exports.INPUT_BYTES
    this.inputSlots = this.#exports.INPUT_SLOTS
    this.allInputBytes = this.inputBytes * this.inputSlots
    this.outputBlocks = this.#exports.OUTPUT_BLOCKS
    this.freeFrom = this.#exports.FREE
  }

  /** Resets the core: the next byte of input is the first of a stream. */
  reset(): void {
    this.#exports.reset()
  }

  /**
   * Copies input, at least one byte, into a slot that is not being read. The core reads it after
   * `useInput`.
   */
  fillInput(slot: number, bytes: Uint8Array): void {
    const at = this.#exports.INPUT + slot * this.inputBytes
    copyInto(this.#memory, at, bytes)
  }

  /**
   * Returns a copy of the last bytes of a slot.
   * @param bytes the number of bytes in the slot
   */
  inputTail(slot: number, bytes: number, tailBytes: number): Uint8Array {
    const end = this.#exports.INPUT + slot * this.inputBytes + bytes
    return this.#memory.slice(end - tailBytes, end)
  }

  /** Continues with the input in a slot, after all input before it is taken. */
  useInput(slot: number, bytes: number): void {
    this.#exports.setInput(slot, bytes)
  }

  /** Returns NEEDS_INPUT, OUTPUT_FULL, ENDED, or a fault, which `faultOf` names. */
  run(): number {
    return this.#exports.run()
  }

  faultOf(result: number): string | undefined {
    return FAULTS[result - FIRST_FAULT]
  }

  /** Bytes of the current input that are not taken. */
  get inputLeft(): number {
    return this.#exports.inputLeft()
  }

  /** Bits of the taken bytes that are not used. */
  get unusedBits(): number {
    return this.#exports.unusedBits()
  }

  /** The offset where the output begins that was not released. */
  get outputFrom(): number {
    return this.#exports.outputFrom()
  }

  get outputEnd(): number {
    return this.#exports.outputEnd()
  }

  /** Bytes of earlier output that still lie before the current output, up to 256 KiB. */
  get historyBytes(): number {
    return Math.min(this.#exports.historyBytes(), this.#exports.HISTORY_BYTES)
  }

  /** Returns a view of the memory, which is overwritten when its block is used again. */
  output(from: number, end: number): Uint8Array {
    return this.#memory.subarray(from, end)
  }

  /**
   * Returns the CRC-32 of the bytes from `from` to `end`, as an unsigned number.
   * @param before the CRC-32 of all bytes before them; 0 at the start
   */
  crc(from: number, end: number, before: number): number {
    return this.#exports.crc32(from, end - from, before) >>> 0
  }

  /**
   * Releases the current output.
   * @param blocks the number of blocks that outputs use in turn, at least 2: with more blocks an
   * output stays unchanged while others are written
   */
  releaseOutput(blocks: number): void {
    this.#exports.releaseOutput(blocks)
  }
}

/**
 * The number of free memories of each kind that are kept for the next engines, because otherwise a
 * file of many members would reserve an address range for each. One has up to 6.7 MiB. An engine
 * without a worker touches 2 MiB of its memory.
 */
const MAX_FREE = 2

/** A core with its memory: all that a worker needs to continue in its place. */
export interface InflateMemory {
  readonly module: CompiledWasm
  readonly memory: WasmMemory
  readonly core: InflateCore
}

const inflateModule = /* @__PURE__ */ new WasmModule(INFLATE_BINARY)
const freeOwn: InflateMemory[] = []
const freeShared: InflateMemory[] = []

/**
 * Returns a memory whose core is reset.
 *
 * @param shared true where a worker may continue in the memory
 * @throws FeedError DEPENDENCY_UNSUPPORTED where WebAssembly or its 128-bit SIMD is missing
 */
export function takeInflateMemory(shared = false): InflateMemory {
  const taken = (shared ? freeShared : freeOwn).pop() ?? newMemory(shared)
  taken.core.reset()
  return taken
}

/** Gives a memory back. Its former owner must not use it any more, nor may any other thread. */
export function giveBackInflateMemory(memory: InflateMemory): void {
  const free = isShared(memory.memory) ? freeShared : freeOwn
  if (free.length < MAX_FREE) free.push(memory)
}

function newMemory(shared: boolean): InflateMemory {
  const memory = wasmMemory(INFLATE_PAGES, shared)
  const module = inflateModule.compiledFor(memory)
  return { module, memory, core: new InflateCore(module, memory) }
}
