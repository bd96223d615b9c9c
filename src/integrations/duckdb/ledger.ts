// The ledger of a database: the rows of its table `files`, which hold every file that was applied.

import type { AppliedFile, Category } from '../../sync/index'
import { appliedFileOf, fileIdKey, type LedgerRow } from '../../sync/index'
import { type Database, sqlText } from './duckdb-api'
import { inCategory } from './merge'

/** Returns the categories that have files. */
export async function readCategories(database: Database): Promise<Category[]> {
  return database.rows<{ marketplace: string; categoryId: string }>(
    'SELECT DISTINCT marketplace, top_category_id AS "categoryId" FROM files ORDER BY ALL',
  )
}

/**
 * Reads the files of a category in the order in which they were applied.
 * @throws FeedError STATE_CORRUPT
 */
export async function readLedger(database: Database, category: Category): Promise<AppliedFile[]> {
  const rows = await database.rows<LedgerRow>(
    `SELECT * FROM files WHERE ${inCategory(category)} ORDER BY sequence`,
  )
  return rows.map(row => appliedFileOf(row, database.path))
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
