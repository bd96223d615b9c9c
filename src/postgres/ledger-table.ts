// The ledger of a category: the table `files`.

import { FeedError } from '../errors'
import { type Category, fileIdKey, readFileIdKey } from '../sync/file-id'
import type { AppliedFile } from '../sync/target/target'
import type { PgConnection, SqlRow } from './pg-adapter'
import type { TargetNames } from './sql-names'

/** Reads the ledger in the order in which the files were applied. */
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
  return rows.map(row => entryOf(row, names))
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

function entryOf(row: SqlRow, names: TargetNames): AppliedFile {
  const id = readFileIdKey(String(row.file))
  if (id === undefined) {
    const path = names.table('files')
    const reason = 'a file has an unknown name'
    throw new FeedError('STATE_CORRUPT', `${path}: ${reason}`, { path, reason })
  }
  const { last_modified: lastModified, etag } = row
  return {
    id,
    sequence: Number(row.sequence),
    totalBytes: Number(row.total_bytes),
    rawBytes: Number(row.raw_bytes),
    ...(lastModified !== null && { lastModified: String(lastModified) }),
    ...(etag !== null && { etag: String(etag) }),
    rows: {
      inserted: Number(row.inserted),
      updated: Number(row.updated),
      deleted: Number(row.deleted),
      unchanged: Number(row.unchanged),
      stale: Number(row.stale),
    },
    badRows: Number(row.bad_rows),
  }
}
