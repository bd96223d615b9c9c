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

/**
 * Compares keys by their UTF-8 bytes, which is the order of sorted files. The operator `<`
 * compares UTF-16 units, which puts characters past U+FFFF before those from U+E000 to U+FFFF.
 */
export function compareKeys(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let at = 0; at < length; at++) {
    const difference = a.charCodeAt(at) - b.charCodeAt(at)
    if (difference !== 0) return utf8Rank(a.charCodeAt(at)) - utf8Rank(b.charCodeAt(at))
  }
  return a.length - b.length
}

/** Ranks surrogates, which encode the characters past U+FFFF, behind all other units. */
function utf8Rank(unit: number): number {
  if (unit < 0xd800) return unit
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800
}
