// The gzip framing of a whole file (RFC 1952 section 2.2): it decides which bytes are header, data,
// trailer or padding. It owns offsets, checksums and caps. An engine that the caller drives
// inflates the data.
//
//   header ─▶ data ─▶ trailer ─▶ padding ─▶ header of the next member …
//               │                   └─ any number of zeros, also none
//               └─ `read` stops here: the caller reports each output and then the end of the data
//
// The file may end only in `padding`.

import { FeedError } from '../../errors'
import type { PackedFile } from '../unpack/packed-file'
import { crc32 } from './crc32'
import { GzipHeader, GzipTrailer, ID1, ID2, METHOD_DEFLATE, RESERVED_FLAGS } from './framing'
import { exceededCap, type GzipCap, type GzipLimits } from './limits'

/** What the framing of a gzip file says, as far as it was read. */
export interface GzipFacts {
  /** Members that have begun. */
  readonly members: number
  /** Members whose CRC32 and size in the trailer agree with their output. */
  readonly verifiedMembers: number
  /** Compressed bytes, with headers, trailers and padding. */
  readonly compressedBytes: number
  /** Bytes of output. */
  readonly outputBytes: number
  /** Zeros between and after members. */
  readonly paddingBytes: number
  /** The file name in the first header, at most 255 characters. */
  readonly name: string | undefined
  /** The time in the first header. */
  readonly modifiedAt: Date | undefined
}

export class GzipMembers implements PackedFile {
  readonly mayReuseEngine = true
  readonly #limits: GzipLimits
  #nested: NestedProbe | undefined
  #phase: 'header' | 'data' | 'trailer' | 'padding' = 'header'
  #header = new GzipHeader(0, true)
  readonly #firstHeader = this.#header
  #trailer = new GzipTrailer(0)
  /** Compressed bytes before the next framing byte; in the phase `data`, those before the data. */
  #byteOffset = 0
  /** Compressed bytes of the current member's data. */
  #dataBytes = 0
  #members = 0
  #memberCrc = 0
  #memberBytes = 0
  #outputBytes = 0
  #verifiedMembers = 0
  #paddingBytes = 0

  constructor(limits: GzipLimits) {
    this.#limits = limits
    this.#nested = limits.allowNested ? undefined : new NestedProbe()
  }

  /** True while the next byte belongs to the engine. */
  get inData(): boolean {
    return this.#phase === 'data'
  }

  /** Compressed bytes read so far. */
  get byteOffset(): number {
    return this.#byteOffset + this.#dataBytes
  }

  get facts(): GzipFacts {
    const { name, modifiedAt } = this.#firstHeader
    return {
      members: this.#members,
      verifiedMembers: this.#verifiedMembers,
      compressedBytes: this.byteOffset,
      outputBytes: this.#outputBytes,
      paddingBytes: this.#paddingBytes,
      name,
      modifiedAt,
    }
  }

  /**
   * Reads framing bytes, and returns how many: all of `bytes`, unless deflate data starts among
   * them.
   *
   * @throws FeedError GZIP_HEADER_INVALID, GZIP_TRAILING_GARBAGE, GZIP_CRC_MISMATCH,
   * GZIP_SIZE_MISMATCH, GZIP_LIMIT
   */
  read(bytes: Uint8Array): number {
    let used = 0
    while (used < bytes.length && !this.inData) {
      const part = this.#readPart(bytes.subarray(used))
      used += part
    }
    return used
  }

