// Rows of any batches as one batch, such as those of a state, each of which has a batch of its own.

import type { Columns } from '../../schema/feed-schema'
import type { Row } from '../row'
import { RowBatch } from '../row-batch'
import type { BoundHeader } from '../tsv/header'
import { CELL_END } from '../tsv/scanner'

const TAB = 0x09
const ABSENT = -1

/**
 * Copies rows, all of one dialect, into one batch.
 * @param rows null is a row of empty cells
 * @param header has the columns of the batch, which rows find by name
 */
export function oneBatch<C extends Columns>(
  rows: readonly (Row<Columns> | null)[],
  header: BoundHeader<C>,
): RowBatch<C> {
  const columns = header.columns.length
  const runs = new Map<BoundHeader | undefined, readonly Run[]>()
  const size = rows.reduce((sum, row) => sum + (row?.batch.bytesOf(row.slot).length ?? 0), 0)
  const bytes = new Uint8Array(size + rows.length * (columns + 1)).fill(TAB)
  const rowStarts = new Uint32Array(rows.length)
  const cellEnds = new Int32Array(rows.length * columns)
  const rowFlags = new Uint8Array(rows.length)
  let at = 0
  let cell = 0
  rows.forEach((row, n) => {
    rowStarts[n] = at
    const from = row?.batch.header
    const known = runs.get(from) ?? runsOf(from, header)
    runs.set(from, known)
    if (row !== null) rowFlags[n] = row.batch.index.rowFlags[row.slot]!
    for (const run of known) {
      if (row === null || run.from === ABSENT) {
        for (let k = 0; k < run.count; k++) cellEnds[cell++] = at++
        continue
      }
      const { index } = row.batch
      const first = row.slot * index.columns + run.from
      const rowBytes = row.batch.bytesOf(row.slot)
      const rowStart = index.rowStarts[row.slot]!
      const start = run.from === 0 ? rowStart : (index.cellEnds[first - 1]! & CELL_END) + 1
      const end = index.cellEnds[first + run.count - 1]! & CELL_END
      bytes.set(rowBytes.subarray(start - rowStart, end - rowStart), at)
      for (let k = 0; k < run.count; k++) cellEnds[cell++] = index.cellEnds[first + k]! + at - start
      at += end - start + 1
    }
  })
  const { file, progress } = rows.find(row => row !== null)?.batch ?? NO_FILE
  return new RowBatch({
    header,
    file,
    progress,
    bytes,
    index: { columns, rowStarts, cellEnds, rowFlags },
    rowCount: rows.length,
    firstRow: 0,
    firstLine: 0,
    innerLines: 0,
    baseOffset: 0,
  })
}

const NO_FILE = { file: { feed: 'none' }, progress: { complete: true } }

/** Columns that stand side by side in both headers, or that the header of the rows lacks. */
interface Run {
  /** The first of them in the header of the rows, or ABSENT. */
  readonly from: number
  readonly count: number
}

function runsOf(from: BoundHeader | undefined, to: BoundHeader): readonly Run[] {
  const runs: { from: number; count: number }[] = []
  for (const { name } of to.columns) {
    const at = from?.indexes.get(name) ?? ABSENT
    const last = runs.at(-1)
    const next = last === undefined || last.from === ABSENT ? ABSENT : last.from + last.count
    if (last !== undefined && at === next) last.count++
    else runs.push({ from: at, count: 1 })
  }
  return runs
}
