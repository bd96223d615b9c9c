import { expect, test } from 'vitest'
import { itemPriorityColumns } from '../../src/schema/item-priority-columns'

test('the columns of service-notes.md, section 6.6, in their order', () => {
  expect(Object.entries(itemPriorityColumns).map(([name, { type }]) => [name, type])).toEqual([
    ['itemId', 'text'],
    ['priorityListingPayload', 'text'],
    ['changeMetadata', 'pipeList'],
  ])
})
