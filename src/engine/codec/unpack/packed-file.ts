// What a compressed file is by its first bytes, the interface of its framing, and the framing of a
// format whose parts tell their sizes: ZIP and Zstandard. The framing of gzip is codec/gzip/.

import { type ErrorContexts, FeedError } from '../../errors'
import { PACKED_STARTS } from '../body-kind'
import { crc32 } from '../gzip/crc32'
import { exceededCap, type GzipLimits } from '../gzip/limits'
import { DATA, FieldReader, type Fields } from './field-reader'

/** The framing of one compressed file, which `Inflation` drives together with an engine. */
export interface PackedFile {
  /** True while the next byte belongs to the engine. */
  readonly inData: boolean
  /** Compressed bytes read so far. */
  readonly byteOffset: number
  /** True where an engine that has ended may be restarted for the data that comes next. */
  readonly mayReuseEngine: boolean
  /** Reads framing bytes, and returns how many: all, unless data starts among them. */
  read(bytes: Uint8Array): number
  /** Counts and checks one output; `dataBytes` and `crc` are the engine's. */
  countOutput(block: Uint8Array, dataBytes: number, crc?: number): void
  /** Records how many bytes of data the engine has used, and whether the data has ended. */
  dataUsed(dataBytes: number, ended: boolean): void
  /** Ends the file. It throws where the file may not end here. */
  end(): void
}

export type PackedFormat = keyof typeof PACKED_STARTS

export const ZSTD_SIGNATURE = Uint8Array.from(Buffer.from(PACKED_STARTS.zstd[0], 'latin1'))

/** Zstandard allows sixteen signatures of frames that are skipped (RFC 8878, 3.1.2). */
const SKIPPED = Array.from({ length: 16 }, (_, n) => `${String.fromCharCode(0x50 + n)}*M\x18`)
const SIGNATURES: readonly (readonly [format: PackedFormat, ...starts: string[]])[] = [
  ['gzip', ...PACKED_STARTS.gzip],
  ['zip', ...PACKED_STARTS.zip],
  ['zstd', ...PACKED_STARTS.zstd, ...SKIPPED],
]

/**
 * Returns the format of a body that begins with `start`, and whether that is sure: as long as the
 * bytes are only the beginning of a signature, they may be anything.
 */
export function packedFormat(start: Uint8Array): {
  readonly format: PackedFormat | 'plain'
  readonly isSure: boolean
} {
  const text = Buffer.from(start.subarray(0, 4)).toString('latin1')
  for (const [format, ...starts] of SIGNATURES) {
    if (starts.some(one => text.startsWith(one))) return { format, isSure: true }
    if (starts.some(one => one.startsWith(text))) return { format, isSure: false }
  }
  return { format: 'plain', isSure: true }
}

/** A framing that is read field by field. */
export abstract class FieldsFile implements PackedFile {
  readonly mayReuseEngine = false
  readonly #format: 'zstd' | 'zip'
  readonly #limits: GzipLimits
  readonly #reader = new FieldReader(this.fields())
  #members = 0
  #outputBytes = 0
  /** What the engine has used of the data that is being read. */
  protected dataBytes = 0
  /** The CRC-32 and the size of its output. */
  protected crc = 0
  protected bytes = 0

  constructor(format: 'zstd' | 'zip', limits: GzipLimits) {
    this.#format = format
    this.#limits = limits
  }

  /** The fields of the file in their order. */
  protected abstract fields(): Fields
  /** True where the file may end before the next field. */
  protected abstract readonly mayEnd: boolean

  get inData(): boolean {
    return this.#reader.wanted === DATA
  }

  get byteOffset(): number {
    return this.#reader.byteOffset + this.dataBytes
  }

  /** Where the field begins that is read next. */
  protected get fieldOffset(): number {
    return this.#reader.fieldOffset
  }

  read(bytes: Uint8Array): number {
    const used = this.#reader.read(bytes)
    if (used < bytes.length && !this.inData)
      throw this.invalid(this.byteOffset, 'other bytes stand behind its end, so remove them')
    return used
  }

  countOutput(block: Uint8Array, dataBytes: number, crc?: number): void {
    this.dataBytes = dataBytes
    this.crc = crc ?? crc32(block, this.crc)
    this.bytes += block.length
    this.#outputBytes += block.length
    const cap = exceededCap(this.#limits, this.#outputBytes, this.byteOffset)
    if (cap !== undefined) throw this.limitReached(cap, this.#limits[cap])
  }

  dataUsed(dataBytes: number, ended: boolean): void {
    this.dataBytes = dataBytes
    if (!ended) return
    this.#reader.endData(dataBytes)
    this.dataBytes = 0
  }

  end(): void {
    if (this.mayEnd && this.#reader.isBetweenFields) return
    const reason = 'it ends here and is cut off, so fetch the whole file'
    throw this.invalid(this.byteOffset, reason, true)
  }

  /** Counts a part of the file, which is work whatever is in it. */
  protected beginMember(): void {
    const { maxMembers } = this.#limits
    if (++this.#members > maxMembers) throw this.limitReached('maxMembers', maxMembers)
    this.crc = 0
    this.bytes = 0
  }

  /** @param retryable true where the bytes were lost or changed on their way */
  protected invalid(byteOffset: number, reason: string, retryable = false): FeedError {
    return unpackInvalid(this.#format, byteOffset, reason, { retryable })
  }

  protected unsupported(byteOffset: number, reason: string): FeedError {
    const format = this.#format
    const message = `the ${NAMES[format]} is not read, at byte ${byteOffset}: ${reason}`
    return new FeedError('UNPACK_UNSUPPORTED', message, { format, byteOffset, reason })
  }

  protected limitReached(option: ErrorContexts['UNPACK_LIMIT']['option'], limit: number) {
    const { byteOffset } = this
    const message = `the ${NAMES[this.#format]} exceeds ${option} ${limit} at byte ${byteOffset}: raise it for a file that you trust`
    return new FeedError('UNPACK_LIMIT', message, {
      format: this.#format,
      byteOffset,
      option,
      limit,
    })
  }
}

const NAMES = { zip: 'ZIP archive', zstd: 'Zstandard data' }

export function unpackInvalid(
  format: 'zstd' | 'zip',
  byteOffset: number,
  reason: string,
  options: { readonly cause?: unknown; readonly retryable?: boolean } = {},
): FeedError<'UNPACK_INVALID'> {
  const message = `the ${NAMES[format]} is not valid at byte ${byteOffset}: ${reason}`
  return new FeedError('UNPACK_INVALID', message, { format, byteOffset, reason }, options)
}
