// The gzip file to Parquet, by the columns of all cells.

import { parquetSink } from '../../src/parquet'
import { itemColumns } from './item-batches'
import { fileCase } from './macro-case'
import { outputCells, parquetRows } from './output-rows'
import { expectedOfNumbers } from './plain-decoding'

export const parquet = fileCase({
  name: 'parquet',
  contender: 'feedmill',
  title: 'parquetSink of the columns of TsvColumnParser, its defaults (Snappy)',
  ours: true,
  cells: outputCells,
  expected: expectedOfNumbers,
  read: parquetRows,
  async run(path, output) {
    const { stages } = await itemColumns(path).run(parquetSink(output))
    return stages.at(-1)!.rowsOut
  },
})
