import { expect, test } from 'vitest'
import { itemColumns } from '../../src/schema/item-columns'
import { itemSnapshotColumns } from '../../src/schema/item-snapshot-columns'

test('begins as service-notes.md, section 6.5 says, has every column of an item and two of its own', () => {
  const names = Object.keys(itemSnapshotColumns)
  expect(names.slice(0, 4)).toEqual(['itemId', 'availability', 'title', 'imageUrl'])
  expect(names.filter(name => !(name in itemColumns))).toEqual(['itemSnapshotDate', 'changeMetadata'])
  expect(names).toEqual(expect.arrayContaining(Object.keys(itemColumns)))
})

test('both dates are instants, the changes are a list', () => {
  const { itemSnapshotDate, itemCreationDate, changeMetadata } = itemSnapshotColumns
  expect([itemSnapshotDate.type, itemCreationDate.type, changeMetadata.type]).toEqual(['timestamp', 'timestamp', 'pipeList'])
})
