// The hashes of all cells of a batch at once, by the WebAssembly module where it runs and takes the
// batch, and by plain code elsewhere.

import type { RowBatch } from '../row-batch'
import { CELL_END, type RowIndex } from '../tsv/scanner'
import type { BatchHashes } from './batch-hashes'
import { cellHash } from './cell-hash'
import { cellsCore } from './cells-core'

export function hashBatch(batch: RowBatch): BatchHashes {
  const { index, rowCount } = batch
  const core = cellsCore()
  if (core?.take(batch.bytesOf(), index, rowCount)) return core
  return { hashes: plainHashes(batch.cells.view, index, rowCount), plainAspects: () => undefined }
}

function plainHashes(
  bytes: DataView,
  { rowStarts, cellEnds, columns }: RowIndex,
  rows: number,
): Int32Array {
  const hashes = new Int32Array(rows * columns)
  for (let row = 0, cell = 0; row < rows; row++) {
    let start = rowStarts[row]! | 0
    for (let column = 0; column < columns; column++, cell++) {
      const end = cellEnds[cell]! & CELL_END
      if (start !== end) hashes[cell] = cellHash(bytes, start, end)
      start = end + 1
    }
  }
  return hashes
}
