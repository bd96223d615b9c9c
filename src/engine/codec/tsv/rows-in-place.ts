// Rows of lines that a parser has taken before, such as those of a state: batches over the lines
// where they lie.

import type { Columns } from '../../schema/feed-schema'
import type { Memory } from '../memory'
import type { FileProgress } from '../row-batch'
import { RowBatch } from '../row-batch'
import { type CellRules, DOCUMENTED_CELLS } from './cell-rules'
import type { BoundHeader } from './header'
import { readRow } from './read-row'
import { NO_PLACE } from './row-places'
import { appendRow, newIndex, type ScanSpace } from './scan-space'
import { TsvScanner } from './tsv-scanner'

const COMPLETE: FileProgress = { complete: true }

/**
 * Returns the rows of whole lines up to the first one that is not plainly good, in batches that keep
 * the lines. Nothing looks for bytes that are not UTF-8.
 * @param memory of where the cells end
 */
export function rowsInPlace<C extends Columns>(
  header: BoundHeader<C>,
  lines: Uint8Array,
  memory: Memory,
): RowBatch<C>[] {
  const cells = header.cells ?? DOCUMENTED_CELLS
  const scanner = new TsvScanner(cells)
  try {
    const space = scanner.newSpace(header.columns.length)
    const batches: RowBatch<C>[] = []
    for (let at = 0; at < lines.length; ) {
      space.rows = 0
      space.innerLines = 0
      at = scanner.scanCopy(lines, at, space)
      // A row that the scanner has no room for.
      if (space.rows === 0) at = readOne(lines, at, space, cells)
      if (space.rows === 0) break
      batches.push(batchOf(header, lines, space, memory))
    }
    return batches
  } finally {
    scanner.release()
  }
}

function readOne(lines: Uint8Array, at: number, space: ScanSpace, cells: CellRules): number {
  const options = { final: false, linesInQuotes: true, maxCells: space.columns, cells }
  const row = readRow(lines, at, lines.length, options)
  const isGood = row.kind === 'row' && row.cellEnds.length === space.columns
  return isGood ? appendRow(space, lines, at, row, cells) : at
}

function batchOf<C extends Columns>(
  header: BoundHeader<C>,
  bytes: Uint8Array,
  { columns, rows, rowStarts, cellEnds, rowFlags }: ScanSpace,
  memory: Memory,
): RowBatch<C> {
  const index = newIndex(columns, rows, memory)
  index.cellEnds.set(cellEnds.subarray(0, rows * columns))
  index.rowStarts.set(rowStarts.subarray(0, rows))
  index.rowFlags.set(rowFlags.subarray(0, rows))
  return new RowBatch({
    header,
    file: { feed: header.schema.name },
    progress: COMPLETE,
    bytes,
    index,
    rowCount: rows,
    placeOf: NO_PLACE,
  })
}