  /**
   * Counts and checks one output of the engine, before it is passed on.
   *
   * @param dataBytes the engine's `usedBytes`
   * @param crc the engine's CRC-32 of all outputs of the member, where it computes one
   * @throws FeedError GZIP_NESTED, GZIP_LIMIT
   */
  countOutput(block: Uint8Array, dataBytes: number, crc?: number): void {
    this.#dataBytes = dataBytes
    if (this.#nested?.completes(block)) throw this.#nestedGzip()
    this.#memberCrc = crc ?? crc32(block, this.#memberCrc)
    this.#memberBytes += block.length
    this.#outputBytes += block.length
    this.#checkCaps()
  }

  /**
   * Records how much data the engine has used: all input given to it so far, or, where the data has
   * ended, the bytes before its end.
   */
  dataUsed(dataBytes: number, ended: boolean): void {
    this.#dataBytes = dataBytes
    if (!ended) return
    this.#byteOffset += dataBytes
    this.#dataBytes = 0
    this.#trailer = new GzipTrailer(this.#byteOffset)
    this.#phase = 'trailer'
  }

  /**
   * Ends the file.
   *
   * @throws FeedError GZIP_EMPTY, GZIP_TRUNCATED
   */
  end(): void {
    const { byteOffset } = this
    if (byteOffset === 0)
      throw new FeedError('GZIP_EMPTY', 'the gzip input has no bytes: check its source', {
        byteOffset,
      })
    if (this.#phase === 'padding') return
    const part = this.#phase
    throw new FeedError(
      'GZIP_TRUNCATED',
      `the gzip file ends at byte ${byteOffset}, inside a member's ${part}: fetch the whole file`,
      { byteOffset, part },
    )
  }

  #readPart(bytes: Uint8Array): number {
    if (this.#phase === 'header') return this.#readHeader(bytes)
    return this.#phase === 'trailer' ? this.#readTrailer(bytes) : this.#readPadding(bytes)
  }

  #readHeader(bytes: Uint8Array): number {
    const used = this.#header.read(bytes)
    this.#byteOffset += used
    if (!this.#header.done) return used
    this.#phase = 'data'
    const { maxMembers } = this.#limits
    if (++this.#members > maxMembers) throw this.#limitReached('maxMembers', maxMembers)
    return used
  }

  #readTrailer(bytes: Uint8Array): number {
    const used = this.#trailer.read(bytes)
    this.#byteOffset += used
    if (!this.#trailer.done) return used
    this.#trailer.verify(this.#memberCrc, this.#memberBytes)
    this.#verifiedMembers++
    this.#memberCrc = 0
    this.#memberBytes = 0
    this.#phase = 'padding'
    return used
  }

  #readPadding(bytes: Uint8Array): number {
    const firstNonZero = bytes.findIndex(byte => byte !== 0)
    const used = firstNonZero < 0 ? bytes.length : firstNonZero
    this.#byteOffset += used
    this.#paddingBytes += used
    if (firstNonZero >= 0) {
      this.#header = new GzipHeader(this.#byteOffset, false)
      this.#phase = 'header'
    }
    return used
  }

  #checkCaps(): void {
    const cap = exceededCap(this.#limits, this.#outputBytes, this.byteOffset)
    if (cap !== undefined) throw this.#limitReached(cap, this.#limits[cap])
  }

  #limitReached(option: GzipCap, limit: number): FeedError {
    const { byteOffset } = this
    return new FeedError(
      'GZIP_LIMIT',
      `the gzip file exceeds ${option} ${limit} at byte ${byteOffset}: raise it for a file that you trust`,
      { byteOffset, option, limit },
    )
  }

  #nestedGzip(): FeedError {
    const message = 'the content is compressed twice: fetch the file without Accept-Encoding: gzip'
    return new FeedError('GZIP_NESTED', message, { byteOffset: this.#byteOffset })
  }
}

const SIGNATURE: readonly ((byte: number) => boolean)[] = [
  byte => byte === ID1,
  byte => byte === ID2,
  byte => byte === METHOD_DEFLATE,
  flags => (flags & RESERVED_FLAGS) === 0,
]

/**
 * Detects content that begins with a gzip header. No UTF-8 text begins with the bytes 1f 8b, so a
 * feed that begins with them was compressed twice.
 */
export class NestedProbe {
  #matched = 0
  #decided = false

  /**
   * Returns true for the block that completes a gzip signature at the very start of the content.
   */
  completes(block: Uint8Array): boolean {
    for (let at = 0; at < block.length && !this.#decided; at++) {
      const fits = SIGNATURE[this.#matched]!(block[at]!)
      this.#decided = !fits || ++this.#matched === SIGNATURE.length
      if (fits && this.#decided) return true
    }
    return false
  }
}
