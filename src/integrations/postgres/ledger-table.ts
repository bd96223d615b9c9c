// The ledger of a category: the table `files`.

import type { AppliedFile } from '../../sync/index'
import { appliedFileOf, type Category, fileIdKey, type LedgerRow } from '../../sync/index'
import type { PgConnection } from './pg-adapter'
import type { TargetNames } from './sql-names'

/**
 * Reads the ledger in the order in which the files were applied.
 * @throws FeedError STATE_CORRUPT
 */
export async function readLedger(
  connection: PgConnection,
  names: TargetNames,
  { marketplace, categoryId }: Category,
): Promise<AppliedFile[]> {
  const rows = await connection.query(
    `SELECT * FROM ${names.table('files')}
     WHERE marketplace = $1 AND feed_category = $2 ORDER BY sequence`,
    [marketplace, categoryId],
  )
  return rows.map(row => appliedFileOf(row as unknown as LedgerRow, names.table('files')))
}

/** The unique key of the table refuses a file that is there. */
export async function writeEntry(
  connection: PgConnection,
  names: TargetNames,
  entry: AppliedFile,
): Promise<void> {
  const { id, sequence, totalBytes, rawBytes, lastModified, etag, rows, badRows } = entry
  const values = {
    marketplace: id.marketplace,
    feed_category: id.categoryId,
    sequence,
    file: fileIdKey(id),
    total_bytes: totalBytes,
    raw_bytes: rawBytes,
    last_modified: lastModified ?? null,
    etag: etag ?? null,
    ...rows,
    bad_rows: badRows,
  }
  const columns = Object.keys(values)
  await connection.query(
    `INSERT INTO ${names.table('files')} (${columns.join(', ')})
     VALUES (${columns.map((_, n) => `$${n + 1}`).join(', ')})`,
    Object.values(values),
  )
}
