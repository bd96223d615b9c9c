// One instance of the WebAssembly inflate module (src/wasm/inflate.ts), with its memory, as typed calls.
// The module is compiled once. A few instances that are free are kept for the next engine: a file of many members would
// otherwise reserve an address range for each of them.

import { WasmModule } from '../wasm-module'
import { INFLATE_BINARY } from './inflate-binary'

/** About 700 KiB each. */
const MAX_FREE_CORES = 2

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
  readonly memory: { readonly buffer: ArrayBuffer }
  readonly STATE: { readonly value: number }
  readonly STATE_BYTES: { readonly value: number }
  readonly INPUT: { readonly value: number }
  readonly INPUT_BYTES: { readonly value: number }
  readonly OUTPUT: { readonly value: number }
  readonly WINDOW_BYTES: { readonly value: number }
  reset(): void
  setInput(bytes: number): void
  run(): number
  releaseOutput(): void
  inputTaken(): number
  unusedBits(): number
  hasEnded(): number
  outputFrom(): number
  outputEnd(): number
  historyFrom(): number
  restore(historyBytes: number): number
}

const inflateModule = new WasmModule<Exports>(INFLATE_BINARY)
const freeCores: InflateCore[] = []

export class InflateCore {
  readonly #exports: Exports
  readonly #memory: Uint8Array
  /** Most bytes that `setInput` takes. */
  readonly inputBytes: number

  /**
   * A core that is as new.
   *
   * @throws DEPENDENCY_UNSUPPORTED where WebAssembly or its 128-bit SIMD is missing
   */
  static take(): InflateCore {
    const core = freeCores.pop() ?? new InflateCore()
    core.#exports.reset()
    return core
  }

  private constructor() {
    this.#exports = inflateModule.instance()
    this.#memory = new Uint8Array(this.#exports.memory.buffer)
    this.inputBytes = this.#exports.INPUT_BYTES.value
  }

  /** Whoever gives it back must not use it any more. */
  giveBack(): void {
    if (freeCores.length < MAX_FREE_CORES) freeCores.push(this)
  }

  /** Copies the next input, once all before it is taken. */
  setInput(bytes: Uint8Array): void {
    this.#memory.set(bytes, this.#exports.INPUT.value)
    this.#exports.setInput(bytes.length)
  }

  /** NEEDS_INPUT, OUTPUT_FULL, ENDED, or a fault, which `faultOf` names. */
  run(): number {
    return this.#exports.run()
  }

  faultOf(result: number): string | undefined {
    return FAULTS[result - FIRST_FAULT]
  }

  /** Bytes taken since `setInput`. */
  get inputTaken(): number {
    return this.#exports.inputTaken()
  }

  /** Of the bytes taken. */
  get unusedBits(): number {
    return this.#exports.unusedBits()
  }

  get hasEnded(): boolean {
    return this.#exports.hasEnded() !== 0
  }

  /** A copy of what was put out since the last call. */
  takeOutput(): Uint8Array {
    const output = this.#memory.slice(this.#exports.outputFrom(), this.#exports.outputEnd())
    this.#exports.releaseOutput()
    return output
  }

  /** All that another core needs to go on from here, if the output is taken. */
  save(): Uint8Array {
    const { STATE, STATE_BYTES } = this.#exports
    const history = this.#memory.subarray(this.#exports.historyFrom(), this.#exports.outputEnd())
    const saved = new Uint8Array(STATE_BYTES.value + history.length)
    saved.set(this.#memory.subarray(STATE.value, STATE.value + STATE_BYTES.value))
    saved.set(history, STATE_BYTES.value)
    return saved
  }

  /** False when `saved` is nothing that `save` can have made; the core is then good for `giveBack` only. */
  restore(saved: Uint8Array): boolean {
    const { STATE, STATE_BYTES, OUTPUT, WINDOW_BYTES } = this.#exports
    const historyBytes = saved.length - STATE_BYTES.value
    if (historyBytes < 0 || historyBytes > WINDOW_BYTES.value) return false
    this.#memory.set(saved.subarray(0, STATE_BYTES.value), STATE.value)
    this.#memory.set(saved.subarray(STATE_BYTES.value), OUTPUT.value)
    return this.#exports.restore(historyBytes) !== 0
  }
}
