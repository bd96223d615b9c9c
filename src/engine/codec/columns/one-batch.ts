// Rows of any batches as one batch, such as those of a state, each of which has a batch of its own.

import type { Columns } from '../../schema/feed-schema'
import { type Memory, OWN_MEMORY } from '../memory'
import { type Row, RowBatch } from '../row-batch'
import type { BoundHeader } from '../tsv/header'
import { NO_PLACE } from '../tsv/row-places'
import { CELL_END, newIndex, type RowIndex } from '../tsv/scan-space'

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
  const to: Target = {
    bytes: memory.take(sizeOf(rows, columns)),
    index: newIndex(columns, rows.length, memory),
    at: 0,
  }
  for (let n = 0; n < rows.length; ) {
    const row = rows[n]!
    if (row === null) {
      copyCells(NO_ROW, 0, runsOf(undefined, header), to, n++)
      continue
    }
    const { batch, slot } = row
    const first = n++
    const runs = runsOf(batch.header, header)
    if (isWhole(runs, batch.header)) {
      while (n < rows.length && rows[n]?.batch === batch && rows[n]!.slot === slot + n - first) n++
      copyRows(batch, slot, to, first, n)
    } else copyCells(batch, slot, runs, to, first)
  }
  const { file, progress } = rows.find(row => row !== null)?.batch ?? NO_FILE
  return new RowBatch({
    header,
    file,
    progress,
    bytes: to.bytes,
    index: to.index,
    rowCount: rows.length,
    placeOf: NO_PLACE,
  })
}

/** The batch that is being made. */
interface Target {
  readonly bytes: Uint8Array
  readonly index: RowIndex
  /** The end of what was copied. */
  at: number
}

/** A row of empty cells. */
const NO_ROW = {
  bytes: new Uint8Array(),
  index: {
    columns: 0,
    rowStarts: new Uint32Array(1),
    cellEnds: new Int32Array(0),
    rowFlags: new Uint8Array(1),
  },
}

/** Copies rows that stand side by side, from the row `slot` on, to the rows from `first` to `last`. */
function copyRows(
  { bytes, index }: RowBatch,
  slot: number,
  to: Target,
  first: number,
  last: number,
): void {
  const { rowStarts, cellEnds, rowFlags, columns } = to.index
  const next = slot + last - first
  const start = index.rowStarts[slot]!
  const end = index.cellEnds[next * columns - 1]! & CELL_END
  to.bytes.set(partOf(bytes, start, end), to.at)
  const moved = to.at - start
  for (let from = slot * columns, cell = first * columns; from < next * columns; from++, cell++)
    cellEnds[cell] = index.cellEnds[from]! + moved
  for (let from = slot, n = first; from < next; from++, n++) {
    rowStarts[n] = index.rowStarts[from]! + moved
    rowFlags[n] = index.rowFlags[from]!
  }
  to.at = end + moved
  to.bytes[to.at++] = TAB
}

/** Copies the cells of the row `slot` to the row `n`. */
function copyCells(
  { bytes, index }: Pick<RowBatch, 'bytes' | 'index'> | typeof NO_ROW,
  slot: number,
  runs: readonly Run[],
  to: Target,
  n: number,
): void {
  const { rowStarts, cellEnds, rowFlags, columns } = to.index
  rowStarts[n] = to.at
  rowFlags[n] = index.rowFlags[slot]!
  let cell = n * columns
  for (const { from, count } of runs) {
    if (from === ABSENT) {
      to.bytes.fill(TAB, to.at, to.at + count)
      for (let k = 0; k < count; k++) cellEnds[cell++] = to.at++
      continue
    }
    const first = slot * index.columns + from
    const start = from === 0 ? index.rowStarts[slot]! : (index.cellEnds[first - 1]! & CELL_END) + 1
    const end = index.cellEnds[first + count - 1]! & CELL_END
    to.bytes.set(partOf(bytes, start, end), to.at)
    const moved = to.at - start
    for (let k = 0; k < count; k++) cellEnds[cell++] = index.cellEnds[first + k]! + moved
    to.at += end - start
    to.bytes[to.at++] = TAB
  }
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

/** Returns a view that takes less time than one of a Buffer. */
function partOf({ buffer, byteOffset }: Uint8Array, start: number, end: number): Uint8Array {
  return new Uint8Array(buffer, byteOffset + start, end - start)
}

/** Tells whether rows have all columns of a header, and no others, in their order. */
function isWhole(runs: readonly Run[], { columns }: BoundHeader): boolean {
  return runs.length === 1 && runs[0]!.from === 0 && runs[0]!.count === columns.length
}

const NO_FILE = { file: { feed: 'none' }, progress: { complete: true } }

/** Columns that stand side by side in both headers, or that the header of the rows lacks. */
interface Run {
  /** The first of them in the header of the rows, or ABSENT. */
  readonly from: number
  readonly count: number
}

/** What is known of two headers. */
const knownRuns = new WeakMap<BoundHeader, WeakMap<object, readonly Run[]>>()
const NO_HEADER = {}

function runsOf(from: BoundHeader | undefined, to: BoundHeader): readonly Run[] {
  let known = knownRuns.get(to)
  if (known === undefined) knownRuns.set(to, (known = new WeakMap()))
  const key = from ?? NO_HEADER
  let runs = known.get(key)
  if (runs === undefined) known.set(key, (runs = newRuns(from, to)))
  return runs
}

function newRuns(from: BoundHeader | undefined, to: BoundHeader): readonly Run[] {
  const runs: { from: number; count: number }[] = []
  for (const { name } of to.columns) {
    const known = from?.indexes.get(name) ?? ABSENT
    const at = known < (from?.columns.length ?? 0) ? known : ABSENT
    const last = runs.at(-1)
    const next = last === undefined || last.from === ABSENT ? ABSENT : last.from + last.count
    if (last !== undefined && at === next) last.count++
    else runs.push({ from: at, count: 1 })
  }
  return runs
}
