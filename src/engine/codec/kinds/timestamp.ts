// Cells of instants in UTC, `yyyy-MM-ddThh:mm:ss.sssZ`, such as itemEndDate (item-feeds.md, section
// 2.2).

import { is } from '../../options'
import { MINUS, readDigits } from './digits'
import { invalidCell, type KindOfCells } from './kind-of-cells'

/** Bytes of a timestamp, and of its milliseconds with their point. */
const FORM_BYTES = 24
const MS_BYTES = 4
const POINT = 0x2e
const COLON = 0x3a
const LETTER_T = 0x54
const LETTER_Z = 0x5a

const FORM = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{3})?Z$/

export const timestamp: KindOfCells<Date | null> = {
  decoder: {
    empty: null,
    decode: decodeTimestamp,
    read: ({ view }, _, start, end) => readTimestamp(view, start, end),
  },
  arrow: { kind: 'timestamp' },
  kernel: 'TIME',
  written: { JSON: 'TEXT_CELL', COPY: 'TEXT_CELL', CSV: 'MADE' },
  isMutable: true,
  order: { numberOf: value => value.getTime(), textOf: timeText, isInModule: true },
  scalar: 'timestamp',
  fromObject: value => (value instanceof Date ? validTime(value) : undefined),
}

/**
 * Decodes `yyyy-MM-ddThh:mm:ss.sssZ`, with or without milliseconds. It refuses a day that the
 * calendar lacks, and hour 24.
 * @throws FeedError CELL_INVALID, OPTION_INVALID
 */
export function decodeTimestamp(text: string): Date {
  is.anyText('text', text)
  if (!FORM.test(text))
    throw invalidCell('timestamp', 'not of the form yyyy-MM-ddThh:mm:ss.sssZ', text)
  const date = new Date(text)
  // Date reads 30 February as 1 March, and hour 24 as the next day, so the day differs. A NaN
  // differs from any day too.
  if (date.getUTCDate() !== Number(text.slice(8, 10))) {
    throw invalidCell('timestamp', 'no such date or time', text)
  }
  return date
}

/**
 * Reads a timestamp from a cell's bytes. Returns undefined where they are not plainly one, and
 * {@link decodeTimestamp} decides.
 */
function readTimestamp(bytes: DataView, start: number, end: number): Date | undefined {
  if (!hasForm(bytes, start, end)) return undefined
  const year = readDigits(bytes, start, start + 4)
  const month = readDigits(bytes, start + 5, start + 7)
  const day = readDigits(bytes, start + 8, start + 10)
  const hour = readDigits(bytes, start + 11, start + 13)
  const minute = readDigits(bytes, start + 14, start + 16)
  const second = readDigits(bytes, start + 17, start + 19)
  const ms = end - start === FORM_BYTES ? readDigits(bytes, start + 20, start + 23) : 0
  // Date.UTC reads years below 100 as years of the twentieth century.
  if (year < 100 || month < 1 || month > 12 || day < 1 || day > daysIn(year, month))
    return undefined
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59 || ms < 0)
    return undefined
  return new Date(Date.UTC(year, month - 1, day, hour, minute, second, ms))
}

/** Returns whether the bytes have the length and the punctuation of a timestamp. */
function hasForm(bytes: DataView, start: number, end: number): boolean {
  const length = end - start
  if (length !== FORM_BYTES && length !== FORM_BYTES - MS_BYTES) return false
  if (
    bytes.getUint8(start + 4) !== MINUS ||
    bytes.getUint8(start + 7) !== MINUS ||
    bytes.getUint8(start + 10) !== LETTER_T
  )
    return false
  if (
    bytes.getUint8(start + 13) !== COLON ||
    bytes.getUint8(start + 16) !== COLON ||
    bytes.getUint8(end - 1) !== LETTER_Z
  )
    return false
  return length !== FORM_BYTES || bytes.getUint8(start + 19) === POINT
}

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}

export function timeText(time: number): string {
  return new Date(time).toISOString()
}

/** Returns undefined for a Date without a time. */
export function validTime(date: Date): Date | undefined {
  return Number.isNaN(date.getTime()) ? undefined : date
}
