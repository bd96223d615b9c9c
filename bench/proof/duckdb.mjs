// Reads the files in the folder with DuckDB, newest row first, and writes the items as JSON lines. Of
// DuckDB's documents, "CSV Import" and "Combining Schemas": delim, quote, escape, union_by_name.

import { DuckDBInstance } from '@duckdb/node-api'

const { FEEDMILL_FOLDER: folder, FEEDMILL_OUTPUT: output } = process.env
const connection = await (await DuckDBInstance.create()).connect()
await connection.run(`
  COPY (
    SELECT * EXCLUDE (filename) FROM read_csv('${folder}/*.tsv.gz', delim = '\t', quote = '"',
      escape = '\\', header = true, all_varchar = true, union_by_name = true, filename = true)
    QUALIFY row_number() OVER (PARTITION BY itemId ORDER BY filename DESC) = 1
      AND availability <> 'UNAVAILABLE'
  ) TO '${output}' (FORMAT json)`)
