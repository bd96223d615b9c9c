import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { HOUR_MS } from '../../../src/emulator/world/item-life'
import { createWorld } from '../../../src/emulator/world/world'
import { FeedError } from '../../../src/engine/errors'

const at = (start: Date, hours: number) => new Date(start.getTime() + hours * HOUR_MS)

describe.each(['plain', 'market'] as const)('a %s world', shape => {
  test('the same seed gives the same world, and another seed gives another', () => {
    const truth = (seed: number) => [
      ...createWorld({ shape, seed, items: 50 }).truthAt(new Date('2026-03-01T12:00:00Z')),
    ]
    expect(truth(7)).toEqual(truth(7))
    expect(truth(7)).not.toEqual(truth(8))
  })

  test('items are in the byte order of their identifiers', () => {
    const world = createWorld({ shape, seed: 1, items: 3_000 })
    const ids = Array.from(world.itemsAt(world.start), item => item.itemId)
    expect(ids).toEqual([...ids].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))))
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.length).toBeGreaterThan(2_500)
  })

  test('identifiers of two places are always different', () => {
    const world = createWorld({
      shape,
      seed: 1,
      items: 200,
      marketplaces: ['MKT_US', 'MKT_DE'],
      categories: ['1', '220'],
    })
    const ids = ['MKT_US', 'MKT_DE'].flatMap(marketplaceId => {
      return ['1', '220'].flatMap(categoryId =>
        Array.from(world.itemsAt(world.end, { marketplaceId, categoryId }), item => item.itemId),
      )
    })
    expect(new Set(ids).size).toBe(ids.length)
  })

  test('endings is the share of items that end: with 0 none does, and the others stay as they are', () => {
    const idsAtEnd = (endings: number) => {
      const world = createWorld({ shape, seed: 3, items: 400, churn: 40, endings })
      return Array.from(world.itemsAt(world.end), item => item.itemId)
    }
    const [none, some, all] = [idsAtEnd(0), idsAtEnd(0.3), idsAtEnd(1)]
    expect([none.length, all.length < some.length, some.length < none.length]).toEqual([
      400,
      true,
      true,
    ])
    expect(none).toEqual(expect.arrayContaining(some))
  })

  test.each([0, 0.1, 1])('quotedTitles %d is the share of titles that need quotes', share => {
    const world = createWorld({ shape, seed: 3, items: 2_000, quotedTitles: share })
    // The items of a listing share its title.
    const titles = [
      ...new Set(Array.from(world.truthAt(world.end, {}, ['title']), ({ cells }) => cells[0]!)),
    ]
    const quoted = titles.filter(title => /["\\\t]/.test(title)).length
    expect(Math.abs(quoted / titles.length - share)).toBeLessThan(share === 0 ? 1e-9 : 0.05)
  })

  test('the state at a time and the changes of the later hours give the later state', () => {
    const options = fc.record({
      seed: fc.integer(),
      items: fc.integer({ min: 1, max: 60 }),
      churn: fc.constantFrom(1, 20, 200),
      hours: fc.integer({ min: 1, max: 8 }),
    })
    fc.assert(
      fc.property(options, fc.integer({ min: -3, max: 3 }), (given, offset) => {
        const world = createWorld({ shape, categories: ['11450'], ...given })
        const from = at(world.start, offset)
        const merged = new Map(Array.from(world.itemsAt(from), item => [item.itemId, item]))
        for (let hour = 0; hour < given.hours; hour++) {
          for (const { item } of world.changesWithin(at(from, hour), at(from, hour + 1))) {
            if (item.active) merged.set(item.itemId, item)
            else merged.delete(item.itemId)
          }
        }
        expect([...merged.values()].sort((a, b) => a.index - b.index)).toEqual([
          ...world.itemsAt(at(from, given.hours)),
        ])
      }),
      { numRuns: 60 },
    )
  })

  test('a change is in exactly the span that holds its moment, however the spans are cut', () => {
    const world = createWorld({ shape, seed: 3, items: 300, churn: 50 })
    for (let hour = 0; hour < 6; hour++) {
      const [from, to] = [at(world.start, hour), at(world.start, hour + 1)]
      for (const { item, kinds } of world.changesWithin(from, to)) {
        expect(item.changedAt >= from.getTime() && item.changedAt < to.getTime()).toBe(true)
        expect(kinds.length > 0).toBe(item.active)
      }
    }
  })

  test('changeMetadata names a change of price, quantity or title', () => {
    const world = createWorld({ shape, seed: 5, items: 400, churn: 40 })
    const before = new Map(Array.from(world.itemsAt(world.start), item => [item.itemId, item]))
    let seen = 0
    for (const { item, kinds } of world.changesWithin(world.start, at(world.start, 1))) {
      const old = before.get(item.itemId)
      if (old === undefined || !item.active || kinds.includes('NEW')) continue
      seen++
      expect(kinds.includes('PRICE_CHANGE')).toBe(item.priceChanges > old.priceChanges)
      expect(kinds.includes('QUANTITY_CHANGE')).toBe(item.quantityChanges > old.quantityChanges)
      expect(kinds.includes('TITLE_CHANGE')).toBe(item.titleChanges > old.titleChanges)
    }
    expect(seen).toBeGreaterThan(50)
  })

  test('every life occurs: new, changed, ended, listed again', () => {
    const world = createWorld({ shape, seed: 11, items: 2_000, churn: 30 })
    const changes = [...world.changesWithin(world.start, world.end)]
    expect(changes.some(change => !change.item.active)).toBe(true)
    expect(changes.some(change => change.kinds.includes('NEW'))).toBe(true)
    expect(changes.some(change => change.kinds.length > 1)).toBe(true)
    const gone = new Set(
      Array.from(world.changesWithin(world.start, at(world.start, 12)), c =>
        c.item.active ? '' : c.item.itemId,
      ),
    )
    expect(
      [...world.listedWithin(at(world.start, 12), world.end)].some(item => gone.has(item.itemId)),
    ).toBe(true)
  })

  test('fault 76: the world has the announced share of both kinds of orphans', () => {
    const orphans = { itemsWithoutGroup: 0.2, groupsWithoutItems: 0.1 }
    for (const seed of [1, 2, 3]) {
      const world = createWorld({ shape, seed, items: 900, orphans })
      const items = [...world.itemsAt(world.start)]
      const records = new Set(Array.from(world.groupsAt(world.start), group => group.itemGroupId))
      const named = new Set(items.map(item => item.groupId))
      const groups = [...named].filter(id => id !== '')
      const share = groups.filter(id => !records.has(id)).length / groups.length
      // Three standard deviations of a share of some 60 groups.
      expect(share).toBeGreaterThan(0.05)
      expect(share).toBeLessThan(0.35)
      // A tenth of the 150 groups that 900 items can have.
      expect([...records].filter(id => !named.has(id))).toHaveLength(15)
    }
  })

  test('every named group has its record and every record its items in a world without orphans', () => {
    const world = createWorld({ shape, seed: 4, items: 600 })
    for (const time of [world.start, world.end]) {
      const named = new Set(
        Array.from(world.itemsAt(time), item => item.groupId).filter(id => id !== ''),
      )
      const records = Array.from(world.groupsAt(time), group => group.itemGroupId)
      expect(new Set(records)).toEqual(named)
      expect(records).toEqual([...records].sort())
    }
  })

  test('the group records of a span are those that its newly listed items name', () => {
    const categories = ['11450']
    const world = createWorld({ shape, seed: 4, items: 2_000, churn: 20, categories })
    const [from, to] = [at(world.start, 2), at(world.start, 23)]
    const named = new Set(
      Array.from(world.listedWithin(from, to), item => item.groupId).filter(id => id !== ''),
    )
    expect(
      new Set(Array.from(world.groupsListedWithin(from, to), group => group.itemGroupId)),
    ).toEqual(named)
    expect(named.size).toBeGreaterThan(10)
  })

  test('the truth has the documented columns, or the requested ones', () => {
    const world = createWorld({ shape, seed: 2, items: 5 })
    const [row] = world.truthAt(world.start)
    expect(row!.cells).toHaveLength(39)
    expect(row!.cells[0]).toBe(row!.itemId)
    const [named] = world.truthAt(world.start, {}, ['legacyItemId', 'itemId'])
    expect(named!.cells).toEqual([row!.itemId.split('|')[1], row!.itemId])
    expect(() => world.itemCells([...world.itemsAt(world.start)][0]!, ['nonsense'])).toThrow(
      expect.objectContaining({ code: 'COLUMN_UNKNOWN' }),
    )
  })

  test('an unknown category is a mistake of the caller', () => {
    const world = createWorld({ shape, seed: 2, items: 5 })
    expect(world.has({ categoryId: '999' })).toBe(false)
    expect(() => [...world.itemsAt(world.start, { categoryId: '999' })]).toThrow(FeedError)
  })
})
