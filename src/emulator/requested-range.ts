// The Range header of a download and the Content-range of its answer (document 2, "Headers shared by all four" and "Responses";
// the other forms from service-notes.md, "Ranges"). Arithmetic only.

/** `documented`: `0-9/100`. `rfc9110`: `bytes 0-9/100`. `echo`: as documented, with the asked end in place of the sent one. */
export type HeaderForm = 'documented' | 'rfc9110' | 'echo'

/** Both ends are inclusive byte positions. */
export interface ByteSpan {
  readonly start: number
  readonly end: number
}

/** Why a Range header cannot be read, as the code that says so. */
export type RangeRefusal = 13016 | 13018 | 13019

/** Reads `bytes=<start>-<end>`, the one form that the documents know. */
export function readRange(header: string): ByteSpan | RangeRefusal {
  const parts = /^bytes=([^-,]*)-([^-,]*)$/.exec(header)
  if (parts === null) return 13016
  const start = readPosition(parts[1]!)
  const end = readPosition(parts[2]!)
  if (start === undefined) return 13018
  return end === undefined ? 13019 : { start, end }
}

function readPosition(text: string): number | undefined {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
  return Number.isSafeInteger(value) ? value : undefined
}

/** True when the positions fit neither each other, the file nor the maximum. The maximum is compared with `end - start`, so one byte more can pass. */
export function isUnsatisfiable(range: ByteSpan, totalBytes: number, maxRangeBytes: number): boolean {
  return range.start > range.end || range.start >= totalBytes || range.end - range.start > maxRangeBytes
}

/** What is sent of the file for a satisfiable range. */
export function clampRange(range: ByteSpan, totalBytes: number): ByteSpan {
  return { start: range.start, end: Math.min(range.end, totalBytes - 1) }
}

export function contentRange(form: HeaderForm, asked: ByteSpan, totalBytes: number): string {
  const { start, end } = form === 'echo' ? asked : clampRange(asked, totalBytes)
  return `${form === 'rfc9110' ? 'bytes ' : ''}${start}-${end}/${totalBytes}`
}

export function unsatisfiedRange(form: HeaderForm, totalBytes: number): string {
  return `${form === 'rfc9110' ? 'bytes ' : ''}*/${totalBytes}`
}
