// Reads a `Content-range` header: its syntax only. Whether the range answers the request is decided
// in response-verdict.ts.
//
// Two forms are in use: `0-9/100` (item-feeds.md, section 3.7) and `bytes 0-9/100` (RFC 9110). An
// end after the end of the file is returned unchanged, because servers repeat the requested end
// (service-notes.md, section 5).

/** The content of the header. Offsets count from 0; `lastOffset` is inclusive. */
export type ContentRange =
  | {
      readonly kind: 'range'
      readonly firstOffset: number
      readonly lastOffset: number
      readonly totalBytes: number | undefined
    }
  /** `*\/100`: the file has none of the requested bytes. */
  | { readonly kind: 'unsatisfied'; readonly totalBytes: number | undefined }
  | { readonly kind: 'unreadable'; readonly problem: 'missing' | 'repeated' | 'invalid' }

const RANGE = /^(?:bytes[ \t]+)?(\d+)-(\d+)\/(\d+|\*)$/i
const UNSATISFIED = /^(?:bytes[ \t]+)?\*\/(\d+|\*)$/i

/** Reads the value of the header. Repeated headers arrive joined by a comma. Never throws. */
export function readContentRange(header: string | undefined): ContentRange {
  const text = header?.trim()
  if (!text) return unreadable('missing')
  if (text.includes(',')) return unreadable('repeated')
  const unsatisfied = UNSATISFIED.exec(text)
  if (unsatisfied) return checked({ kind: 'unsatisfied', totalBytes: total(unsatisfied[1]) })
  const range = RANGE.exec(text)
  if (!range) return unreadable('invalid')
  const [firstOffset, lastOffset] = [Number(range[1]), Number(range[2])]
  if (firstOffset > lastOffset || !Number.isSafeInteger(lastOffset)) return unreadable('invalid')
  return checked({ kind: 'range', firstOffset, lastOffset, totalBytes: total(range[3]) })
}

function unreadable(problem: 'missing' | 'repeated' | 'invalid'): ContentRange {
  return { kind: 'unreadable', problem }
}

function total(text: string | undefined): number | undefined {
  return text === '*' ? undefined : Number(text)
}

/** Refuses a total above 2^53, where two different offsets would be read as the same number. */
function checked(read: Extract<ContentRange, { totalBytes: number | undefined }>): ContentRange {
  return read.totalBytes === undefined || Number.isSafeInteger(read.totalBytes)
    ? read
    : unreadable('invalid')
}
