// Bad rows: the policy that the caller sets, the report of a bad row, and its error.

import { type ErrorCode, excerpt, FeedError, type RowPosition } from '../../errors'
import type { NoPromise } from '../../options'
import type { RowQuarantine } from '../quarantine/row-quarantine'

/** The report of a row that was left out. */
export interface BadRow {
  readonly code: ErrorCode
  /** The error that `onBadRow: 'throw'` would throw. It is made when it is first read. */
  readonly error: FeedError
  readonly position: RowPosition
  /**
   * A copy of the row with its line end, cut at `maxRowBytes`. A row with a quote that never closes
   * ends with the line of that quote.
   */
  readonly bytes: Uint8Array
}

/**
 * `throw` ends the stream with the row's error. `skip` leaves the row out and counts it. A function
 * is called with the row, which is then left out and counted; it is synchronous. A quarantine takes
 * all bytes of the row, which is then left out and counted.
 */
export type BadRowPolicy = 'throw' | 'skip' | ((bad: BadRow) => NoPromise) | RowQuarantine

export type BadRowReason =
  | {
      readonly code: 'TSV_ROW_SHORT' | 'TSV_ROW_LONG'
      readonly cells: number
      readonly columns: number
    }
  | {
      readonly code: 'TSV_ROW_BLANK' | 'TSV_QUOTE_UNCLOSED' | 'TSV_QUOTE_TRAILING_TEXT'
    }
  | { readonly code: 'TSV_UTF8_INVALID'; readonly encoding?: string | undefined }
  | { readonly code: 'TSV_ROW_TOO_LARGE'; readonly limitBytes: number }
  | { readonly code: 'TSV_JSON_INVALID'; readonly reason: string; readonly column?: string }

/** The report for a caller's function. */
export function badRow(reason: BadRowReason, place: RowPosition, line: Uint8Array): BadRow {
  return new ReportedRow(reason, place, line)
}

// Position and error are made on demand, because every line of a hostile file can be a bad row.
class ReportedRow implements BadRow {
  readonly code: BadRowReason['code']
  readonly bytes: Uint8Array
  readonly #reason: BadRowReason
  readonly #place: RowPosition
  #position: RowPosition | undefined
  #error: FeedError | undefined

  constructor(reason: BadRowReason, place: RowPosition, line: Uint8Array) {
    this.code = reason.code
    // `slice` of a Buffer is no copy.
    this.bytes = Uint8Array.from(line)
    this.#reason = reason
    this.#place = place
  }

  get position(): RowPosition {
    return (this.#position ??= { ...this.#place, excerpt: rowExcerpt(this.bytes) })
  }

  get error(): FeedError {
    return (this.#error ??= badRowError(this.#reason, this.#place, this.bytes))
  }
}

/** The typed error of a bad row. @param line the row, which may be cut */
export function badRowError(reason: BadRowReason, place: RowPosition, line: Uint8Array): FeedError {
  const position = { ...place, excerpt: rowExcerpt(line) }
  const message = badRowMessage(reason, place, line)
  switch (reason.code) {
    case 'TSV_ROW_SHORT':
    case 'TSV_ROW_LONG': {
      const { cells, columns } = reason
      return new FeedError(reason.code, message, { ...position, cells, columns })
    }
    case 'TSV_ROW_TOO_LARGE': {
      const { limitBytes } = reason
      return new FeedError(reason.code, message, { ...position, limitBytes })
    }
    case 'TSV_JSON_INVALID': {
      const { code, ...fault } = reason
      return new FeedError(code, message, { ...position, ...fault })
    }
    default:
      return new FeedError(reason.code, message, position)
  }
}

/** The message of {@link badRowError}, without the cost of an error. */
export function badRowMessage(reason: BadRowReason, place: RowPosition, line: Uint8Array): string {
  const where = placeText(place)
  switch (reason.code) {
    case 'TSV_ROW_SHORT':
      return `${where}: ${reason.cells} cells in a file of ${reason.columns} columns`
    case 'TSV_ROW_LONG':
      return `${where}: more than ${reason.columns} cells in a file of ${reason.columns} columns`
    case 'TSV_ROW_TOO_LARGE':
      return `${where}: longer than ${reason.limitBytes} bytes`
    case 'TSV_UTF8_INVALID':
      return `${where}: ${foreignEncoding(line, reason.encoding)}`
    case 'TSV_JSON_INVALID':
      return `${where}: ${reason.reason}`
    default:
      return `${where}: ${MESSAGES[reason.code]}`
  }
}

/** The error of the first bad row after the `limit` that may be left out. */
export function badRowsLimit(
  limit: number,
  place: RowPosition,
  line: Uint8Array,
): FeedError<'TSV_BAD_ROWS_LIMIT'> {
  const message = `${placeText(place)}: a bad row after the ${limit} that maxBadRows allows: raise maxBadRows, or check that this is the right file`
  return new FeedError('TSV_BAD_ROWS_LIMIT', message, {
    ...place,
    excerpt: rowExcerpt(line),
    limit,
  })
}

/** Where a row stands, as messages say it. */
export function placeText({ row, line, byteOffset, file }: RowPosition): string {
  const place = `row ${row}, line ${line}, byte ${byteOffset}`
  return file === undefined ? place : `${file}, ${place}`
}

/** The way out where a cell that begins with a quote is not quoted. */
export const QUOTES_AS_TEXT =
  "if quotes are text in this file, give the dialect of the parser quoting: 'none'"

const MESSAGES = {
  TSV_ROW_BLANK: 'a blank line',
  TSV_QUOTE_UNCLOSED: `a quoted cell that never ends: ${QUOTES_AS_TEXT}`,
  TSV_QUOTE_TRAILING_TEXT: `text after a closing quote: ${QUOTES_AS_TEXT}`,
} as const

/** At most 80 characters of a row's text. */
export function rowExcerpt(bytes: Uint8Array): string {
  const text = Buffer.from(
    bytes.buffer,
    bytes.byteOffset,
    Math.min(bytes.byteLength, 320),
  ).toString('utf8')
  return excerpt(text.replace(/(?<![\r\n])[\r\n]+$/, ''))
}

/**
 * Says what bytes that are not UTF-8 may be. Bytes of a Latin alphabet of one byte for each letter
 * hardly ever make up a character of UTF-8.
 * @param encoding of the file, whose malformed sequences the bytes stand for; undefined for UTF-8
 */
export function foreignEncoding(bytes: Uint8Array, encoding?: string): string {
  if (encoding !== undefined) return `bytes that are not ${encoding}, or U+FFFD`
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
  const hasCharacters = /[^\p{ASCII}\ufffd]/u.test(text)
  return hasCharacters
    ? 'bytes that are not UTF-8'
    : `bytes that are not UTF-8; they look like Latin-1 or Windows-1252: ${toUtf8('windows-1252')}`
}

/** What has the parser read text of another encoding. */
export function toUtf8(encoding: string): string {
  return `give the parser dialect: { encoding: '${encoding}' }`
}
