// Gzip to bytes as a stage. The inflating itself is inflation.ts, which needs no stage.

import { byteBlock } from '../codec/byte-block'
import { copyBytes } from '../codec/copy-bytes'
import { type GzipLimits, gzipLimits } from '../codec/gzip/limits'
import { loanOf } from '../codec/loan'
import { isPromise, PAUSE, type Pause, type Step, Steps } from '../core/steps'
import { flag, knownOptions, type OptionNames } from '../options'
import { type GunzipEngine, inflateEngine } from './inflate-engines'
import { Inflation } from './inflation'
import { type Outputs, Stage } from './stage'

export type { GunzipEngine } from './inflate-engines'

/**
 * The caps among them bound what hostile files cost; reaching one is GZIP_LIMIT, which names it.
 */
export interface GunzipOptions extends Partial<GzipLimits> {
  /**
   * `wasm`: this package's own, in WebAssembly, the default where the machine has 128-bit SIMD.
   * `zlib`: node:zlib on a thread of its own, the default elsewhere. `fflate`: plain JavaScript on
   * this thread, several times slower, and laxer than RFC 1951: it does not refuse the length check
   * of a stored block and some incomplete code tables. What it makes of such data ends without an
   * error only if the member's CRC32 and size agree with it, as they do where an invalid stream
   * stands for no output at all.
   */
  readonly engine?: GunzipEngine
  /**
   * Whether a large file (from 512 KiB of compressed data in a member on) may be inflated by a
   * worker thread, beside what reads the rows. True by default; only `wasm` has one. All pipelines
   * of the process together have at most one worker less than there are processors: see {@link
   * setMaxInflateWorkers}. The worker ends with the stage.
   */
  readonly worker?: boolean
}

/**
 * Most bytes held behind a stopped reader, besides the input block being worked on: with `zlib` two
 * outputs of 256 KiB, one with the reader's side and one inflated ahead; with `wasm` the engine's
 * 8.6 MiB, in which a worker is at most eight outputs and eight inputs of 64 KiB ahead; with
 * `fflate` the 4 MiB that one slice of the worst bomb makes, and their copy; with each, 256 KiB of
 * gathered input.
 */
export const GUNZIP_HELD_BYTES = 10 * 1024 * 1024

const NAMES: OptionNames<GunzipOptions> = {
  engine: true,
  worker: true,
  maxOutputBytes: true,
  maxRatio: true,
  maxMembers: true,
  allowNested: true,
}

/**
 * Compressed blocks of any size in, blocks of output in order out.
 *
 * Outputs belong to the reader: each is alone in its memory (but for up to 7 bytes before it),
 * about 256 KiB at most, and never touched again. Input blocks must not change while the stage
 * works on them. Small ones are gathered, up to 256 KiB, before they are inflated.
 *
 * Reads up to `maxMembers` members, with or without zeros after each. A file name or comment in a
 * header may have up to 65,535 bytes (RFC 1952 gives no limit); a longer one is
 * GZIP_HEADER_INVALID. **A checksum stands behind what it covers: until `end`, whatever was handed
 * out is not confirmed**, and a failure means that none of it may be kept. The input may end only
 * after a whole member, or the zeros after it. An input that is cut exactly between two members
 * looks complete from here; only who knows the file's size can tell.
 *
 * Errors give `byteOffset` in compressed bytes from the start of the input. It is exact but for
 * GZIP_DATA_INVALID and GZIP_LIMIT, where it is where the engine stood: with `zlib` at the last
 * output or input block, with `wasm` at the byte at fault (GZIP_LIMIT: at the output's last), with
 * `fflate` within about 4 KiB.
 *
 * @throws OPTION_INVALID, DEPENDENCY_UNSUPPORTED at construction (with `fflate` at the first input);
 * STAGE_INPUT_INVALID, GZIP_EMPTY, GZIP_HEADER_INVALID, GZIP_TRUNCATED, GZIP_DATA_INVALID, GZIP_CRC_MISMATCH, GZIP_SIZE_MISMATCH,
 * GZIP_TRAILING_GARBAGE, GZIP_NESTED, GZIP_LIMIT while it runs
 */
export class Gunzip extends Stage<Uint8Array, Uint8Array> {
  readonly #inflation: Inflation
  /** The engine copies its input, and lends its output. */
  readonly #engineLends: boolean
  #lends = false

  constructor(options: GunzipOptions = {}) {
    super('Gunzip')
    const { engine, worker = true } = knownOptions(options, NAMES)
    const limits = gzipLimits(options)
    const chosen = inflateEngine(engine, flag('worker', worker))
    this.#inflation = new Inflation({ limits, newEngine: chosen.newEngine })
    this.#engineLends = chosen.name === 'wasm'
  }

  /** The other engines hold blocks until they say that these were used, which may be later. */
  override get borrowsInputs(): boolean {
    return this.#engineLends
  }

  /** A parser behind it reads where the engine writes. */
  override lendOutputs(): boolean {
    this.#lends = this.#engineLends
    return this.#lends
  }

  protected override transform(block: Uint8Array): Outputs<Uint8Array> {
    return this.#owned(this.#inflation.inflate(byteBlock(this.name, block)))
  }

  protected override flush(): Outputs<Uint8Array> {
    return this.#owned(this.#inflation.finish())
  }

  protected override release(): void {
    this.#inflation.destroy()
  }

  /**
   * Outputs that the reader may keep, unless it is known to be done with each before it asks for
   * the next.
   */
  #owned(outputs: Steps<Uint8Array | Pause> | undefined): Steps<Uint8Array | Pause> | undefined {
    if (outputs === undefined || this.#lends) return outputs
    return new Steps(() => {
      const step = outputs.next()
      return isPromise(step) ? step.then(owned) : owned(step)
    })
  }
}

function owned(step: Step<Uint8Array | Pause>): Step<Uint8Array | Pause> {
  if (step.done || step.value === PAUSE || !loanOf(step.value)) return step
  return { done: false, value: copyBytes(step.value) }
}
