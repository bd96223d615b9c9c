import { expect, test } from 'vitest'
import { itemGroupColumns } from '../../src/schema/item-group-columns'

test('the columns of the service notes, in their order', () => {
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
