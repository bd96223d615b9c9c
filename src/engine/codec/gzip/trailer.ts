// The trailer of one gzip member (RFC 1952 section 2.3.1): reads CRC32 and ISIZE from pieces that
// are cut anywhere, and verifies them.

import { FeedError } from '../../errors'

const TRAILER_BYTES = 8
/** ISIZE is the size modulo 2^32. */
const ISIZE_MODULUS = 2 ** 32

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
