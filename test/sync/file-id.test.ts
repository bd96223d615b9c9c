import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import {
  askedId,
  downloadOf,
  type FileId,
  feedFileOf,
  fileIdKey,
  isBootstrap,
  localNameOf,
  readDate,
  readFileIdKey,
  type ServiceId,
} from '../../src/sync/file-id'
import { emulated } from '../service/emulated'

const at = { marketplace: 'MKT_US', categoryId: '220' }

test.each<[FileId, string]>([
  [{ feed: 'item', ...at, scope: 'ALL_ACTIVE' }, 'MKT_US/220/item/ALL_ACTIVE'],
  [
    { feed: 'item_group', ...at, scope: 'ALL_ACTIVE', generation: '2026-03-01T00:00:00.000Z' },
    'MKT_US/220/item_group/ALL_ACTIVE/2026-03-01T00:00:00.000Z',
  ],
  [{ feed: 'item', ...at, scope: 'NEWLY_LISTED', date: '20260301' }, 'MKT_US/220/item/20260301'],
  [
    { feed: 'item_snapshot', ...at, hour: '2026-03-01T05:00:00.000Z' },
    'MKT_US/220/item_snapshot/2026-03-01T05:00:00.000Z',
  ],
  [{ feed: 'item_priority', ...at, date: '20260301' }, 'MKT_US/220/item_priority/20260301'],
])('%o is %s, and back', (id, key) => {
  expect(fileIdKey(id)).toBe(key)
  expect(readFileIdKey(key)).toEqual(id)
})

const categories = fc.record({
  marketplace: fc.oneof(fc.constant('MKT_DE'), fc.string({ minLength: 1, unit: 'grapheme' })),
  categoryId: fc.oneof(fc.constant('220'), fc.string({ minLength: 1, unit: 'grapheme' })),
})
const instants = fc
  .integer({ min: 0, max: Date.UTC(2100, 0) })
  .map(ms => new Date(ms).toISOString())
const days = instants.map(text => text.slice(0, 10).replaceAll('-', ''))
const baseFeeds = fc.constantFrom('item' as const, 'item_group' as const)
const ids: fc.Arbitrary<FileId> = fc.oneof(
  fc
    .tuple(categories, baseFeeds)
    .map(([category, feed]) => ({ feed, ...category, scope: 'ALL_ACTIVE' as const })),
  fc.tuple(categories, baseFeeds, instants).map(([category, feed, generation]) => {
    return { feed, ...category, scope: 'ALL_ACTIVE' as const, generation }
  }),
  fc
    .tuple(categories, baseFeeds, days)
    .map(([category, feed, date]) => ({ feed, ...category, scope: 'NEWLY_LISTED' as const, date })),
  fc.tuple(categories, instants).map(([category, text]) => {
    return { feed: 'item_snapshot' as const, ...category, hour: `${text.slice(0, 13)}:00:00.000Z` }
  }),
  fc
    .tuple(categories, days)
    .map(([category, date]) => ({ feed: 'item_priority' as const, ...category, date })),
)

describe('any file', () => {
  test('reads back from its key', () => {
    fc.assert(
      fc.property(ids, id => {
        expect(readFileIdKey(fileIdKey(id))).toEqual(id)
      }),
    )
  })

  test('has a key that differs from the key of another file', () => {
    fc.assert(
      fc.property(ids, ids, (a, b) => {
        expect(fileIdKey(a) === fileIdKey(b)).toBe(JSON.stringify(a) === JSON.stringify(b))
      }),
    )
  })
})

test.each([
  '',
  'MKT_US/220/item',
  'MKT_US/220/item/',
  'MKT_US/220/items/20260301',
  'MKT_US/220/item/20260230',
  'MKT_US/220/item/NEWLY_LISTED',
  'MKT_US/220/item/ALL_ACTIVE/',
  'MKT_US/220/item/ALL_ACTIVE/yesterday',
  'MKT_US/220/item/ALL_ACTIVE/2026-03-01T00:00:00.000Z/x',
  'MKT_US/220/item_priority/ALL_ACTIVE',
  'MKT_US/220/item_snapshot/2026-03-01T05:30:00.000Z',
  'MKT_US/%/item/20260301',
  'MKT US/220/item/20260301',
  '//item/20260301',
])('%j is the key of no file', key => {
  expect(readFileIdKey(key)).toBeUndefined()
})

describe('what follows of an identity', () => {
  const category = { marketplace: 'MKT_US', categoryId: '220' }
  const generation = '2026-03-01T07:00:00.000Z'
  const ids: readonly ServiceId[] = [
    { ...category, feed: 'item', scope: 'ALL_ACTIVE', generation },
    { ...category, feed: 'item', scope: 'NEWLY_LISTED', date: '20260301' },
    { ...category, feed: 'item_group', scope: 'ALL_ACTIVE' },
    { ...category, feed: 'item_group', scope: 'NEWLY_LISTED', date: '20260301' },
    { ...category, feed: 'item_snapshot', hour: '2026-03-01T08:00:00.000Z' },
    { ...category, feed: 'item_priority', date: '20260301' },
  ]

  describe('a file as a request', () => {
    const { emulator, service, sent } = emulated()
    afterAll(() => emulator.close())

    test.each(
      [
        '/item?feed_scope=ALL_ACTIVE&category_id=220',
        '/item?feed_scope=NEWLY_LISTED&category_id=220&date=20260301',
        '/item_group?feed_scope=ALL_ACTIVE&category_id=220',
        '/item_group?feed_scope=NEWLY_LISTED&category_id=220&date=20260301',
        '/item_snapshot?category_id=220&snapshot_date=2026-03-01T08%3A00%3A00.000Z',
        '/item_priority?category_id=220&date=20260301',
      ].map((request, n) => [request, ids[n]!] as const),
    )('%s', async (request, id) => {
      await downloadOf(service, id)
        .info()
        .catch(() => {})
      expect(sent.at(-1)).toBe(`GET /buy/feed/v1_beta${request}`)
    })
  })

  test('rows have the identity of their file, and the time at which it was made', () => {
    expect(feedFileOf(ids[4]!, 'Sun, 01 Mar 2026 10:00:00 GMT')).toEqual({
      ...category,
      feed: 'item_snapshot',
      hour: new Date('2026-03-01T08:00:00Z'),
      lastModified: new Date('2026-03-01T10:00:00Z'),
    })
    expect(feedFileOf(ids[1]!, 'soon')).toEqual({
      ...category,
      feed: 'item',
      scope: 'NEWLY_LISTED',
      date: '20260301',
    })
    expect([readDate(undefined), readDate('soon')]).toEqual([undefined, undefined])
  })

  test('the request for a bootstrap has no generation, and other requests are unchanged', () => {
    expect(ids.map(isBootstrap)).toEqual([true, false, true, false, false, false])
    expect(askedId(ids[0]!)).toEqual({ ...category, feed: 'item', scope: 'ALL_ACTIVE' })
    expect(ids.slice(1).map(askedId)).toEqual(ids.slice(1))
  })

  test('fault 87: different files have different names, and no name leads out of its folder', () => {
    const strange: FileId = {
      ...category,
      marketplace: '../..',
      categoryId: '/etc',
      feed: 'item',
      scope: 'ALL_ACTIVE',
      generation: '..',
    }
    const names = [...ids, strange].map(localNameOf)
    expect(new Set(names).size).toBe(names.length)
    expect(names.filter(name => /[/\\]|^\.|\.\./.test(name))).toEqual([])
  })
})
