// The key under which a join or merge keeps a row: a cell that is not empty and not too long.

import type { AnyRow } from '../engine/index'
import { excerpt, FeedError, familyOf, TextPrefix } from '../engine/index'

/**
 * Limit of a key in UTF-8 bytes. Stores keep whole keys in memory, in their tables and caches too.
 * The identifiers of the service have a few dozen characters.
 */
export const KEY_LIMIT_BYTES = 4096

const NO_PREFIX = new TextPrefix('')

/**
 * Returns the key of a row, behind the prefix of the keys in a store.
 * @throws FeedError KEY_MISSING, KEY_TOO_LONG
 */
export function keyOfRow(row: AnyRow, column: string, prefix = NO_PREFIX): string {
  const key = row.prefixedText(column, prefix)
  const { length } = prefix.text
  if (key.length === length)
    throw new FeedError(
      'KEY_MISSING',
      `the row has no ${column}, which is its key: drop such rows before this stage`,
      {
        ...row.position,
        column,
      },
    )
  return shortKey(row, column, key, length)
}

/** Returns the key of a row whose cell may be empty. @throws FeedError KEY_TOO_LONG */
export function optionalKeyOfRow(row: AnyRow, column: string): string {
  return shortKey(row, column, row.ownText(column), 0)
}

/** @param prefixLength characters of `key` that do not count */
function shortKey(row: AnyRow, column: string, key: string, prefixLength: number): string {
  // No character has more than three bytes for each UTF-16 unit.
  if (key.length * 3 <= KEY_LIMIT_BYTES) return key
  const cell = key.slice(prefixLength)
  const bytes = Buffer.byteLength(cell)
  if (bytes <= KEY_LIMIT_BYTES) return key
  const message = `${column} has ${bytes} bytes; a key has at most ${KEY_LIMIT_BYTES}: drop such rows before this stage`
  throw new FeedError('KEY_TOO_LONG', message, {
    ...row.position,
    column,
    bytes,
    limitBytes: KEY_LIMIT_BYTES,
    excerpt: excerpt(cell),
  })
}

/** Tells whether an error is the fault of one row, which a merge may leave out. */
export function isRowError(error: unknown): error is FeedError {
  return FeedError.is(error) && familyOf(error.code) === 'row'
}
