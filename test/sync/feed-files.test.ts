import { afterAll, describe, expect, test } from 'vitest'
import {
  askedId,
  downloadOf,
  feedFileOf,
  isBootstrap,
  localNameOf,
  readDate,
} from '../../src/sync/feed-files'
import type { FileId } from '../../src/sync/file-id'
import { emulated } from '../service/emulated'

const category = { marketplace: 'MKT_US', categoryId: '220' }
const generation = '2026-03-01T07:00:00.000Z'
const ids: readonly FileId[] = [
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
