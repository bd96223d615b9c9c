// Rows of lines that a parser has taken before, such as those of a state: batches over the lines
// where they lie.

import type { Columns } from '../../schema/feed-schema'
import type { Memory } from '../memory'
import type { FileProgress } from '../row-batch'
import { RowBatch } from '../row-batch'
import { DOCUMENTED_CELLS } from './dialect'
import type { BoundHeader } from './header'
import { newIndex, type ScanSpace } from './scanner'
import { tsvScanner } from './tsv-scanner'

/** Bytes of a batch, unless one row is longer: the engine makes the marked cells of no more fit. */
const BATCH_BYTES = 1 << 18
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
  const scanner = tsvScanner(undefined, header.cells ?? DOCUMENTED_CELLS)
  try {
    const space = scanner.newSpace(header.columns.length)
    const batches: RowBatch<C>[] = []
    let size = BATCH_BYTES
    for (let at = 0; at < lines.length; ) {
      const to = Math.min(lines.length, at + size)
      space.rows = 0
      space.innerLines = 0
      at = scanner.scan(lines, at, to, lines.length, space)
      if (space.rows === 0 && to === lines.length) break
      size = space.rows === 0 ? 2 * size : BATCH_BYTES
      if (space.rows > 0) batches.push(batchOf(header, lines, space, memory))
    }
    return batches
  } finally {
    scanner.release()
  }
}

function batchOf<C extends Columns>(
  header: BoundHeader<C>,
  bytes: Uint8Array,
  { columns, rows, rowStarts, cellEnds, rowFlags, innerLines }: ScanSpace,
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
    firstRow: 0,
    firstLine: 0,
    innerLines,
    baseOffset: 0,
  })
}
