// localizedAspects cells straight from the file's bytes, as typed rows read them.

import { readAspects } from '../../src/engine/codec/kinds/aspects'
import { RowCells } from '../../src/engine/codec/row-cells'
import { bindHeader } from '../../src/engine/codec/tsv/header'
import { itemSchema } from '../../src/engine/schema/feed-schemas'
import type { MicroCase } from './micro-case'
import { sampleCells } from './sample'

/** Pairs only: a cell of names goes the way of the case `aspects`. */
const cells = sampleCells('localizedAspects').filter(cell => cell.includes(':'))
/** There is room behind the last cell, as there is in the middle of a file. */
const bytes = Buffer.from(`${cells.join('\t')}\t${' '.repeat(64)}`)
const starts: number[] = [0]
for (const [n, cell] of cells.entries()) starts.push(starts[n]! + cell.length + 1)

const index = {
  columns: 1,
  rowStarts: Uint32Array.of(0),
  cellEnds: Int32Array.of(bytes.length),
  rowFlags: Uint8Array.of(0),
}
const header = bindHeader(itemSchema, ['itemId'], { row: 0, line: 1, byteOffset: 0 })
const source = new RowCells(bytes, index, 1, header)

export const aspectBytes: MicroCase = {
  name: 'aspect-bytes',
  input: `${cells.length} cells`,
  inputBytes: bytes.length,
  run: () =>
    cells.reduce(
      (pairs, _, n) => pairs + (readAspects(source, starts[n]!, starts[n + 1]! - 1)?.length ?? 0),
      0,
    ),
  // A pair has one colon, and Base64 has none.
  expected: cells.reduce((pairs, cell) => pairs + cell.split(':').length - 1, 0),
}
