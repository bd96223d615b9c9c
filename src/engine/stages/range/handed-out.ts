// What a download has handed out, as far as it takes to compare it with a later body of the file: its
// length and its checksum. Nobody can take back what was handed out, so a body that begins with other
// bytes is of another file.

import { crc32 } from '../../codec/gzip/crc32'
import { fileReplaced } from '../../codec/range/response-verdict'
import type { FeedError } from '../../errors'

/**
 * Bytes behind which a download is no more compared where validators prove it, because the checksum
 * of a large file would cost a few percent of its time. A server whose machines state different
 * validators shows it in the first ranges.
 */
const COMPARABLE_BYTES = 16 * 1024 * 1024

export class HandedOut {
  readonly #url: string
  readonly #start: number
  /** The offset in the file of the next byte. */
  end: number
  #sum = 0
  #isComparable = true

  /** @param start the first byte that is handed out */
  constructor(url: string, start: number) {
    this.#url = url
    this.#start = start
    this.end = start
  }

  get isEmpty(): boolean {
    return this.end === this.#start
  }

  /** True where a body can be compared with all that the reader has. */
  get isComparable(): boolean {
    return this.#isComparable && this.#start === 0
  }

  /** @param isProven true where validators prove that later bytes are of the same file */
  add(bytes: Uint8Array, isProven: boolean): void {
    this.end += bytes.length
    if (isProven && this.end > COMPARABLE_BYTES) this.#isComparable = false
    if (this.#isComparable) this.#sum = crc32(bytes, this.#sum)
  }

  /**
   * Returns a function that takes the parts of a body from byte 0, and returns what follows byte
   * `upTo` of them. It throws RANGE_FILE_REPLACED where the body begins with other bytes.
   */
  skipping(upTo = this.end): (part: Uint8Array) => Uint8Array {
    const { end } = this
    const sum = this.#isComparable ? this.#sum : undefined
    let [at, seen] = [0, 0]
    return part => {
      const compared = part.subarray(Math.max(0, this.#start - at), Math.max(0, end - at))
      const isDue = at < end && at + part.length >= end
      if (sum !== undefined && at < end) seen = crc32(compared, seen)
      if (sum !== undefined && isDue && seen !== sum) throw this.#differs(sum, seen)
      const rest = part.subarray(Math.min(part.length, Math.max(0, upTo - at)))
      at += part.length
      return rest
    }
  }

  /** Throws RANGE_FILE_REPLACED where a file of that size has fewer bytes than the reader has. */
  checkSize(totalBytes: number | undefined): void {
    if (totalBytes === undefined || totalBytes >= this.end) return
    throw this.#replaced('total', `at least ${this.end}`, String(totalBytes))
  }

  #differs(sum: number, seen: number): FeedError {
    const [before, after] = [sum, seen].map(each => each.toString(16).padStart(8, '0'))
    return this.#replaced('bytes', before!, after!)
  }

  #replaced(what: 'bytes' | 'total', before: string, after: string): FeedError {
    return fileReplaced({ url: this.#url, byteOffset: this.end, what, before, after })
  }
}
