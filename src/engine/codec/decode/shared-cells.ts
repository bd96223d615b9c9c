// Reads cells that a feed repeats from row to row, lists and regions. Each is decoded once, and all
// rows share its frozen value. byte-table.ts is the cache.

import { ByteTable, type ByteTableOptions, hashBytes } from './byte-table'
import type { CellSource } from './cell-source'

const QUOTE = 0x22
const BACKSLASH = 0x5c

/**
 * Reads a cell of `source` that is not empty: the value that {@link ByteTable} has for its bytes,
 * or else the value that `decode` makes of its text.
 */
export type SharedReader<V> = (
  source: CellSource,
  slot: number,
  start: number,
  end: number,
) => V | undefined

/**
 * Makes a reader with a table of its own, which is allocated on first use. `decode` returns a
 * frozen value, and the reader throws what it throws.
 */
export function sharedReader<V>(
  options: ByteTableOptions,
  decode: (text: string) => V & {},
): SharedReader<V> {
  let table: ByteTable<V> | undefined
  const decoded = (source: CellSource, start: number, end: number) => {
    const text = source.ownText(start, end)
    // Two quotes without text are an empty cell.
    return text === '' ? undefined : decode(text)
  }
  return (source, _slot, start, end) => {
    // The same bytes in quotes are another text in another dialect, so they have no place in the
    // table.
    if (source.bytes[start] === QUOTE && source.escapedBy !== BACKSLASH)
      return decoded(source, start, end)
    table ??= new ByteTable(options)
    const hash = hashBytes(source.view, start, end)
    const known = table.find(hash, source.view, start, end)
    if (known !== undefined) return known
    const value = decoded(source, start, end)
    if (value !== undefined) table.keep(hash, source.view, start, end, value)
    return value
  }
}
