// Decompress: the stage that unpacks a file as its first bytes say it is packed. The framings are in
// codec/, and inflation.ts drives them.

import type { NewInflateEngine } from '../codec/gzip/inflate-engine'
import type { GzipLimits } from '../codec/gzip/limits'
import type { GzipFacts } from '../codec/gzip/members'
import { copyBytes } from '../codec/memory'
import { byteBlock } from '../codec/stage-input'
import { type PackedFormat, packedFormat, unpackInvalid } from '../codec/unpack/packed-file'
import { ZipFile } from '../codec/unpack/zip-file'
import { ZstdFile } from '../codec/unpack/zstd-file'
import { isPromise, type Pause, Steps } from '../core/steps'
import { FeedError } from '../errors'
import { is, type OptionTable, readOptions } from '../options'
import { type ChosenEngine, inflateEngine } from './gunzip-engine'
import { GUNZIP_OPTIONS, type GunzipOptions } from './gunzip-options'
import { GzipInflation, Inflation, ownedOutputs } from './inflation'
import { type Outputs, Stage } from './stage'
import { StoredData } from './stored-data'
import { ZstdInflate } from './zstd-inflate'

/**
 * The options of {@link Decompress}. Those of Gunzip hold for all formats: a member is a frame of
 * Zstandard or an entry of a ZIP archive too, and the engine inflates what is in a ZIP archive.
 */
export interface DecompressOptions extends GunzipOptions {
  /**
   * The most memory that a frame of Zstandard may ask for to be decoded: its window. `zstd` needs no
   * more than 8 MiB without `--ultra` and `--long`. Default: 8 MiB.
   */
  readonly maxWindowBytes?: number
}

const OPTIONS = {
  ...GUNZIP_OPTIONS,
  maxWindowBytes: [is.wholeNumber(1024, 2 ** 31), 8 * 1024 * 1024],
} satisfies OptionTable<DecompressOptions>

/**
 * Unpacks a file by its first bytes, whatever its name says: takes blocks of any size, gives blocks of
 * output in order.
 *
 * - **gzip** is inflated exactly as Gunzip does it, with the same errors.
 * - **Zstandard** is decompressed by node:zlib, which has it from Node 22.15 and 23.8 on; on another
 *   Node it ends with DEPENDENCY_UNSUPPORTED. A file may have several frames. A frame without a
 *   checksum, which `zstd` writes unless told otherwise, is proven by its structure only.
 * - **ZIP** is read as a stream where the archive has exactly one file, stored or deflated, with or
 *   without directories beside it; its CRC-32, its sizes and the directory of the archive are verified.
 * - **Anything else** passes through as it is. A parser behind the stage says what it is where it is
 *   no table. So does an empty input.
 *
 * Outputs belong to the reader, and have at most about 512 KiB, or of a plain file the size of the
 * inputs. Input blocks must not change while the stage works on them. **The checksum follows the
 * data: no output is confirmed before `end`**, and after a failure none of it may be kept. The input
 * may end only where the packed file ends; one that ends within the first bytes of a signature is
 * taken for a file that is cut off. Zstandard that is cut exactly between two frames looks complete,
 * as gzip between two members does.
 *
 * The stage holds at most what Gunzip holds, and for Zstandard `maxWindowBytes` and 2 MiB.
 *
 * @throws FeedError OPTION_INVALID, DEPENDENCY_UNSUPPORTED at construction (with `fflate` and for
 * Zstandard at the first input); STAGE_INPUT_INVALID; GZIP_\* for gzip; UNPACK_INVALID,
 * UNPACK_UNSUPPORTED, UNPACK_LIMIT for Zstandard and ZIP
 * @example
 * ```ts
 * import { Decompress, FileSource, pipeline } from 'feedmill'
 * // given: path
 *
 * const unpacked = new Decompress()
 * let bytes = 0
 * for await (const block of pipeline(new FileSource(path)).to(unpacked)) bytes += block.length
 * console.log(unpacked.format, bytes)
 * // => gzip 68
 * ```
 */
export class Decompress extends Stage<Uint8Array, Uint8Array> {
  override ownsOutputs = true
  readonly #limits: GzipLimits
  readonly #maxWindowBytes: number
  readonly #engine: ChosenEngine
  /** The first bytes, as long as they may be of several formats. */
  #start: Uint8Array = new Uint8Array()
  #format: PackedFormat | 'plain' | undefined
  /** Undefined for a plain file. */
  #inflation: Inflation | undefined
  #lends = false

