// A file of a ledger as a row of a database, with the names that the columns have in each of them.
// A driver gives numbers of 64 bits as bigints or as text.

import { excerpt, FeedError } from '../../engine/index'
import { fileIdKey, readFileIdKey } from '../file-id'
import { type AppliedFile, NO_ROWS, type RowTally } from './target'

type Count = number | bigint | string

/** The columns of a ledger that make an {@link AppliedFile}. */
export interface LedgerRow extends Readonly<Record<keyof RowTally, Count>> {
  /** The text of `fileIdKey`. */
  readonly file: string
  readonly sequence: Count
  readonly total_bytes: Count
  readonly raw_bytes: Count
  readonly last_modified: string | null
  readonly etag: string | null
  readonly bad_rows: Count
}

/**
 * @param path the table or the database, for the error
 * @throws FeedError STATE_CORRUPT for an unknown name of a file: a ledger without the file would let
 * its rows be applied a second time
 */
export function appliedFileOf(row: LedgerRow, path: string): AppliedFile {
  const id = readFileIdKey(row.file)
  if (id === undefined) {
    const reason = `the ledger has a file of an unknown name: '${excerpt(row.file)}'`
    const remedy = 'restore the database from a copy, or use the version that wrote it'
    throw new FeedError('STATE_CORRUPT', `${path}: ${reason}; ${remedy}`, { path, reason })
  }
  const { last_modified: lastModified, etag } = row
  const kinds = Object.keys(NO_ROWS) as (keyof RowTally)[]
  const rows = kinds.map(kind => [kind, Number(row[kind])])
  return {
    id,
    sequence: Number(row.sequence),
    totalBytes: Number(row.total_bytes),
    rawBytes: Number(row.raw_bytes),
    ...(lastModified !== null && { lastModified }),
    ...(etag !== null && { etag }),
    rows: Object.fromEntries(rows) as RowTally,
    badRows: Number(row.bad_rows),
  }
}

/** The columns of a ledger for a file, beside those of its category. */
export function ledgerRowOf(entry: AppliedFile): LedgerRow {
  const { id, sequence, totalBytes, rawBytes, lastModified, etag, rows, badRows } = entry
  return {
    file: fileIdKey(id),
    sequence,
    total_bytes: totalBytes,
    raw_bytes: rawBytes,
    last_modified: lastModified ?? null,
    etag: etag ?? null,
    ...rows,
    bad_rows: badRows,
  }
}
