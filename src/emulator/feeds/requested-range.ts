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
  const refused = (code: Extract<RangeAnswer, { kind: 'refused' }>['code']): RangeAnswer => {
    return { kind: 'refused', code, contentRange: unsatisfiedRange(rules.headerForm, totalBytes) }
  }
  if (rules.headerForm === 'rfc9110') return answerRfcRange(header, totalBytes, refused)
  const whole = { start: 0, end: totalBytes - 1 }
  if (header === null && totalBytes > rules.maxWholeBytes) return refused(13015)
  const asked = header === null ? whole : readRange(header)
  if (typeof asked === 'number') return refused(asked)
  if (header !== null && isUnsatisfiable(asked, totalBytes, rules.maxRangeBytes))
    return refused(13017)
  const sent = clampRange(asked, totalBytes)
  const isWhole = sent.start === 0 && sent.end === whole.end
  const status = isWhole || rules.headerForm === 'echo' ? 200 : 206
  return {
    kind: 'content',
    status,
    sent,
    contentRange: contentRange(rules.headerForm, asked, totalBytes),
  }
}

/** RFC 9110, 14.2: a server may ignore an invalid Range and one with several ranges. */
function answerRfcRange(
  header: string | null,
  totalBytes: number,
  refused: (code: 13017) => RangeAnswer,
): RangeAnswer {
  const asked = header === null ? undefined : readRfcRange(header, totalBytes)
  if (asked === undefined) return wholeAnswer(totalBytes)
  if (asked.start >= totalBytes) return refused(13017)
  return {
    kind: 'content',
    status: 206,
    sent: clampRange(asked, totalBytes),
    contentRange: contentRange('rfc9110', asked, totalBytes),
  }
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

/** Returns the part of the file that answers a satisfiable range. */
function clampRange(range: ByteSpan, totalBytes: number): ByteSpan {
  return { start: range.start, end: Math.min(range.end, totalBytes - 1) }
}

function contentRange(form: HeaderForm, asked: ByteSpan, totalBytes: number): string {
  const { start, end } = form === 'echo' ? asked : clampRange(asked, totalBytes)
  return `${form === 'rfc9110' ? 'bytes ' : ''}${start}-${end}/${totalBytes}`
}

function unsatisfiedRange(form: HeaderForm, totalBytes: number): string {
  return `${form === 'rfc9110' ? 'bytes ' : ''}*/${totalBytes}`
}
