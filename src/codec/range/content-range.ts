// Reads a `Content-range` header. Owns the syntax only: whether the numbers answer the request is
// the verdict's business.
//
// Both forms in use are read: `0-9/100` (item-feeds.md, section 3.7) and RFC 9110's
// `bytes 0-9/100`. An end past the file's end is passed on as it stands: servers echo the requested
// end unclamped (service-notes.md, section 5).

/**
 * What a Content-range header says. Offsets count from 0; `lastOffset` is inclusive, as in the
 * header.
 */
export type ContentRange =
  | {
      readonly kind: 'range'
      readonly firstOffset: number
      readonly lastOffset: number
      readonly totalBytes: number | undefined
    }
  /** `*\/100`: none of the asked bytes exist. */
  | { readonly kind: 'unsatisfied'; readonly totalBytes: number | undefined }
  | { readonly kind: 'unreadable'; readonly problem: 'missing' | 'repeated' | 'invalid' }

const RANGE = /^(?:bytes[ \t]+)?(\d+)-(\d+)\/(\d+|\*)$/i
const UNSATISFIED = /^(?:bytes[ \t]+)?\*\/(\d+|\*)$/i

/** Reads the header's value; repeated headers arrive joined by a comma. Never throws. */
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

/** Past 2^53 two different offsets read as one number. */
function checked(read: Extract<ContentRange, { totalBytes: number | undefined }>): ContentRange {
  return read.totalBytes === undefined || Number.isSafeInteger(read.totalBytes)
    ? read
    : unreadable('invalid')
}
