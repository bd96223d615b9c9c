import { expect, test } from 'vitest'
import { MemoryStore } from '../../../src/state/memory/memory-store'
import { fileIdKey } from '../../../src/sync/file-id'
import { Ledger, type LedgerEntry } from '../../../src/sync/folder/ledger'
import { ledgerEntry } from '../ledger-entry'

const entry = (hour: number, sequence: number, state: LedgerEntry['state'] = 'done'): LedgerEntry =>
  ledgerEntry(
    {
      marketplace: 'MKT_US',
      categoryId: '220',
      feed: 'item_snapshot',
      hour: new Date(hour * 3_600_000).toISOString(),
    },
    {
      state,
      sequence,
      totalBytes: 10,
      rawBytes: 20,
      lastModified: 'Sun, 01 Mar 2026 10:00:00 GMT',
    },
  )

test('entries read back as they were written, in the order of the files', async () => {
  const store = new MemoryStore()
  const empty = await Ledger.read(store)
  expect([empty.entries, empty.nextSequence, empty.applying]).toEqual([[], 1, undefined])
  const entries = [entry(5, 1), entry(3, 2), entry(4, 3, 'applying')]
  store.write([
    ...entries.map(one => empty.op(one)),
    { key: 'f/nothing that names a file', value: Buffer.from('{}') },
  ])
  const ledger = await Ledger.read(store)
  expect(ledger.entries).toEqual(entries)
  expect([ledger.nextSequence, ledger.applying, ledger.done.map(fileIdKey)]).toEqual([
    4,
    entries[2],
    entries.slice(0, 2).map(({ id }) => fileIdKey(id)),
  ])
})

test('a new entry replaces the one before', async () => {
  const ledger = await Ledger.read(new MemoryStore())
  ledger.took(entry(5, 1, 'applying'))
  ledger.took(entry(5, 1))
  expect(ledger.entries).toEqual([entry(5, 1)])
  expect(ledger.get(entry(5, 1).id)).toEqual(entry(5, 1))
})
