// The key under which a join or merge keeps a row: a cell that is not empty and not too long. Keys
// have the order of their bytes.

import { type Columns, excerpt, FeedError, familyOf, type Row } from '../engine/index'

/**
 * Limit of a key in UTF-8 bytes. Joins and merges keep whole keys in memory.
 * The identifiers of the service have a few dozen characters.
 */
export const KEY_LIMIT_BYTES = 4096

/** Returns the key of a row. @throws FeedError KEY_MISSING, KEY_TOO_LONG */
export function keyOfRow(row: Row<Columns>, column: string): string {
  const key = optionalKeyOfRow(row, column)
  if (key !== '') return key
  const message = `the row has no ${column}, which is its key: drop such rows before this stage`
  throw new FeedError('KEY_MISSING', message, { ...row.position, column })
}

/** Returns the key of a row whose cell may be empty. @throws FeedError KEY_TOO_LONG */
export function optionalKeyOfRow(row: Row<Columns>, column: string): string {
  const key = row.ownText(column)
  // No character has more than three bytes for each UTF-16 unit.
  if (key.length * 3 <= KEY_LIMIT_BYTES) return key
  const bytes = Buffer.byteLength(key)
  if (bytes <= KEY_LIMIT_BYTES) return key
  const message = `${column} has ${bytes} bytes; a key has at most ${KEY_LIMIT_BYTES}: drop such rows before this stage`
  throw new FeedError('KEY_TOO_LONG', message, {
    ...row.position,
    column,
    bytes,
    limitBytes: KEY_LIMIT_BYTES,
    excerpt: excerpt(key),
  })
}

/** Tells whether an error is the fault of one row, which a merge may leave out. */
export function isRowError(error: unknown): error is FeedError {
  return FeedError.is(error) && familyOf(error.code) === 'row'
}
