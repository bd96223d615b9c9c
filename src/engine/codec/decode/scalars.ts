// Decodes booleans, days, timestamps and JSON. Booleans (item-feeds.md, section 2.2) have two
// spellings (service-notes.md, section 6.2).

import { excerpt } from '../../errors'
import { is } from '../../options'
import { invalidCell } from './cell-decoder'
import { readDigits } from './numbers'

/** The first four bytes of each usual spelling, and the fifth byte. */
const TRUE_LOWER = 0x74727565
const TRUE_UPPER = 0x54525545
const FALS_LOWER = 0x66616c73
const FALS_UPPER = 0x46414c53
const E_LOWER = 0x65
const E_UPPER = 0x45

/**
 * Decodes `true` or `false`, case-insensitive.
 * @throws FeedError CELL_INVALID, OPTION_INVALID
 */
export function decodeBoolean(text: string): boolean {
  is.anyText('text', text)
  if (text === 'true' || text === 'TRUE') return true
  if (text === 'false' || text === 'FALSE') return false
  if (/^true$/i.test(text)) return true
  if (/^false$/i.test(text)) return false
  throw invalidCell('boolean', 'neither true nor false', text)
}

/**
 * Reads a boolean from a cell's bytes. Returns undefined for other than the usual spellings, which
 * {@link decodeBoolean} decodes.
 */
export function readBoolean(bytes: DataView, start: number, end: number): boolean | undefined {
  const length = end - start
  if (length < 4 || length > 5) return undefined
  const word = bytes.getUint32(start)
  if (length === 4) return word === TRUE_LOWER || word === TRUE_UPPER ? true : undefined
  const last = bytes.getUint8(start + 4)
  return (word === FALS_LOWER && last === E_LOWER) || (word === FALS_UPPER && last === E_UPPER)
    ? false
    : undefined
}

// Decodes days of the calendar, which have no time and no time zone, so that they stay text.

/**
 * Checks that a text is a day of the Gregorian calendar, `yyyy-MM-dd`, and returns the text. Days
 * sort as texts do.
 * @throws FeedError CELL_INVALID, OPTION_INVALID
 */
export function decodeDate(text: string): string {
  is.anyText('text', text)
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text))
    throw invalidCell('date', 'not of the form yyyy-MM-dd', text)
  // Date reads 30 February as 1 March, so the day differs. A NaN differs from any day too.
  if (new Date(`${text}T00:00:00Z`).getUTCDate() !== Number(text.slice(8)))
    throw invalidCell('date', 'no such day', text)
  return text
}

// Decodes timestamps in UTC, `yyyy-MM-ddThh:mm:ss.sssZ`, such as itemEndDate (item-feeds.md,
// section 2.2).

/** Bytes of a timestamp, and of its milliseconds with their point. */
const FORM_BYTES = 24
const MS_BYTES = 4
const MINUS = 0x2d
const POINT = 0x2e
const COLON = 0x3a
const LETTER_T = 0x54
const LETTER_Z = 0x5a

const FORM = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{3})?Z$/

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
export function readTimestamp(bytes: DataView, start: number, end: number): Date | undefined {
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

/**
 * Decodes one JSON value, whose shape is the caller's to check.
 * @throws FeedError CELL_INVALID with the SyntaxError as its cause, OPTION_INVALID
 */
export function decodeJson(text: string): unknown {
  is.anyText('text', text)
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw invalidCell('json', excerpt(String((cause as Error).message)), text, cause)
  }
}
