// Gunzip: the stage that inflates gzip. The inflating itself is in inflation.ts, which needs no
// stage.

import type { GzipFacts } from '../codec/gzip/members'
import { GZIP_SIGNATURE } from '../codec/range/file-identity'
import { byteBlock } from '../codec/stage-input'
import type { Pause, Steps } from '../core/steps'
import { readOptions } from '../options'
import { inflateEngine } from './gunzip-engine'
import { GUNZIP_OPTIONS, type GunzipOptions } from './gunzip-options'
import { GzipInflation, ownedOutputs } from './inflation'
import { type Outputs, Stage } from './stage'

/**
 * The most bytes that the stage holds behind a stopped reader, besides the current input block.
 * Each engine may hold 256 KiB of gathered input. In addition `zlib` holds two outputs of 512 KiB,
 * one for the reader and one ahead. `wasm` holds its memory of 6.7 MiB, in which a worker is at
 * most four outputs and eight inputs of 64 KiB ahead. `fflate` holds the 4 MiB that one slice of
 * the worst bomb inflates to, and their copy.
 */
export const GUNZIP_HELD_BYTES = 10 * 1024 * 1024

/**
 * Inflates gzip: takes compressed blocks of any size, gives blocks of output in order.
 *
 * Outputs belong to the reader. Each is alone in its memory (except for up to 7 bytes before it),
 * has at most about 512 KiB, and is never written again. Input blocks must not change while the
 * stage works on them. Small input blocks are gathered, up to 256 KiB, before they are inflated.
 *
 * The stage reads up to `maxMembers` members, each with or without zeros after it. A file name or
 * comment in a header may have up to 65,535 bytes (RFC 1952 has no limit); a longer one fails with
 * GZIP_HEADER_INVALID. **The checksum of a member follows its data: no output is confirmed before
 * `end`**, and after a failure none of it may be kept. The input may end only after a whole member,
 * or the zeros after it. Input that is cut exactly between two members looks complete here; only a
 * caller that knows the size of the file can detect it. A file that is no gzip file fails with
 * GZIP_HEADER_INVALID, at its end or after 512 bytes at the latest, and `reason` says what it is.
 *
 * `byteOffset` of errors counts compressed bytes from the start of the input. It is exact except
 * for GZIP_DATA_INVALID and GZIP_LIMIT, where it is the position of the engine: with `zlib` that of
 * the last output or input block, with `wasm` the byte at fault (for GZIP_LIMIT the end of the
 * compressed bytes of the output), with `fflate` within about 4 KiB.
 *
 * @throws FeedError OPTION_INVALID, DEPENDENCY_UNSUPPORTED at construction (with `fflate` at the
 * first input); STAGE_INPUT_INVALID, GZIP_EMPTY, GZIP_HEADER_INVALID, GZIP_TRUNCATED,
 * GZIP_DATA_INVALID, GZIP_CRC_MISMATCH, GZIP_SIZE_MISMATCH, GZIP_TRAILING_GARBAGE, GZIP_NESTED,
 * GZIP_LIMIT while it runs
 * @example
 * ```ts
 * import { FileSource, Gunzip, pipeline } from 'feedmill'
 * // given: path
 *
 * let bytes = 0
 * for await (const block of pipeline(new FileSource(path)).to(new Gunzip())) bytes += block.length
 * console.log(bytes)
 * // => 68
 * ```
 */
export class Gunzip extends Stage<Uint8Array, Uint8Array> {
  override ownsOutputs = true
  readonly #inflation: GzipInflation
  /** True for an engine that copies its input and lends its output. */
  readonly #engineLends: boolean
  #lends = false

  constructor(options: GunzipOptions = {}) {
    super('Gunzip')
    const { engine, worker, ...limits } = readOptions(options, GUNZIP_OPTIONS)
    const fileBytes = worker ? () => this.source.fileBytes : undefined
    const chosen = inflateEngine(engine, fileBytes)
    const label = () => this.origin
    this.#inflation = new GzipInflation({ limits, newEngine: chosen.newEngine, label })
    this.#engineLends = chosen.name === 'wasm'
  }

  /** What headers, trailers and padding say, as far as the stage has read them. */
  get facts(): GzipFacts {
    return this.#inflation.facts
  }

  /**
   * True with the WebAssembly engine. The other engines may hold a block after its outputs are used
   * up.
   */
  override get borrowsInputs(): boolean {
    return this.#engineLends
  }

  /** True with the WebAssembly engine: a parser then reads rows in the memory of the engine. */
  override lendOutputs(): boolean {
    this.#lends = this.#engineLends
    return this.#lends
  }

  /** A source that knows more of the file can then say why it is not gzip. */
  override requireStart(): Uint8Array {
    return GZIP_SIGNATURE
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
   * Replaces lent outputs by copies that the reader may keep, unless the next stage is known to be
   * done with each output before it asks for the next.
   */
  #owned(outputs: Steps<Uint8Array | Pause> | undefined): Steps<Uint8Array | Pause> | undefined {
    return this.#lends ? outputs : ownedOutputs(outputs)
  }
}
