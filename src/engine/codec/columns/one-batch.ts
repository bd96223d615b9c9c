// Rows of any batches as one batch, such as those of a state, each of which has a batch of its own.

import type { Columns } from '../../schema/feed-schema'
import { type Memory, OWN_MEMORY } from '../memory'
import type { Row } from '../row'
import { RowBatch } from '../row-batch'
import type { BoundHeader } from '../tsv/header'
import { CELL_END, newIndex, type RowIndex } from '../tsv/scanner'

const TAB = 0x09
const ABSENT = -1

/**
 * Copies rows, all of one dialect, into one batch.
 * @param rows null is a row of empty cells
 * @param header has the columns of the batch, which rows find by name
 * @param memory of the batch
 */
export function oneBatch<C extends Columns>(
  rows: readonly (Row<Columns> | null)[],
  header: BoundHeader<C>,
  memory: Memory = OWN_MEMORY,
): RowBatch<C> {
  const columns = header.columns.length
  const bytes = memory.take(sizeOf(rows, columns))
  const index = newIndex(columns, rows.length, memory)
  const { rowStarts, cellEnds, rowFlags } = index
  const runs = new Map<BoundHeader | undefined, readonly Run[]>()
  let at = 0
  let cell = 0
  for (let n = 0; n < rows.length; ) {
    const row = rows[n]!
    if (row?.batch.header === header) {
      const { batch, slot } = row
      const all = batch.index
      const first = n++
      while (n < rows.length && isAt(rows[n]!, all, slot + n - first)) n++
      const next = slot + n - first
      const start = all.rowStarts[slot]!
      const end = all.cellEnds[next * columns - 1]! & CELL_END
      bytes.set(batch.bytes.subarray(start, end), at)
      const moved = at - start
      for (let k = slot * columns; k < next * columns; k++)
        cellEnds[cell++] = all.cellEnds[k]! + moved
      for (let k = slot, to = first; k < next; k++, to++) {
        rowStarts[to] = all.rowStarts[k]! + moved
        rowFlags[to] = all.rowFlags[k]!
      }
      at = end + moved
      bytes[at++] = TAB
      continue
    }
    rowStarts[n] = at
    const from = row?.batch.header
    const known = runs.get(from) ?? runsOf(from, header)
    runs.set(from, known)
    rowFlags[n++] = row === null ? 0 : row.batch.index.rowFlags[row.slot]!
    for (const run of known) {
      if (row === null || run.from === ABSENT) {
        bytes.fill(TAB, at, at + run.count)
        for (let k = 0; k < run.count; k++) cellEnds[cell++] = at++
        continue
      }
      const all = row.batch.index
      const first = row.slot * all.columns + run.from
      const start =
        run.from === 0 ? all.rowStarts[row.slot]! : (all.cellEnds[first - 1]! & CELL_END) + 1
      const end = all.cellEnds[first + run.count - 1]! & CELL_END
      bytes.set(row.batch.bytes.subarray(start, end), at)
      for (let k = 0; k < run.count; k++) cellEnds[cell++] = all.cellEnds[first + k]! + at - start
      at += end - start
      bytes[at++] = TAB
    }
  }
  const { file, progress } = rows.find(row => row !== null)?.batch ?? NO_FILE
  return new RowBatch({
    header,
    file,
    progress,
    bytes,
    index,
    rowCount: rows.length,
    firstRow: 0,
    firstLine: 0,
    innerLines: 0,
    baseOffset: 0,
  })
}

/** The most bytes that rows take. */
function sizeOf(rows: readonly (Row<Columns> | null)[], columns: number): number {
  // A line may end in two bytes.
  let size = rows.length * (columns + 2)
  for (const row of rows) {
    if (row === null) continue
    const { columns: width, rowStarts, cellEnds } = row.batch.index
    if (width > 0) size += (cellEnds[(row.slot + 1) * width - 1]! & CELL_END) - rowStarts[row.slot]!
  }
  return size
}

/** Tells whether a row stands in a place of an index. */
function isAt(row: Row<Columns> | null, index: RowIndex, slot: number): boolean {
  return row !== null && row.slot === slot && row.batch.index === index
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
