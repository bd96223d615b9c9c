// Plans a ranged download: which range is requested next, which are in flight, and which are
// done. It counts offsets and holds no bytes. No planned range ends more than `windowBytes` after
// the lowest offset that is not handed out. This bounds the bytes held or in flight, and a reorder
// buffer with the same window accepts the pieces in any order.
//
//   0 ──handed out──▶ lowestOffset ──held or in flight──▶ #nextStart ──not planned──▶ totalBytes
//                          └─────── at most windowBytes ───────┘

/**
 * The size limit of the first range. Later ranges may have as many bytes as are planned before
 * them. Small first ranges give the reader its first bytes early, because a range is handed out
 * only when all of it has arrived. The benchmark `http` chose the value.
 */
const FIRST_RANGE_BYTES = 1024 * 1024

/**
 * The limit of the window at the start. It grows with the bytes that are handed out. A fast server
 * would otherwise fill the whole window at once, and what receiving leaves behind would be
 * collected only after that.
 */
const FIRST_WINDOW_BYTES = 8 * FIRST_RANGE_BYTES

/** Sizes in bytes. A planned range is never larger than the smallest of the three. */
export interface RangePlanOptions {
  readonly chunkBytes: number
  /** The service's maximum for one range (item-feeds.md, section 6). */
  readonly maxRangeBytes: number
  readonly windowBytes: number
  /** The first byte to request. Default 0. */
  readonly startOffset?: number
}

/** One planned range. Always `start ≤ handedOffset ≤ receivedOffset ≤ end`. */
export class PlannedRange {
  readonly start: number
  end: number
  #receivedOffset: number
  handedOffset: number

  constructor(range: ByteRange) {
    this.start = range.start
    this.end = range.end
    this.#receivedOffset = range.start
    this.handedOffset = range.start
  }

  /** The bytes that have not arrived. */
  get missing(): ByteRange {
    return { start: this.#receivedOffset, end: this.end }
  }

  get complete(): boolean {
    return this.#receivedOffset === this.end
  }

  receive(byteCount: number): void {
    this.#receivedOffset += byteCount
  }

  /** Drops the bytes received: the range is requested again from its start. */
  drop(): void {
    this.#receivedOffset = this.start
  }

  handOut(byteCount: number): void {
    this.handedOffset += byteCount
  }

  /** Shortens the range to a file that ends at `offset`. */
  cutAt(offset: number): void {
    this.end = Math.max(this.#receivedOffset, Math.min(this.end, offset))
  }
}

export class RangePlan {
  /** The limit of the size of a range. */
  readonly rangeBytes: number
  readonly #windowBytes: number
  readonly #startOffset: number
  #nextStart: number
  totalBytes: number | undefined
  /** Ranges in the order of their offsets. The first is not completely handed out. */
  readonly #open: PlannedRange[] = []

  /** Throws OPTION_INVALID. */
  constructor({ chunkBytes, maxRangeBytes, windowBytes, startOffset = 0 }: RangePlanOptions) {
    this.#windowBytes = windowBytes
    this.rangeBytes = Math.min(chunkBytes, maxRangeBytes, windowBytes)
    this.#startOffset = startOffset
    this.#nextStart = startOffset
  }

  /** The lowest offset that is not handed out. */
  get lowestOffset(): number {
    this.#close()
    return this.#open[0]?.handedOffset ?? this.#nextStart
  }

  /** True where the total is known and every byte was handed out. */
  get done(): boolean {
    return this.totalBytes !== undefined && this.lowestOffset >= this.totalBytes
  }

  /** Sets the size of the file, and shortens the planned ranges to it. */
  learnTotal(totalBytes: number): void {
    if (this.totalBytes !== undefined) return
    this.totalBytes = totalBytes
    this.#nextStart = Math.min(this.#nextStart, totalBytes)
    for (const range of this.#open) range.cutAt(totalBytes)
  }

  /**
   * Returns the next range to request; undefined where the file has no other, where the window is
   * full, or where the total is not known yet and a range is in flight.
   */
  next(): PlannedRange | undefined {
    const lowest = this.lowestOffset
    // Without a total another range may not exist, so one is requested at a time.
    if (this.totalBytes === undefined && this.#open.some(range => !range.complete)) return undefined
    const mostBytes = Math.min(
      this.rangeBytes,
      Math.max(FIRST_RANGE_BYTES, this.#nextStart - this.#startOffset),
    )
    const end = Math.min(this.#nextStart + mostBytes, this.totalBytes ?? Number.MAX_SAFE_INTEGER)
    const windowBytes = Math.min(this.#windowBytes, FIRST_WINDOW_BYTES + lowest - this.#startOffset)
    if (end <= this.#nextStart || end > lowest + windowBytes) return undefined
    const range = new PlannedRange({ start: this.#nextStart, end })
    this.#nextStart = end
    this.#open.push(range)
    return range
  }

  #close(): void {
    while (this.#open[0] && this.#open[0].handedOffset === this.#open[0].end) this.#open.shift()
  }
}

// A range of bytes in a file, and its form in a request. The end of a range is exclusive everywhere
// in feedmill; only the header has the inclusive end of HTTP.

/** The bytes from `start` up to, but not including, `end`. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/**
 * Returns the value of a `Range` header, `bytes=<first>-<last>` (feed-file-catalog.md, section
 * 2.7).
 */
export function rangeHeader(range: ByteRange): string {
  return `bytes=${range.start}-${range.end - 1}`
}
