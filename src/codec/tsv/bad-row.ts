// What happens to a row that cannot be read: one policy for every kind of badness.

import { type ErrorCode, excerpt, FeedError, type RowPosition } from '../../errors'

/** A row that was left out. */
export interface BadRow {
  readonly code: ErrorCode
  /** The error that `onBadRow: 'throw'` would have thrown. */
  readonly error: FeedError
  readonly position: RowPosition
  /** A copy of the row's first line (all of it that `maxRowBytes` allows), line end included. */
  readonly bytes: Uint8Array
}

/** `throw` ends the stream with the row's error, `skip` counts it, a function is called with it (and it is counted). */
export type BadRowPolicy = 'throw' | 'skip' | ((bad: BadRow) => void)

export type BadRowReason =
  | { readonly code: 'TSV_ROW_SHORT' | 'TSV_ROW_LONG'; readonly cells: number; readonly columns: number }
  | { readonly code: 'TSV_ROW_BLANK' | 'TSV_QUOTE_UNCLOSED' | 'TSV_QUOTE_TRAILING_TEXT' | 'TSV_UTF8_INVALID' }
  | { readonly code: 'TSV_ROW_TOO_LARGE'; readonly limitBytes: number }

/** The typed error of a bad row. */
export function badRowError(reason: BadRowReason, position: RowPosition): FeedError {
  const where = `row ${position.row}, line ${position.line}, byte ${position.byteOffset}`
  switch (reason.code) {
    case 'TSV_ROW_SHORT':
    case 'TSV_ROW_LONG': {
      const { cells, columns } = reason
      const count = reason.code === 'TSV_ROW_LONG' ? `more than ${columns}` : `${cells}`
      return new FeedError(reason.code, `${where}: ${count} cells in a file of ${columns} columns`, { ...position, cells, columns })
    }
    case 'TSV_ROW_TOO_LARGE':
      return new FeedError(reason.code, `${where}: longer than ${reason.limitBytes} bytes`, { ...position, limitBytes: reason.limitBytes })
    default:
      return new FeedError(reason.code, `${where}: ${MESSAGES[reason.code]}`, position)
  }
}

const MESSAGES = {
  TSV_ROW_BLANK: 'a blank line',
  TSV_QUOTE_UNCLOSED: 'a quoted cell that never ends',
  TSV_QUOTE_TRAILING_TEXT: 'text after a closing quote',
  TSV_UTF8_INVALID: 'bytes that are not UTF-8',
} as const

/** At most 80 characters of a row's text. */
export function rowExcerpt(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 320)).toString('utf8')
  return excerpt(text.replace(/[\r\n]+$/, ''))
}
