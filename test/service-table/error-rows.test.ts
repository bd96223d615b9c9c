// A row of errors.tsv has an entry for each operation and status that it names.
// test/documents/tables.test.ts compares the rows with the pages.

import { expect, test } from 'vitest'
import { errorRows } from './error-rows'

test('one row for each operation, status and code', () => {
  const counts = new Map<string, number>()
  for (const { source } of errorRows) counts.set(source, (counts.get(source) ?? 0) + 1)
  expect([...counts]).toEqual([
    ['feed-file-catalog.md, section 6', 8],
    ['item-feeds.md, section 5', 76],
    ['signing-keys-and-subscriptions.md, section 7', 15],
    ['service-notes.md, section 4.1', 11],
    ['service-notes.md, section 4.2', 3],
  ])
  const keys = errorRows.map(
    ({ operation, status, errorId }) => `${operation} ${status} ${errorId}`,
  )
  expect(new Set(keys).size).toBe(keys.length)
  expect(errorRows.filter(({ status, errorId }) => !(status >= 400 && errorId >= 13000))).toEqual(
    [],
  )
})
