import { describe, expect, test } from 'vitest'
import { feedLines } from '../../../src/emulator/feeds/feed-file'
import {
  checkFileFormat,
  type FeedFile,
  type FileFormat,
  headerName,
  shownIn,
} from '../../../src/emulator/feeds/file-format'
import { HOUR_MS } from '../../../src/emulator/world/item-life'
import { createWorld } from '../../../src/emulator/world/world'

const world = createWorld({ seed: 7, items: 600, churn: 20 })
const place = { marketplaceId: 'MKT_US', categoryId: '220' }
const at = (feed: FeedFile['feed']): FeedFile => ({
  feed,
  content: 'bootstrap',
  ...place,
  from: world.start,
  to: world.start,
})
const hour = (n: number): FeedFile => ({
  feed: 'item_snapshot',
  content: 'span',
  ...place,
  from: new Date(+world.start + n * HOUR_MS),
  to: new Date(+world.start + (n + 1) * HOUR_MS),
})
const ids = (file: FeedFile, format: FileFormat = {}) =>
  [...feedLines(world, file, format)].slice(1).map(line => line.slice(0, line.indexOf('\t')))

describe('filters', () => {
  test('some files are whole, and the others always lack about the same share of items', () => {
    const filters = { seed: 3, files: 0.5, items: 0.4 }
    let [whole, filtered, left, all] = [0, 0, 0, 0]
    for (let n = 0; n < 24; n++) {
      const [before, after] = [ids(hour(n)), ids(hour(n), { filters })]
      expect(ids(hour(n), { filters })).toEqual(after)
      expect(after.every(id => before.includes(id))).toBe(true)
      if (after.length === before.length) whole++
      else {
        filtered++
        left += after.length
        all += before.length
      }
    }
    expect(whole).toBeGreaterThan(4)
    expect(filtered).toBeGreaterThan(4)
    expect(Math.abs(left / all - 0.6)).toBeLessThan(0.08)
  })

  test('an item that one file hides is shown in another', () => {
    const filters = { seed: 3, files: 1, items: 0.5 }
    const hidden = new Set(ids(hour(0)).filter(id => !ids(hour(0), { filters }).includes(id)))
    expect(
      Array.from({ length: 23 }, (_, n) => ids(hour(n + 1), { filters })).some(shown =>
        shown.some(id => hidden.has(id)),
      ),
    ).toBe(true)
  })

  test('a group file has the groups of the items in its item file', () => {
    for (const seed of [1, 2, 3]) {
      const filters = { seed, files: 1, items: 0.9 }
      const shows = shownIn(at('item'), filters)!
      const named = new Set([...world.itemsAt(world.start)].filter(shows).map(item => item.groupId))
      named.delete('')
      expect(new Set(ids(at('item_group'), { filters }))).toEqual(named)
      expect(named.size).toBeLessThan(ids(at('item_group')).length)
    }
  })

  test('a file is empty when every item is hidden', () => {
    const filters = { seed: 1, files: 1, items: 1 }
    expect([
      ids(at('item'), { filters }),
      ids(at('item_group'), { filters }),
      ids(hour(1), { filters }),
    ]).toEqual([[], [], []])
  })

  test.each([
    [{ seed: 0.5, files: 1, items: 1 }, 'filters.seed'],
    [{ seed: 1, files: 2, items: 1 }, 'filters.files'],
    [{ seed: 1, files: 1, items: -1 }, 'filters.items'],
    [{ seed: 1, files: 1, items: 1, itmes: 1 }, 'itmes'],
  ])('%j is refused', (filters, option) => {
    const refused = expect.objectContaining({
      code: 'OPTION_INVALID',
      context: expect.objectContaining({ option }),
    })
    expect(() => checkFileFormat({ filters })).toThrow(refused)
    expect(() => checkFileFormat({ filters })).toThrow(refused)
  })
})

describe('header names', () => {
  test.each([
    ['camelCase', ['itemId', 'gtin', 'inferredEpid', 'RestockingFeePercentage']],
    ['documented', ['itemId', 'the service', 'inferredEpid', 'RestockingFeePercentage']],
    ['PascalCase', ['ItemId', 'GTIN', 'InferredEPID', 'RestockingFeePercentage']],
  ] as const)('%s', (spelling, names) => {
    expect(
      ['itemId', 'gtin', 'inferredEpid', 'RestockingFeePercentage'].map(name =>
        headerName(name, spelling),
      ),
    ).toEqual(names)
  })
})
