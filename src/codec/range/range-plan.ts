// Plans a ranged download: which range to ask next, what is in flight, what is done. Counts offsets
// only; the bytes are the caller's. Never plans a range that ends past the lowest offset not handed
// out yet plus `windowBytes`, which bounds what can be held or in flight, and lets a reassembler
// with the same window take the pieces in any order.
//
//   0 ──handed out──▶ lowestOffset ──held or in flight, at most windowBytes──▶ #nextStart ──not planned──▶ totalBytes

import { wholeNumber } from '../../options'
import type { ByteRange } from './byte-range'

/**
 * Most bytes of the first range, and of further ones until there are as many before them: a full
 * range is handed out only when all of it has arrived, and it shares the line with others. By the
 * benchmark `http`.
 */
const FIRST_RANGE_BYTES = 1024 * 1024

/** Sizes in bytes. A planned range is never larger than the smallest of the three. */
export interface RangePlanOptions {
  readonly chunkBytes: number
  /** The service's maximum for one range (item-feeds.md, section 6). */
  readonly maxRangeBytes: number
  readonly windowBytes: number
  /** Where to begin; everything before it is already handed out. Default 0. */
  readonly startOffset?: number
}

/** One planned range, from asked to handed out. `start ≤ handedOffset ≤ receivedOffset ≤ end`. */
export class PlannedRange {
  readonly start: number
  #end: number
  #receivedOffset: number
  #handedOffset: number

  constructor(range: ByteRange) {
    this.start = range.start
    this.#end = range.end
    this.#receivedOffset = range.start
    this.#handedOffset = range.start
  }

  get end(): number {
    return this.#end
  }

  get handedOffset(): number {
    return this.#handedOffset
  }

  /** What to ask for: from the exact byte after the newest one received. */
  get missing(): ByteRange {
    return { start: this.#receivedOffset, end: this.#end }
  }

  get complete(): boolean {
    return this.#receivedOffset === this.#end
  }

  receive(byteCount: number): void {
    this.#receivedOffset += byteCount
  }

  /** Forgets what was received: the range is asked for again from its start. */
  drop(): void {
    this.#receivedOffset = this.start
  }

  handOut(byteCount: number): void {
    this.#handedOffset += byteCount
  }

  /** The file ends at `offset`: nothing past it is asked for. */
  cutAt(offset: number): void {
    this.#end = Math.max(this.#receivedOffset, Math.min(this.#end, offset))
  }
}

export class RangePlan {
  readonly #rangeBytes: number
  readonly #windowBytes: number
  readonly #startOffset: number
  #nextStart: number
  #totalBytes: number | undefined
  /** In the order of their offsets; the first of them is not wholly handed out. */
  readonly #open: PlannedRange[] = []

  /** Throws OPTION_INVALID. */
  constructor(options: RangePlanOptions) {
    this.#windowBytes = wholeNumber('windowBytes', options.windowBytes)
    const [chunkBytes, maxRangeBytes] = [
      wholeNumber('chunkBytes', options.chunkBytes),
      wholeNumber('maxRangeBytes', options.maxRangeBytes),
    ]
    this.#rangeBytes = Math.min(chunkBytes, maxRangeBytes, this.#windowBytes)
    this.#startOffset = wholeNumber('startOffset', options.startOffset ?? 0, 0)
    this.#nextStart = this.#startOffset
  }

  get totalBytes(): number | undefined {
    return this.#totalBytes
  }

  /** Everything before this offset was handed out. */
  get lowestOffset(): number {
    this.#close()
    return this.#open[0]?.handedOffset ?? this.#nextStart
  }

  /** True when the total is known and all of it was handed out. */
  get done(): boolean {
    return this.#totalBytes !== undefined && this.lowestOffset >= this.#totalBytes
  }

  /** The size of the file is known from now on; ranges already planned are cut to it. */
  learnTotal(totalBytes: number): void {
    if (this.#totalBytes !== undefined) return
    this.#totalBytes = totalBytes
    this.#nextStart = Math.min(this.#nextStart, totalBytes)
    for (const range of this.#open) range.cutAt(totalBytes)
  }

  /** The next range that may be asked now; undefined when there is none, or the window is full. */
  next(): PlannedRange | undefined {
    const lowest = this.lowestOffset
    // Without a total nobody knows whether another range exists: ask one at a time.
    if (this.#totalBytes === undefined && this.#open.some(range => !range.complete))
      return undefined
    const mostBytes = Math.min(
      this.#rangeBytes,
      Math.max(FIRST_RANGE_BYTES, this.#nextStart - this.#startOffset),
    )
    const end = Math.min(this.#nextStart + mostBytes, this.#totalBytes ?? Number.MAX_SAFE_INTEGER)
    if (end <= this.#nextStart || end > lowest + this.#windowBytes) return undefined
    const range = new PlannedRange({ start: this.#nextStart, end })
    this.#nextStart = end
    this.#open.push(range)
    return range
  }

  #close(): void {
    while (this.#open[0] && this.#open[0].handedOffset === this.#open[0].end) this.#open.shift()
  }
}
