// The ledger of a database: the rows of its table `files`, which hold every file that was applied.

import type { Category } from '../sync/file-id'
import { fileIdKey, readFileIdKey } from '../sync/file-id'
import type { AppliedFile } from '../sync/target/target'
import { type Database, sqlText } from './duckdb-api'
import { inCategory } from './merge'

interface FileRow {
  readonly sequence: number
  readonly file: string
  readonly last_modified: string | null
  readonly etag: string | null
  readonly total_bytes: bigint
  readonly raw_bytes: bigint
  readonly inserted: bigint
  readonly updated: bigint
  readonly deleted: bigint
  readonly unchanged: bigint
  readonly stale: bigint
  readonly bad_rows: bigint
}

/** Returns the categories that have files. */
export async function readCategories(database: Database): Promise<Category[]> {
  return database.rows<{ marketplace: string; categoryId: string }>(
    'SELECT DISTINCT marketplace, top_category_id AS "categoryId" FROM files ORDER BY ALL',
  )
}

/** Reads the files of a category in the order in which they were applied. */
export async function readLedger(database: Database, category: Category): Promise<AppliedFile[]> {
  const rows = await database.rows<FileRow>(
    `SELECT * FROM files WHERE ${inCategory(category)} ORDER BY sequence`,
  )
  return rows.flatMap(row => {
    const id = readFileIdKey(row.file)
    if (id === undefined) return []
    return {
      id,
      sequence: row.sequence,
      totalBytes: Number(row.total_bytes),
      rawBytes: Number(row.raw_bytes),
      ...(row.last_modified !== null && { lastModified: row.last_modified }),
      ...(row.etag !== null && { etag: row.etag }),
      rows: {
        inserted: Number(row.inserted),
        updated: Number(row.updated),
        deleted: Number(row.deleted),
        unchanged: Number(row.unchanged),
        stale: Number(row.stale),
      },
      badRows: Number(row.bad_rows),
    }
  })
}

/** Adds a file, in the transaction that is open. */
export function writeEntry(
  database: Database,
  { id, sequence, lastModified, etag, totalBytes, rawBytes, rows, badRows }: AppliedFile,
  unfitCells: number,
): Promise<void> {
  const text = (value: string | undefined) => (value === undefined ? 'NULL' : sqlText(value))
  const values = [
    text(id.marketplace),
    text(id.categoryId),
    sequence,
    text(fileIdKey(id)),
    text(lastModified),
    text(etag),
    totalBytes,
    rawBytes,
    rows.inserted,
    rows.updated,
    rows.deleted,
    rows.unchanged,
    rows.stale,
    badRows,
    unfitCells,
    'now()::TIMESTAMPTZ::TIMESTAMP',
  ]
  return database.run(`INSERT INTO files VALUES (${values.join(', ')})`)
}
