// The JSON of rows of any batches, such as those of a state, each of which has a batch of its own:
// the rows under each header become one batch first.

import type { Columns } from '../../schema/feed-schema'
import { objectWithInvalid } from '../bad-cells'
import { bigIntsAsText } from '../projection'
import type { Row } from '../row'
import { RowBatch } from '../row-batch'
import type { JsonBuffer } from '../row-json'
import type { BoundHeader } from '../tsv/header'
import { writeBatchJson } from './batch-json'

const LINE_END = 0x0a

/**
 * Returns the JSON of {@link objectWithInvalid} of each row.
 * @param out has the JSON, which stays until it is cut
 */
export function jsonOfRows(
  rows: Iterable<Row<Columns>>,
  out: JsonBuffer,
): ReadonlyMap<Row<Columns>, Uint8Array> {
  const byHeader = new Map<BoundHeader, Row<Columns>[]>()
  for (const row of rows) {
    const { header } = row.batch
    const others = byHeader.get(header)
    if (others === undefined) byHeader.set(header, [row])
    else others.push(row)
  }
  const all = new Map<Row<Columns>, Uint8Array>()
  for (const group of byHeader.values()) addJson(group, out, all)
  return all
}

function addJson(
  rows: readonly Row<Columns>[],
  out: JsonBuffer,
  all: Map<Row<Columns>, Uint8Array>,
): void {
  let start = out.length
  if (rows.some(({ batch }) => batch.hasDecodedCells) || !writeBatchJson(oneBatch(rows), out)) {
    for (const row of rows)
      all.set(row, Buffer.from(JSON.stringify(bigIntsAsText(objectWithInvalid(row)))))
    return
  }
  const lines = out.view()
  for (const row of rows) {
    const end = lines.indexOf(LINE_END, start)
    all.set(row, lines.subarray(start, end))
    start = end + 1
  }
}

/** Copies rows under one header into one batch. */
function oneBatch(rows: readonly Row<Columns>[]): RowBatch<Columns> {
  const { batch } = rows[0]!
  const { header, file, progress } = batch
  const { columns } = batch.index
  const cells = rows.map(row => row.batch.bytesOf(row.slot))
  const bytes = new Uint8Array(cells.reduce((sum, { length }) => sum + length + 1, 0))
  const rowStarts = new Uint32Array(rows.length)
  const cellEnds = new Int32Array(rows.length * columns)
  const rowFlags = new Uint8Array(rows.length)
  let at = 0
  rows.forEach(({ batch: { index }, slot }, n) => {
    bytes.set(cells[n]!, at)
    const moved = at - index.rowStarts[slot]!
    rowStarts[n] = at
    rowFlags[n] = index.rowFlags[slot]!
    for (let cell = 0; cell < columns; cell++)
      cellEnds[n * columns + cell] = index.cellEnds[slot * columns + cell]! + moved
    at += cells[n]!.length
    bytes[at++] = LINE_END
  })
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
