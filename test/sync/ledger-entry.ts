// An entry of the ledger with arbitrary numbers, for tests that only pass it on.

import type { FileId } from '../../src/sync/file-id'
import type { LedgerEntry } from '../../src/sync/folder/ledger'
import { NO_ROWS } from '../../src/sync/target/target'

export function ledgerEntry(id: FileId, fields: Partial<LedgerEntry> = {}): LedgerEntry {
  return {
    id,
    state: 'done',
    sequence: 1,
    totalBytes: 1,
    rawBytes: 1,
    rows: NO_ROWS,
    rowsDone: true,
    badRows: 0,
    changes: 'none',
    changeRows: 'after',
    keep: false,
    changeBytes: 0,
    quarantine: false,
    quarantineBytes: 0,
    rowsRead: 0,
    ...fields,
  }
}
