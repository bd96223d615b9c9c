// Rows of a shape for the benchmarks of databases, which are plain modules: built to
// .tmp/bench/sinks, with the SQL by which DuckDB decodes them.

import { createWriteStream } from 'node:fs'
import { rename } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { benchFailed } from '../../src/bench/bench-failed'
import { SHAPE_NAMES, type ShapeRow, shapes } from '../shapes/shape'
import { tsvBlocks } from '../shapes/tsv-blocks'

export { decodedColumns } from '../macro/duckdb-cells'

const SEED = 1
/** A world needs so many items for a row of its file, as only about nine in ten have one. */
const ITEMS_A_ROW = 1.3

/**
 * Writes a file of so many rows, not compressed. It appears once it is whole.
 * @returns its columns
 */
export async function writeShapedRows(
  shapeName: string,
  rows: number,
  path: string,
): Promise<readonly string[]> {
  const name = SHAPE_NAMES.find(known => known === shapeName)
  if (name === undefined)
    throw benchFailed('FEEDMILL_BENCH_SHAPE', `is not of ${SHAPE_NAMES.join(', ')}`)
  const { columns, rows: rowsOf } = await shapes[name]()
  const first = firstOf(rowsOf(SEED, Math.ceil(rows * ITEMS_A_ROW)), rows)
  const blocks = tsvBlocks(columns, first, new Set(['title']))
  await pipeline(Readable.from(blocks), createWriteStream(`${path}.unfinished`))
  await rename(`${path}.unfinished`, path)
  return columns
}

function* firstOf(rows: Iterable<ShapeRow>, count: number): Generator<ShapeRow, void, void> {
  let left = count
  for (const row of rows) {
    if (left-- === 0) return
    yield row
  }
}
