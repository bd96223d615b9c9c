// The header and the trailer of one gzip member (RFC 1952 section 2.3), read from pieces that are
// cut anywhere. The time and the name of the first member are kept for reports. Comments and extra
// fields are skipped, because no reader of feeds needs them.
//
//   fixed (10 bytes) ─▶ extraLength (2) ─▶ extra ─▶ name … 0 ─▶ comment … 0 ─▶ checksum (2) ─▶ done
//
// Each field after `fixed` is there only if its flag is set.

import { FeedError } from '../../errors'
import { foreignBody, isText, START_BYTES, whatIsNoGzip } from '../body-kind'
import { crc32 } from './crc32'

export const ID1 = 0x1f
export const ID2 = 0x8b
export const METHOD_DEFLATE = 8
/** Bits 5 to 7 of FLG. RFC 1952 requires a compliant reader to refuse them. */
export const RESERVED_FLAGS = 0xe0

const FHCRC = 0x02
const FEXTRA = 0x04
const FNAME = 0x08
const FCOMMENT = 0x10
const FIXED_BYTES = 10
/** The longest FNAME or FCOMMENT. RFC 1952 gives them no limit; this is its limit for FEXTRA. */
const MAX_TEXT_BYTES = 65_535
/** The most bytes of the name that are kept: file systems allow no longer names. */
const KEPT_NAME_BYTES = 255
/** The place of MTIME in the fixed part. */
const TIME_START = 4
const TIME_END = 8

type Field = 'fixed' | 'extraLength' | 'extra' | 'name' | 'comment' | 'checksum' | 'done'

export class GzipHeader {
  readonly #startOffset: number
  readonly #isFirst: boolean
  #field: Field = 'fixed'
  #flags = 0
  /** Header bytes read. */
  #bytes = 0
  /** Bytes read of the current field. */
  #fieldBytes = 0
  #extraBytes = 0
  #crc = 0
  #checksum = 0
  #seconds = 0
  #name = ''

  /**
   * @param startOffset where the member starts in the file, in compressed bytes
   * @param isFirst true for the first member of the file: a wrong signature is an invalid header
   * there, and trailing garbage after any other member
   */
  constructor(startOffset: number, isFirst: boolean) {
    this.#startOffset = startOffset
    this.#isFirst = isFirst
  }

  get done(): boolean {
    return this.#field === 'done'
  }

  /** The start of FNAME in Latin-1; undefined where the header has none. */
  get name(): string | undefined {
    return this.#name === '' ? undefined : this.#name
  }

  /** MTIME; undefined where it is 0, which means that there is none. */
  get modifiedAt(): Date | undefined {
    return this.#seconds === 0 ? undefined : new Date((this.#seconds >>> 0) * 1000)
  }

  /**
   * Reads the next bytes, and returns how many of them belong to the header: all of them, unless
   * the header is `done`.
   *
   * @throws FeedError GZIP_HEADER_INVALID, GZIP_TRAILING_GARBAGE
   */
  read(bytes: Uint8Array): number {
    let used = 0
    while (used < bytes.length && !this.#isAfterText()) this.#take(bytes[used++]!)
    if (this.#mayHaveChecksum) this.#crc = crc32(bytes.subarray(0, used), this.#crc)
    while (used < bytes.length && !this.done) this.#takeChecksum(bytes[used++]!)
    return used
  }

  /** The checksum is computed only where it is needed: it is the largest cost of a small header. */
  get #mayHaveChecksum(): boolean {
    return this.#bytes < FIXED_BYTES || (this.#flags & FHCRC) !== 0
  }

  /** True once the bytes are read that FHCRC covers, which are all before FHCRC itself. */
  #isAfterText(): boolean {
    return this.#field === 'checksum' || this.#field === 'done'
  }

