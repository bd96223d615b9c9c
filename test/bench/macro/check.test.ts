// The checks themselves: one changed cell, one lost row, one lost byte, one wrong total is wrong.

import { expect, test } from 'vitest'
import { itemBatches } from '../../../bench/macro/item-batches'
import { bytesCase, rowsCase, totalsCase } from '../../../bench/macro/macro-case'
import { smallFeed } from '../small-feed'

const { feed } = await smallFeed()
const name = { name: '', contender: '', title: '', ours: true }

/** All rows as objects, the 500th as `change` makes it. */
function changedRows(change: (row: Record<string, string>) => Record<string, string> | undefined) {
  return rowsCase<Record<string, string>>({
    ...name,
    cells: (row, columns) => columns.map(column => row[column]),
    async run(path, use) {
      let rows = 0
      for await (const batch of itemBatches(path).batches()) {
        for (const row of batch) {
          const object = row.toStrings()
          const changed = ++rows === 500 ? change(object) : object
          if (changed) use(changed)
        }
      }
    },
  })
}

test('rows: nothing changed', async () => {
  expect(await changedRows(row => row).check(feed)).toMatchObject({
    right: true,
    count: feed.rows,
    identicalRows: feed.rows,
  })
})

test('rows: one cell changed, one row lost', async () => {
  const otherTitle = changedRows(row => ({ ...row, title: `${row.title}.` }))
  expect(await otherTitle.check(feed)).toMatchObject({
    right: false,
    count: feed.rows,
    identicalRows: feed.rows - 1,
  })
  const lost = changedRows(() => undefined)
  expect(await lost.check(feed)).toMatchObject({
    right: false,
    count: feed.rows - 1,
    identicalRows: feed.rows - 1,
  })
})

test('rows: a row that comes twice counts once', async () => {
  let first: Record<string, string> | undefined
  const twice = rowsCase<Record<string, string>>({
    ...name,
    cells: (row, columns) => columns.map(column => row[column]),
    async run(path, use) {
      for await (const batch of itemBatches(path).batches())
        for (const row of batch) use((first ??= row.toStrings()))
    },
  })
  expect(await twice.check(feed)).toMatchObject({
    right: false,
    count: feed.rows,
    identicalRows: 1,
  })
})

test('bytes: one lost', async () => {
  const cut = bytesCase({ ...name, run: async (_, use) => use(new Uint8Array(feed.rawBytes - 1)) })
  expect(await cut.check(feed)).toMatchObject({
    right: false,
    unit: 'bytes',
    count: feed.rawBytes - 1,
  })
})

test('totals: one more', async () => {
  const counted = (rows: number) =>
    totalsCase({ ...name, addends: () => [1, 2], run: async () => [rows, 2 * feed.rows] })
  expect(await counted(feed.rows).check(feed)).toMatchObject({ right: true, count: feed.rows })
  expect(await counted(feed.rows + 1).check(feed)).toMatchObject({
    right: false,
    count: feed.rows + 1,
  })
  const other = totalsCase({
    ...name,
    addends: () => [1, 2],
    run: async () => [feed.rows, 2 * feed.rows + 1],
  })
  expect(await other.check(feed)).toMatchObject({ right: false, count: feed.rows })
})
