// One instance of the WebAssembly inflate module (src/wasm/inflate.ts) over a memory, as typed
// calls. All that the module knows lies in that memory: another instance over it, on another
// thread, goes on where this one stands.

import { type CompiledWasm, type WasmMemory, wasmInstance } from '../wasm-module'

/** What `run` says, before it names a fault. */
export const NEEDS_INPUT = 0
export const OUTPUT_FULL = 1
export const ENDED = 2
const FIRST_FAULT = 3

/** By their number from FIRST_FAULT on; the words are zlib's. */
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
  readonly STATE: { readonly value: number }
  readonly STATE_BYTES: { readonly value: number }
  readonly INPUT: { readonly value: number }
  readonly INPUT_BYTES: { readonly value: number }
  readonly INPUT_SLOTS: { readonly value: number }
  readonly OUTPUT: { readonly value: number }
  readonly OUTPUT_BLOCKS: { readonly value: number }
  readonly WINDOW_BYTES: { readonly value: number }
  readonly HISTORY_BYTES: { readonly value: number }
  readonly FREE: { readonly value: number }
  reset(): void
  setInput(slot: number, bytes: number): void
  run(): number
  releaseOutput(blocks: number): void
  inputLeft(): number
  unusedBits(): number
  hasEnded(): number
  outputFrom(): number
  outputEnd(): number
  historyBytes(): number
  historyFrom(): number
  restore(historyBytes: number): number
  crc32(from: number, bytes: number, before: number): number
}

export class InflateCore {
  readonly #exports: Exports
  readonly #memory: Uint8Array
  /** The same memory, for `fill`. */
  readonly #buffer: Buffer
  /** Most bytes that one slot takes. */
  readonly inputBytes: number
  readonly inputSlots: number
  /** Blocks that the outputs can go round in. */
  readonly outputBlocks: number

  /** Where the part of the memory begins that no core makes use of. */
  readonly freeFrom: number

  constructor(module: CompiledWasm, memory: WasmMemory) {
    this.#exports = wasmInstance(module, memory)
    this.#memory = new Uint8Array(memory.buffer)
    this.#buffer = Buffer.from(memory.buffer)
    this.inputBytes = this.#exports.INPUT_BYTES.value
    this.inputSlots = this.#exports.INPUT_SLOTS.value
    this.outputBlocks = this.#exports.OUTPUT_BLOCKS.value
    this.freeFrom = this.#exports.FREE.value
  }

  /** Forgets everything: the next byte of input is the first of a stream. */
  reset(): void {
    this.#exports.reset()
  }

  /**
   * Copies input, at least one byte, into a slot, which is not being read. It is read after
   * `useInput`.
   */
  fillInput(slot: number, bytes: Uint8Array): void {
    const at = this.#exports.INPUT.value + slot * this.inputBytes
    // V8's set copies into shared memory word by word, and byte by byte where the two are not
    // aligned alike; this is a memcpy.
    this.#buffer.fill(bytes, at, at + bytes.length)
  }

  /** A copy of a slot's last bytes. @param bytes in the slot */
  inputTail(slot: number, bytes: number, tailBytes: number): Uint8Array {
    const end = this.#exports.INPUT.value + slot * this.inputBytes + bytes
    return this.#memory.slice(end - tailBytes, end)
  }

  /** Goes on with what lies in a slot, once all input before is taken. */
  useInput(slot: number, bytes: number): void {
    this.#exports.setInput(slot, bytes)
  }

  /** NEEDS_INPUT, OUTPUT_FULL, ENDED, or a fault, which `faultOf` names. */
  run(): number {
    return this.#exports.run()
  }

  faultOf(result: number): string | undefined {
    return FAULTS[result - FIRST_FAULT]
  }

  /** Bytes of the input in use that are not taken. */
  get inputLeft(): number {
    return this.#exports.inputLeft()
  }

  /** Of the bytes taken. */
  get unusedBits(): number {
    return this.#exports.unusedBits()
  }

  get hasEnded(): boolean {
    return this.#exports.hasEnded() !== 0
  }

  /** Where the output begins that was not released. */
  get outputFrom(): number {
    return this.#exports.outputFrom()
  }

  get outputEnd(): number {
    return this.#exports.outputEnd()
  }

  /** What lies there still of what was put out before, up to 256 KiB. */
  get historyBytes(): number {
    return Math.min(this.#exports.historyBytes(), this.#exports.HISTORY_BYTES.value)
  }

  /** A view of the memory: what lies there is overwritten when its turn comes again. */
  output(from: number, end: number): Uint8Array {
    return this.#memory.subarray(from, end)
  }

  /**
   * CRC-32 of what lies there, as an unsigned number.
   * @param before the CRC-32 of all bytes before it; 0 at the start
   */
  crc(from: number, end: number, before: number): number {
    return this.#exports.crc32(from, end - from, before) >>> 0
  }

  /**
   * @param blocks to go round in, at least 2: with more of them an output stays as it is while
   * others are written
   */
  releaseOutput(blocks: number): void {
    this.#exports.releaseOutput(blocks)
  }

  /** All that another core needs to go on from here, if the output is released. */
  save(): Uint8Array {
    const { STATE, STATE_BYTES } = this.#exports
    const history = this.#memory.subarray(this.#exports.historyFrom(), this.#exports.outputEnd())
    const saved = new Uint8Array(STATE_BYTES.value + history.length)
    saved.set(this.#memory.subarray(STATE.value, STATE.value + STATE_BYTES.value))
    saved.set(history, STATE_BYTES.value)
    return saved
  }

  /** False when `saved` is nothing that `save` can have made; then only `reset` may follow. */
  restore(saved: Uint8Array): boolean {
    const { STATE, STATE_BYTES, OUTPUT, WINDOW_BYTES } = this.#exports
    const historyBytes = saved.length - STATE_BYTES.value
    if (historyBytes < 0 || historyBytes > WINDOW_BYTES.value) return false
    this.#memory.set(saved.subarray(0, STATE_BYTES.value), STATE.value)
    this.#memory.set(saved.subarray(STATE_BYTES.value), OUTPUT.value)
    return this.#exports.restore(historyBytes) !== 0
  }
}
