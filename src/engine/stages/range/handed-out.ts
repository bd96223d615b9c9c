// What a download has handed out, as far as it takes to compare it with a later body of the file: its
// length and its SHA-256. Nobody can take back what was handed out, so a body that begins with other
// bytes is of another file. A CRC-32 would not do: it is the same for any stored data of a gzip member
// together with its trailer.

import type { Hash } from 'node:crypto'
import { fileReplaced } from '../../codec/range/response-verdict'
import type { FeedError } from '../../errors'

/**
 * Bytes behind which a download is no more compared where validators prove it, because hashing a
 * large file would cost some percent of its time. A server whose machines state different validators
 * shows it in the first ranges.
 */
const COMPARED_BYTES = 8 * 1024 * 1024

export class HandedOut {
  readonly #url: string
  readonly #start: number
  /** The offset in the file of the next byte. */
  end: number
  /** Resolves when bytes can be added. Programs that download nothing do not load the module. */
  readonly ready: Promise<void>
  #newHash!: () => Hash
  #hash: Hash | undefined

  /** @param start the first byte that is handed out */
  constructor(url: string, start: number) {
    this.#url = url
    this.#start = start
    this.end = start
    this.ready = import('node:crypto').then(({ createHash }) => {
      this.#newHash = () => createHash('sha256')
      this.#hash = this.#newHash()
    })
    this.ready.catch(() => {})
  }

  get isEmpty(): boolean {
    return this.end === this.#start
  }

  /** True where a body can be compared with all that the reader has. */
  get isComparable(): boolean {
    return this.#hash !== undefined && this.#start === 0
  }

  /** The SHA-256 of the file so far; undefined where its start was not handed out here. */
  get sha256(): string | undefined {
    return this.isComparable ? this.#hash?.copy().digest('hex') : undefined
  }

  /** @param isProven true where validators prove that later bytes are of the same file */
  add(bytes: Uint8Array, isProven: boolean): void {
    this.end += bytes.length
    if (isProven && this.end > COMPARED_BYTES) this.#hash = undefined
    this.#hash?.update(bytes)
  }

  /**
   * Returns a function that takes the parts of a body from byte 0, and returns what follows byte
   * `upTo` of them. It throws RANGE_FILE_REPLACED where the body begins with other bytes.
   */
  skipping(upTo = this.end): (part: Uint8Array) => Uint8Array {
    const { end } = this
    const before = this.isEmpty ? undefined : this.#hash?.copy()
    const seen = before && this.#newHash()
    let at = 0
    return part => {
      if (at < end) seen?.update(part.subarray(Math.max(0, this.#start - at), end - at))
      const isDue = at < end && at + part.length >= end
      if (isDue && before && seen) this.#compare(before.digest('hex'), seen.digest('hex'))
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

  /** Throws RANGE_FILE_REPLACED where the caller knows another hash of the file. */
  checkHash(expected: string | undefined): void {
    const { sha256 } = this
    if (expected === undefined || sha256 === undefined || sha256 === expected) return
    throw this.#replaced('sha256', expected, sha256)
  }

  #compare(before: string, after: string): void {
    if (before !== after) throw this.#replaced('bytes', before, after)
  }

  #replaced(what: 'bytes' | 'sha256' | 'total', before: string, after: string): FeedError {
    return fileReplaced({ url: this.#url, byteOffset: this.end, what, before, after })
  }
}
