// DuckDB decodes every cell inside the engine and writes the rows to a file itself.

import { expectedOfDuckdb } from './duckdb-cells'
import { duckdbCopy } from './duckdb-file'
import { fileCase } from './macro-case'
import { linesOf, outputCells, parquetRows } from './output-rows'

const SAME = { contender: 'DuckDB', ours: false, cells: outputCells, expected: expectedOfDuckdb }

export const duckdbNdjson = fileCase({
  ...SAME,
  name: 'duckdb-ndjson',
  title: 'COPY of every cell decoded to JSON lines, 2 threads',
  read: linesOf,
  run: (path, output) =>
    duckdbCopy(path, output, "FORMAT JSON, TIMESTAMPFORMAT '%Y-%m-%dT%H:%M:%S.%gZ'"),
})

export const duckdbParquet = fileCase({
  ...SAME,
  name: 'duckdb-parquet',
  title: 'COPY of every cell decoded to Parquet, its defaults (Snappy), 2 threads',
  read: parquetRows,
  run: (path, output) => duckdbCopy(path, output, 'FORMAT PARQUET'),
})
