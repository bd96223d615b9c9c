// Whole cells that a feed repeats from row to row, lists and regions: each is decoded once and its
// value shared, frozen, by all rows. What the tables hold and cost is byte-table.ts.

import { ByteTable, type ByteTableOptions, hashBytes } from './byte-table'
import type { CellSource } from './cell-source'

/**
 * Reads a cell of `source` that is not empty: what {@link ByteTable} has for its bytes, else what
 * `decode` makes of its text.
 */
export type SharedReader<V> = (
  source: CellSource,
  slot: number,
  start: number,
  end: number,
) => V | undefined

/**
 * A reader with a table of its own, made when it is first used. `decode` gives a frozen value, or
 * throws what the reader then throws.
 */
export function sharedReader<V>(
  options: ByteTableOptions,
  decode: (text: string) => V & {},
): SharedReader<V> {
  let table: ByteTable<V> | undefined
  return (source, _slot, start, end) => {
    table ??= new ByteTable(options)
    const hash = hashBytes(source.view, start, end)
    const known = table.find(hash, source.view, start, end)
    if (known !== undefined) return known
    const text = source.ownText(start, end)
    // Quotes around nothing: the cell is empty.
    if (text === '') return undefined
    const value = decode(text)
    table.keep(hash, source.view, start, end, value)
    return value
  }
}