  #take(byte: number): void {
    this.#bytes++
    this.#fieldBytes++
    if (this.#field === 'fixed') this.#takeFixed(byte)
    else if (this.#field === 'extraLength') this.#takeExtraLength(byte)
    else if (this.#field === 'extra') this.#takeExtra()
    else this.#takeText(byte)
  }

  #takeFixed(byte: number): void {
    const at = this.#fieldBytes - 1
    if ((at === 0 && byte !== ID1) || (at === 1 && byte !== ID2)) throw this.#wrongSignature(byte)
    if (at === 2 && byte !== METHOD_DEFLATE)
      throw this.#invalid(`compression method ${byte}, expected ${METHOD_DEFLATE}`)
    if (at === 3) {
      if (byte & RESERVED_FLAGS)
        throw this.#invalid(`reserved flags 0x${(byte & RESERVED_FLAGS).toString(16)} are set`)
      this.#flags = byte
    }
    if (at >= TIME_START && at < TIME_END) this.#seconds |= byte << (8 * (at - TIME_START))
    if (this.#fieldBytes === FIXED_BYTES) this.#enter('extraLength')
  }

  #takeExtraLength(byte: number): void {
    this.#extraBytes |= byte << (8 * (this.#fieldBytes - 1))
    if (this.#fieldBytes === 2) this.#enter(this.#extraBytes > 0 ? 'extra' : 'name')
  }

  #takeExtra(): void {
    if (this.#fieldBytes === this.#extraBytes) this.#enter('name')
  }

  #takeText(byte: number): void {
    if (byte === 0) this.#enter(this.#field === 'name' ? 'comment' : 'checksum')
    else if (this.#fieldBytes > MAX_TEXT_BYTES)
      throw this.#invalid(`${this.#field} longer than ${MAX_TEXT_BYTES} bytes`)
    else if (this.#isFirst && this.#field === 'name' && this.#fieldBytes <= KEPT_NAME_BYTES)
      this.#name += String.fromCharCode(byte)
  }

  #takeChecksum(byte: number): void {
    this.#bytes++
    this.#checksum |= byte << (8 * this.#fieldBytes++)
    if (this.#fieldBytes < 2) return
    if (this.#checksum !== (this.#crc & 0xffff)) throw this.#invalid('header checksum differs')
    this.#enter('done')
  }

  /** Goes to `field`, or to the next one after it whose flag is set. */
  #enter(field: Field): void {
    this.#fieldBytes = 0
    if (field === 'extraLength' && !(this.#flags & FEXTRA)) this.#enter('name')
    else if (field === 'name' && !(this.#flags & FNAME)) this.#enter('comment')
    else if (field === 'comment' && !(this.#flags & FCOMMENT)) this.#enter('checksum')
    else if (field === 'checksum' && !(this.#flags & FHCRC)) this.#field = 'done'
    else this.#field = field
  }

  #wrongSignature(byte: number): FeedError {
    const byteOffset = this.#startOffset
    if (this.#isFirst) return this.#invalid(`not gzip: ${signatureByte(byte)}`)
    return new FeedError(
      'GZIP_TRAILING_GARBAGE',
      `the gzip file has other bytes after its last member, at byte ${byteOffset}: remove them`,
      { byteOffset },
    )
  }

  #invalid(reason: string): FeedError {
    return headerInvalid(reason, this.#startOffset + this.#bytes - 1)
  }
}

function headerInvalid(reason: string, byteOffset: number): FeedError {
  const message = `the gzip header is not valid at byte ${byteOffset}: ${reason}`
  return new FeedError('GZIP_HEADER_INVALID', message, { byteOffset, reason })
}

function signatureByte(byte: number): string {
  return `byte 0x${byte.toString(16).padStart(2, '0')} in the signature`
}

/** The bytes `]`, `}` and `>`. */
const ENDS: ReadonlySet<number | undefined> = new Set([0x5d, 0x7d, 0x3e])

/**
 * Returns the error of a file that is no gzip file, which begins with `start`; undefined where more
 * bytes may say what it is.
 */
export function notGzip(
  start: Uint8Array,
  label: string | undefined,
  isWhole: boolean,
): FeedError | undefined {
  const what = whatIsNoGzip(start, label)
  // A signature is sure at once. Text is where a page or JSON ends, but a table may begin as these.
  const isSure = isText(start) ? foreignBody(start) && ENDS.has(start.at(-1)) : what
  if (!isWhole && start.length < START_BYTES && !isSure) return undefined
  const byteOffset = start[0] === ID1 ? 1 : 0
  return headerInvalid(`not gzip: ${what ?? signatureByte(start[byteOffset]!)}`, byteOffset)
}

const TRAILER_BYTES = 8
/** ISIZE is the size modulo 2^32. */
const ISIZE_MODULUS = 2 ** 32

/** Reads CRC32 and ISIZE, and verifies them. */
export class GzipTrailer {
  readonly #startOffset: number
  #crc = 0
  #size = 0
  #bytes = 0

  /** @param startOffset where the trailer starts in the file, in compressed bytes */
  constructor(startOffset: number) {
    this.#startOffset = startOffset
  }

  get done(): boolean {
    return this.#bytes === TRAILER_BYTES
  }

  /**
   * Reads the next bytes, and returns how many of them belong to the trailer: all of them, unless
   * the trailer is `done`.
   */
  read(bytes: Uint8Array): number {
    const used = Math.min(bytes.length, TRAILER_BYTES - this.#bytes)
    for (let at = 0; at < used; at++, this.#bytes++) {
      const byte = bytes[at]! << (8 * (this.#bytes % 4))
      if (this.#bytes < 4) this.#crc |= byte
      else this.#size |= byte
    }
    return used
  }

  /**
   * Compares the complete trailer with the output. `byteOffset` of an error is that of the wrong
   * field.
   *
   * @param crc CRC-32 of the member's output
   * @param outputBytes size of the member's output, not reduced modulo 2^32
   * @throws FeedError GZIP_CRC_MISMATCH, GZIP_SIZE_MISMATCH
   */
  verify(crc: number, outputBytes: number): void {
    const size = outputBytes % ISIZE_MODULUS
    const expectedCrc = this.#crc >>> 0
    const expectedSize = this.#size >>> 0
    if (crc !== expectedCrc)
      throw mismatch('GZIP_CRC_MISMATCH', 'CRC32', this.#startOffset, expectedCrc, crc)
    if (size !== expectedSize)
      throw mismatch('GZIP_SIZE_MISMATCH', 'ISIZE', this.#startOffset + 4, expectedSize, size)
  }
}

function mismatch(
  code: 'GZIP_CRC_MISMATCH' | 'GZIP_SIZE_MISMATCH',
  field: string,
  byteOffset: number,
  expected: number,
  actual: number,
): FeedError {
  const message = `the gzip ${field} at byte ${byteOffset} is ${expected}, but the output has ${actual}: fetch the file again and use nothing of this member`
  return new FeedError(code, message, { byteOffset, expected, actual })
}
