// The Range header of a download and how it is answered (item-feeds.md, sections 3.2 and 3.7; the
// other forms from service-notes.md, section 5, and RFC 9110, section 14). Arithmetic only.

/**
 * `documented`: `0-9/100`, 200 for all of the file and 206 for a part; a maximum for one range.
 * `echo`: the same, but always 200, with the asked end in place of the sent one. `rfc9110`: `bytes
 * 0-9/100`, as any web server: a Range is never required, may leave out its start or its end, has
 * no maximum, and is ignored where it cannot be read.
 */
export type HeaderForm = (typeof HEADER_FORMS)[number]

export const HEADER_FORMS = ['documented', 'rfc9110', 'echo'] as const

/** A range of bytes. Both ends are inclusive positions. */
export interface ByteSpan {
  readonly start: number
  readonly end: number
}

/** The error code of an invalid Range header. */
export type RangeRefusal = 13016 | 13018 | 13019

export interface RangeRules {
  readonly headerForm: HeaderForm
  /** The largest `end - start`. */
  readonly maxRangeBytes: number
  /** The size in bytes above which a request needs a Range. */
  readonly maxWholeBytes: number
}

/** What to send for a Range header and a file of known size. */
export type RangeAnswer =
  | {
      readonly kind: 'content'
      readonly status: 200 | 206
      readonly sent: ByteSpan
      readonly contentRange: string | undefined
    }
  /** `contentRange` is for an answer with status 416. */
  | {
      readonly kind: 'refused'
      readonly code: 13015 | 13017 | RangeRefusal
      readonly contentRange: string
    }

export function answerRange(
  header: string | null,
  totalBytes: number,
  rules: RangeRules,
): RangeAnswer {
  const isRfc = rules.headerForm === 'rfc9110'
  const rangeOf = (positions: string) => `${isRfc ? 'bytes ' : ''}${positions}/${totalBytes}`
  const asked = isRfc ? rfcRange(header, totalBytes) : askedRange(header, totalBytes, rules)
  if (asked === undefined) return wholeAnswer(totalBytes)
  if (typeof asked === 'number') return { kind: 'refused', code: asked, contentRange: rangeOf('*') }
  const sent = { start: asked.start, end: Math.min(asked.end, totalBytes - 1) }
  const isPart = isRfc || sent.start > 0 || sent.end < totalBytes - 1
  const isEcho = rules.headerForm === 'echo'
  const { start, end } = isEcho ? asked : sent
  const status = isPart && !isEcho ? 206 : 200
  return { kind: 'content', status, sent, contentRange: rangeOf(`${start}-${end}`) }
}

/** Returns the positions that a request asks for, or the error code. */
function askedRange(header: string | null, totalBytes: number, rules: RangeRules) {
  const whole = { start: 0, end: totalBytes - 1 }
  if (header === null) return totalBytes > rules.maxWholeBytes ? 13015 : whole
  const asked = readRange(header)
  if (typeof asked === 'number') return asked
  return isUnsatisfiable(asked, totalBytes, rules.maxRangeBytes) ? 13017 : asked
}

/**
 * Returns undefined for a Range that is ignored. RFC 9110, 14.2: a server may ignore an invalid
 * Range and one with several ranges.
 */
function rfcRange(header: string | null, totalBytes: number) {
  const asked = readRfcRange(header ?? '', totalBytes)
  return asked !== undefined && asked.start >= totalBytes ? 13017 : asked
}

/** The answer of a server that ignores the header. */
export function wholeAnswer(totalBytes: number): RangeAnswer {
  const sent = { start: 0, end: totalBytes - 1 }
  return { kind: 'content', status: 200, sent, contentRange: undefined }
}

/** Reads `bytes=<start>-<end>`, the one documented form (item-feeds.md, section 3.2). */
export function readRange(header: string): ByteSpan | RangeRefusal {
  const parts = /^bytes=([^-,]*)-([^-,]*)$/.exec(header)
  if (parts === null) return 13016
  const start = readPosition(parts[1]!)
  const end = readPosition(parts[2]!)
  if (start === undefined) return 13018
  return end === undefined ? 13019 : { start, end }
}

/**
 * Reads one range of RFC 9110 and fills in its open ends. Returns undefined for anything else. A
 * suffix of zero bytes starts past the end.
 */
function readRfcRange(header: string, totalBytes: number): ByteSpan | undefined {
  const parts = /^bytes=\s*(\d*)-(\d*)\s*$/i.exec(header)
  if (parts === null || parts[1]! + parts[2]! === '') return undefined
  const start = parts[1] === '' ? Math.max(0, totalBytes - Number(parts[2])) : Number(parts[1])
  const end = parts[1] === '' || parts[2] === '' ? Number.MAX_SAFE_INTEGER : Number(parts[2])
  return start <= end ? { start, end } : undefined
}

function readPosition(text: string): number | undefined {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
  return Number.isSafeInteger(value) ? value : undefined
}

/**
 * Returns true when the positions contradict each other, the file or the maximum. The maximum is
 * compared with `end - start`, so a range may be one byte longer.
 */
function isUnsatisfiable(range: ByteSpan, totalBytes: number, maxRangeBytes: number): boolean {
  return (
    range.start > range.end || range.start >= totalBytes || range.end - range.start > maxRangeBytes
  )
}
