import { expect, test } from 'vitest'
import type { Feeds } from '../../../src/service/clients/feeds'
import { createFeedService, type FeedServiceOptions } from '../../../src/service/feed-service'
import { fetchTransport } from '../../../src/service/http/fetch-transport'
import { defineProfile } from '../../../src/service/profile'
import { FAST } from '../emulated'

const CATEGORY = { marketplace: 'MKT_US', categoryId: '220' }

function feedsAnswering(options: FeedServiceOptions = {}) {
  const sent: Request[] = []
  const transport = fetchTransport(request => {
    if (request.url.endsWith('/token'))
      return Response.json({ access_token: 'tok-4711', token_type: 'Bearer' })
    sent.push(request)
    return new Response(null, { status: 204 })
  })
  const profile = defineProfile({
    baseUrl: 'https://a.test',
    tokenUrl: 'https://a.test/token',
    scopeBase: 's',
  })
  const now = new Date('2026-03-15T12:00:00Z')
  const { feeds } = createFeedService(
    profile,
    { clientId: 'c', clientSecret: 'secret' },
    { transport, now, ...FAST, ...options },
  )
  return { feeds, sent }
}

test('addresses, headers and files equal those of the documents', async () => {
  const { feeds, sent } = feedsAnswering()
  const downloads = [
    feeds.getItemFeed({ ...CATEGORY, scope: 'ALL_ACTIVE' }),
    feeds.getItemFeed({ ...CATEGORY, scope: 'NEWLY_LISTED', date: '20260312' }),
    feeds.getItemGroupFeed({ ...CATEGORY, scope: 'NEWLY_LISTED', date: '20260312' }),
    feeds.getItemSnapshotFeed({ ...CATEGORY, snapshotDate: new Date('2026-03-15T05:00:00Z') }),
    feeds.getItemPriorityFeed({ ...CATEGORY, date: '20260312' }),
  ]
  for (const download of downloads) expect((await download.info()).empty).toBe(true)
  expect(sent.map(({ url }) => url.replace('https://a.test/buy/feed/v1_beta', ''))).toEqual([
    '/item?feed_scope=ALL_ACTIVE&category_id=220',
    '/item?feed_scope=NEWLY_LISTED&category_id=220&date=20260312',
    '/item_group?feed_scope=NEWLY_LISTED&category_id=220&date=20260312',
    '/item_snapshot?category_id=220&snapshot_date=2026-03-15T05%3A00%3A00.000Z',
    '/item_priority?category_id=220&date=20260312',
  ])
  for (const { headers } of sent) {
    expect(headers.get('accept')).toBe('application/json,text/tab-separated-values')
    expect(headers.get('x-mkt-c-marketplace-id')).toBe('MKT_US')
    expect(headers.get('accept-encoding')).toBe('identity')
    expect(headers.get('range')).toMatch(/^bytes=0-\d+$/)
  }
  expect(downloads.map(download => download.file)).toEqual([
    { feed: 'item', ...CATEGORY, scope: 'ALL_ACTIVE' },
    { feed: 'item', ...CATEGORY, scope: 'NEWLY_LISTED', date: '20260312' },
    { feed: 'item_group', ...CATEGORY, scope: 'NEWLY_LISTED', date: '20260312' },
    { feed: 'item_snapshot', ...CATEGORY, hour: new Date('2026-03-15T05:00:00Z') },
    { feed: 'item_priority', ...CATEGORY, date: '20260312' },
  ])
})

test('a request that the service does not allow is refused at the call', () => {
  const { feeds, sent } = feedsAnswering()
  const wrongs: [string, (feeds: Feeds) => unknown][] = [
    [
      'marketplace',
      ({ getItemFeed }) => getItemFeed({ ...CATEGORY, marketplace: 'US', scope: 'ALL_ACTIVE' }),
    ],
    [
      'categoryId',
      ({ getItemFeed }) => getItemFeed({ ...CATEGORY, categoryId: 'x', scope: 'ALL_ACTIVE' }),
    ],
    ['scope', ({ getItemGroupFeed }) => getItemGroupFeed({ ...CATEGORY, scope: 'ALL' } as never)],
    ['date', ({ getItemFeed }) => getItemFeed({ ...CATEGORY, scope: 'NEWLY_LISTED' } as never)],
    [
      'date',
      ({ getItemGroupFeed }) =>
        getItemGroupFeed({ ...CATEGORY, scope: 'NEWLY_LISTED', date: '20260316' }),
    ],
    [
      'date',
      ({ getItemFeed }) => getItemFeed({ ...CATEGORY, scope: 'NEWLY_LISTED', date: '20260225' }),
    ],
    ['date', ({ getItemPriorityFeed }) => getItemPriorityFeed({ ...CATEGORY, date: '20260228' })],
    [
      'snapshotDate',
      ({ getItemSnapshotFeed }) =>
        getItemSnapshotFeed({ ...CATEGORY, snapshotDate: '2026-03-15T05:30:00.000Z' }),
    ],
    [
      'snapshotDate',
      ({ getItemSnapshotFeed }) =>
        getItemSnapshotFeed({ ...CATEGORY, snapshotDate: '2026-03-08T10:00:00.000Z' }),
    ],
  ]
  for (const [parameter, call] of wrongs) {
    expect(() => call(feeds)).toThrow(
      expect.objectContaining({
        code: 'REQUEST_INVALID',
        context: expect.objectContaining({ parameter }),
      }),
    )
  }
  expect(sent).toEqual([])
  // The oldest daily file of a category whose newest file is three days old.
  expect(
    feeds.getItemFeed({ ...CATEGORY, scope: 'NEWLY_LISTED', date: '20260226' }).file.date,
  ).toBe('20260226')
})

test('missing parameters are left out of the request where checks are off', async () => {
  const { feeds, sent } = feedsAnswering({ checks: 'none' })
  for (const get of [
    feeds.getItemFeed,
    feeds.getItemGroupFeed,
    feeds.getItemSnapshotFeed,
    feeds.getItemPriorityFeed,
  ]) {
    await get({} as never).info()
  }
  expect(sent.map(({ url }) => new URL(url).search)).toEqual(['', '', '', ''])
  expect(sent.every(({ headers }) => !headers.has('x-mkt-c-marketplace-id'))).toBe(true)
})

test('fault 86: CR or LF in a header value is refused at the call, with and without checks', () => {
  const { feeds, sent } = feedsAnswering({ checks: 'none' })
  const refused = expect.objectContaining({
    code: 'HTTP_HEADER_INVALID',
    context: { header: 'X-MKT-C-MARKETPLACE-ID' },
  })
  expect(() =>
    feeds.getItemFeed({ ...CATEGORY, marketplace: 'MKT_US\r\nX-Evil: 1', scope: 'ALL_ACTIVE' }),
  ).toThrow(refused)
  expect(sent).toEqual([])
})
