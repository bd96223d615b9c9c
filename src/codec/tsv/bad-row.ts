// Bad rows: the policy that the caller sets, the report of a bad row, and its error.

import { type ErrorCode, excerpt, FeedError, type RowPosition } from '../../errors'
import { foreignEncoding } from './foreign-file'

/** The report of a row that was left out. */
export interface BadRow {
  readonly code: ErrorCode
  /** The error that `onBadRow: 'throw'` would throw. It is made when it is first read. */
  readonly error: FeedError
  readonly position: RowPosition
  /** A copy of the row's first line with its line end, cut at `maxRowBytes`. */
  readonly bytes: Uint8Array
}

/**
 * `throw` ends the stream with the row's error. `skip` leaves the row out and counts it. A function
 * is called with the row, which is then left out and counted.
 */
export type BadRowPolicy = 'throw' | 'skip' | ((bad: BadRow) => void)

export type BadRowReason =
  | {
      readonly code: 'TSV_ROW_SHORT' | 'TSV_ROW_LONG'
      readonly cells: number
      readonly columns: number
    }
  | {
      readonly code:
        | 'TSV_ROW_BLANK'
        | 'TSV_QUOTE_UNCLOSED'
        | 'TSV_QUOTE_TRAILING_TEXT'
        | 'TSV_UTF8_INVALID'
    }
  | { readonly code: 'TSV_ROW_TOO_LARGE'; readonly limitBytes: number }

/** The report for a caller's function. */
export function badRow(reason: BadRowReason, place: RowPosition, line: Uint8Array): BadRow {
  return new ReportedRow(reason, place, line)
}

// Position and error are made on demand: an error with its stack costs a hundred times as much as a
// small row, and every line of a hostile file can be a bad row.
class ReportedRow implements BadRow {
  readonly code: BadRowReason['code']
  readonly bytes: Uint8Array
  readonly #reason: BadRowReason
  readonly #place: RowPosition
  #position: RowPosition | undefined
  #error: FeedError | undefined

  constructor(reason: BadRowReason, place: RowPosition, line: Uint8Array) {
    this.code = reason.code
    this.bytes = line.slice()
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

/** The typed error of a bad row. @param line the row's first line, which may be cut */
export function badRowError(reason: BadRowReason, place: RowPosition, line: Uint8Array): FeedError {
  const position = { ...place, excerpt: rowExcerpt(line) }
  const where = placeText(position)
  switch (reason.code) {
    case 'TSV_ROW_SHORT':
    case 'TSV_ROW_LONG': {
      const { cells, columns } = reason
      const count = reason.code === 'TSV_ROW_LONG' ? `more than ${columns}` : `${cells}`
      return new FeedError(
        reason.code,
        `${where}: ${count} cells in a file of ${columns} columns`,
        { ...position, cells, columns },
      )
    }
    case 'TSV_ROW_TOO_LARGE':
      return new FeedError(reason.code, `${where}: longer than ${reason.limitBytes} bytes`, {
        ...position,
        limitBytes: reason.limitBytes,
      })
    case 'TSV_UTF8_INVALID':
      return new FeedError(reason.code, `${where}: ${foreignEncoding(line)}`, position)
    default:
      return new FeedError(reason.code, `${where}: ${MESSAGES[reason.code]}`, position)
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

function placeText({ row, line, byteOffset }: RowPosition): string {
  return `row ${row}, line ${line}, byte ${byteOffset}`
}

const MESSAGES = {
  TSV_ROW_BLANK: 'a blank line',
  TSV_QUOTE_UNCLOSED: 'a quoted cell that never ends',
  TSV_QUOTE_TRAILING_TEXT: 'text after a closing quote',
} as const

/** At most 80 characters of a row's text. */
export function rowExcerpt(bytes: Uint8Array): string {
  const text = Buffer.from(
    bytes.buffer,
    bytes.byteOffset,
    Math.min(bytes.byteLength, 320),
  ).toString('utf8')
  return excerpt(text.replace(/[\r\n]+$/, ''))
}
