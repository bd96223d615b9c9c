// The joins of a gzip file whose server proves nothing: each answer begins before the end of the one
// before it, and the overlap has to be equal. Equal neighbours do not prove the rest, so the bytes are
// inflated here too: the trailer of the member decides about all bytes of it. Behind the end of a
// member nothing is joined, because its trailer is then past.

import { gzipLimits } from '../../codec/gzip/limits'
import { isPromise } from '../../core/steps'
import { FeedError } from '../../errors'
import { inflateEngine } from '../gunzip-engine'
import { GzipInflation } from '../inflation'

const OVERLAP_BYTES = 64 * 1024

export class GzipJoins {
  readonly #overlapBytes: number
  readonly #inflation = new GzipInflation({
    limits: gzipLimits({ allowNested: true }),
    newEngine: inflateEngine().newEngine,
    largeBytes: 1,
  })
  /** The last bytes that were received. */
  #tail: Uint8Array = new Uint8Array()
  /** True where the inflated bytes no longer tell anything. */
  #isLost = false
  #hasJoined = false

  /** @param maxRangeBytes the limit of a range, of which an overlap takes at most half */
  constructor(maxRangeBytes: number) {
    this.#overlapBytes = Math.min(OVERLAP_BYTES, Math.floor(maxRangeBytes / 2))
  }

  /** False where the bytes were joined, and no trailer has proved them. */
  get isProven(): boolean {
    return !this.#hasJoined || (!this.#isLost && this.#hasMember)
  }

  /** Returns the bytes with which the next answer has to begin; undefined where none can be joined. */
  overlap(): Uint8Array | undefined {
    if (this.#isLost || this.#hasMember) return undefined
    this.#hasJoined = true
    return this.#tail
  }

  /** Takes the next bytes of the file. */
  take(bytes: Uint8Array): void {
    const both = Buffer.concat([this.#tail, bytes.subarray(-this.#overlapBytes)])
    this.#tail = both.subarray(Math.max(0, both.length - this.#overlapBytes))
    if (this.#isLost || this.#hasMember) return
    try {
      const outputs = this.#inflation.inflate(bytes)
      for (let step = outputs?.next(); step !== undefined; step = outputs!.next()) {
        // Without WebAssembly the outputs would have to be waited for.
        if (isPromise(step)) this.#isLost = true
        if (isPromise(step) || step.done) return
      }
    } catch (error) {
      if (!FeedError.is(error)) throw error
      this.#isLost = true
    }
  }

  destroy(): void {
    this.#inflation.destroy()
  }

  get #hasMember(): boolean {
    return this.#inflation.facts.verifiedMembers > 0
  }
}
