import { expect, test } from 'vitest'
import { AccessRules } from '../../src/emulator/access-rules'

test('everything is allowed without constraints', () => {
  const rules = new AccessRules()
  expect([
    rules.constraints,
    rules.allowsMarketplace('MKT_US'),
    rules.allowsCategory('MKT_US', '1'),
  ]).toEqual([undefined, true, true])
})

test('constraints allow only what they name, and constraints without categories allow all of them', () => {
  const rules = new AccessRules({
    constraints: [{ marketplaceId: 'MKT_US', categoryIds: ['1'] }, { marketplaceId: 'MKT_DE' }],
  })
  expect(['MKT_US', 'MKT_DE', 'MKT_GB'].map(id => rules.allowsMarketplace(id))).toEqual([
    true,
    true,
    false,
  ])
  expect(rules.allowsCategory('MKT_US', '1')).toBe(true)
  expect(rules.allowsCategory('MKT_US', '2')).toBe(false)
  expect(rules.allowsCategory('MKT_DE', '2')).toBe(true)
  expect(rules.allowsCategory('MKT_GB', '1')).toBe(false)
})

test('an empty list allows nothing', () => {
  const rules = new AccessRules({ constraints: [] })
  expect([rules.allowsMarketplace('MKT_US'), rules.allowsCategory('MKT_US', '1')]).toEqual([
    false,
    false,
  ])
})

test('Real Estate is one category', () => {
  expect(new AccessRules().isRealEstate('10542')).toBe(true)
  expect(new AccessRules().isRealEstate('7')).toBe(false)
})
