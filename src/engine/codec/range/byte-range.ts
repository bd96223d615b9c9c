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
