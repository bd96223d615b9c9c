import { expect, test } from 'vitest'
import { itemGroupColumns } from '../../src/schema/item-group-columns'

test('the columns of service-notes.md, section 6.4, in their order', () => {
  expect(Object.entries(itemGroupColumns).map(([name, { type }]) => [name, type])).toEqual([
    ['itemGroupId', 'text'],
    ['itemGroupType', 'text'],
    ['title', 'text'],
    ['variesByLocalizedAspects', 'aspects'],
    ['imageUrl', 'text'],
    ['additionalImageUrls', 'text'],
    ['imageAlteringProhibited', 'boolean'],
  ])
})
