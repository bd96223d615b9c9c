// A stretch of bytes inside a file, and how a request asks for it.
// Inside feedmill the end is exclusive; only the header has HTTP's inclusive form.

/** Bytes from `start` up to, not including, `end`. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/** The value of a `Range` header, `bytes=<first>-<last>` (feed-file-catalog.md, section 2.7). */
export function rangeHeader(range: ByteRange): string {
  return `bytes=${range.start}-${range.end - 1}`
}