  constructor(options: DecompressOptions = {}) {
    super('Decompress')
    const { engine, worker, maxWindowBytes, ...limits } = readOptions(options, OPTIONS)
    this.#engine = inflateEngine(engine, worker ? () => this.source.fileBytes : undefined)
    this.#limits = limits
    this.#maxWindowBytes = maxWindowBytes
  }

  /** What the input is by its first bytes; undefined before these have come. */
  get format(): PackedFormat | 'plain' | undefined {
    return this.#format
  }

  /** What the headers, trailers and padding of gzip say; undefined for another input. */
  get gzipFacts(): GzipFacts | undefined {
    return this.#inflation instanceof GzipInflation ? this.#inflation.facts : undefined
  }

  /** True with the WebAssembly engine. */
  override get borrowsInputs(): boolean {
    return this.#engine.name === 'wasm'
  }

  /** True with the WebAssembly engine: a parser then reads rows in the memory of the engine. */
  override lendOutputs(): boolean {
    this.#lends = this.borrowsInputs
    return this.#lends
  }

  protected override transform(block: Uint8Array): Outputs<Uint8Array> {
    const bytes = byteBlock(this.name, block)
    if (this.#format !== undefined) return this.#unpacked(bytes)
    const start = this.#start.length === 0 ? bytes : Buffer.concat([this.#start, bytes])
    const { format, isSure } = packedFormat(start)
    if (isSure) this.#begin(format)
    else this.#start = copyBytes(start)
    return isSure ? this.#unpacked(start) : undefined
  }

  protected override flush(): Outputs<Uint8Array> {
    if (this.#format === undefined) {
      const isEmpty = this.#start.length === 0
      this.#begin(isEmpty ? 'plain' : packedFormat(this.#start).format)
      // So few bytes are no output yet.
      this.#inflation?.inflate(this.#start)
    }
    return this.#owned(this.#inflation?.finish())
  }

  protected override release(): void {
    this.#inflation?.destroy()
  }

  #begin(format: PackedFormat | 'plain'): void {
    this.#format = format
    const limits = this.#limits
    const { newEngine } = this.#engine
    if (format === 'gzip') this.#inflation = new GzipInflation({ limits, newEngine })
    else if (format === 'zip') this.#inflation = zipInflation(new ZipFile(limits), newEngine)
    else if (format === 'zstd') {
      const file = new ZstdFile(limits, this.#maxWindowBytes)
      this.#inflation = new Inflation(file, { newEngine: at => new ZstdInflate(at, file) })
    }
  }

  #unpacked(bytes: Uint8Array): Outputs<Uint8Array> {
    if (this.#inflation !== undefined) return this.#owned(this.#inflation.inflate(bytes))
    if (bytes.length === 0) return undefined
    return [this.#lends ? bytes : copyBytes(bytes)]
  }

  #owned(outputs: Steps<Uint8Array | Pause> | undefined): Steps<Uint8Array | Pause> | undefined {
    const told = this.#format === 'zip' && outputs !== undefined ? asZip(outputs) : outputs
    return this.#lends ? told : ownedOutputs(told)
  }
}

function zipInflation(file: ZipFile, newEngine: NewInflateEngine): Inflation {
  const engineOf: NewInflateEngine = startOffset =>
    file.storedBytes === undefined ? newEngine(startOffset) : new StoredData(file.storedBytes)
  return new Inflation(file, { newEngine: engineOf })
}

/** The same outputs, with the errors of an inflate engine as those of a ZIP archive. */
function asZip(outputs: Steps<Uint8Array | Pause>): Steps<Uint8Array | Pause> {
  return new Steps(() => {
    try {
      const step = outputs.next()
      return isPromise(step) ? step.catch(throwZipFault) : step
    } catch (error) {
      return throwZipFault(error)
    }
  })
}

function throwZipFault(cause: unknown): never {
  if (!FeedError.is(cause) || cause.code !== 'GZIP_DATA_INVALID') throw cause
  const { byteOffset, reason } = cause.context
  const what = `the deflate data is damaged, so fetch the file again: ${reason}`
  throw unpackInvalid('zip', byteOffset, what, { cause, retryable: true })
}
