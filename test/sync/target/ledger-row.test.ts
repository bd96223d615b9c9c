import { expect, test } from 'vitest'
import { appliedFileOf, type LedgerRow } from '../../../src/sync/target/ledger-row'

const hour = '2026-03-01T05:00:00.000Z'
const row: LedgerRow = {
  file: `MKT_US/220/item_snapshot/${hour}`,
  sequence: 3,
  total_bytes: 10n,
  raw_bytes: '20',
  last_modified: null,
  etag: '"a"',
  inserted: '1',
  updated: 2n,
  deleted: 3,
  unchanged: 4,
  stale: 5,
  bad_rows: 6n,
}

test('a row of a ledger is its file, whatever type the driver gives counts', () => {
  expect(appliedFileOf(row, 'files')).toEqual({
    id: { marketplace: 'MKT_US', categoryId: '220', feed: 'item_snapshot', hour },
    sequence: 3,
    totalBytes: 10,
    rawBytes: 20,
    etag: '"a"',
    rows: { inserted: 1, updated: 2, deleted: 3, unchanged: 4, stale: 5 },
    badRows: 6,
  })
})

test('a file of an unknown name is STATE_CORRUPT', () => {
  expect(() => appliedFileOf({ ...row, file: 'MKT_US/220/others/1' }, 'files')).toThrow(
    expect.objectContaining({
      code: 'STATE_CORRUPT',
      context: {
        path: 'files',
        reason: "the ledger has a file of an unknown name: 'MKT_US/220/others/1'",
      },
    }),
  )
})
