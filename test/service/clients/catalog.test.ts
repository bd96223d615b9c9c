import { expect, test } from 'vitest'
import { itemSchema } from '../../../src/engine/schema/feed-schemas'
import type { Catalog } from '../../../src/service/clients/catalog'
import { createFeedService, type FeedServiceOptions } from '../../../src/service/feed-service'
import { fetchTransport } from '../../../src/service/http/fetch-transport'
import { defineProfile, type ProfileOptions } from '../../../src/service/profile'
import { emulated, FAST } from '../emulated'

function catalogAnswering(
  answer: () => Response,
  options: FeedServiceOptions = {},
  overrides: Partial<ProfileOptions> = {},
) {
  const sent: Request[] = []
  const scopes: (string | null)[] = []
  const transport = fetchTransport(async request => {
    if (request.url.endsWith('/token')) {
      scopes.push(new URLSearchParams(await request.text()).get('scope'))
      return Response.json({ access_token: 'tok-4711', token_type: 'Bearer' })
    }
    sent.push(request)
    return answer()
  })
  const profile = defineProfile({
    baseUrl: 'https://a.test',
    tokenUrl: 'https://a.test/token',
    scopeBase: 's',
    ...overrides,
  })
  const { catalog } = createFeedService(
    profile,
    { clientId: 'c', clientSecret: 'secret' },
    { transport, ...FAST, ...options },
  )
  return { catalog, sent, scopes }
}

const nothing = () => new Response(null, { status: 204 })
const pathsOf = (sent: readonly Request[]) =>
  sent.map(({ url }) => url.replace('https://a.test/buy/feed/v1', ''))

test('a 204 means no access rules', async () => {
  const accesses = [
    {
      feedType: 'CURATED_ITEM_FEED',
      constraints: [{ marketplaceId: 'MKT_US', categoryIds: ['1'], more: 1 }],
    },
  ]
  expect(await catalogAnswering(() => Response.json({ accesses })).catalog.getAccess()).toEqual({
    accesses,
  })
  expect(await catalogAnswering(nothing).catalog.getAccess()).toEqual({ accesses: [] })
})

test('parameters have the names of the service, and absent ones are left out', async () => {
  const { catalog, sent, scopes } = catalogAnswering(
    nothing,
    {},
    { lookBackParameter: 'minutes_back' },
  )
  await catalog.getFeedTypes().toArray()
  await catalog
    .getFeedTypes({ feedScope: 'DAILY', limit: 25, marketplaceIds: ['MKT_US', 'MKT_DE'] })
    .toArray()
  await catalog.getFiles({ marketplace: 'MKT_US' }).toArray()
  const filters = {
    feedTypeId: 'CURATED_ITEM_FEED',
    feedScope: 'DAILY',
    categoryIds: ['1', '2'],
    lookBackMinutes: 120,
    limit: 20,
  }
  await catalog.getFiles({ marketplace: 'MKT_DE', ...filters }).page('t 1')
  expect(pathsOf(sent)).toEqual([
    '/feed_type',
    '/feed_type?feed_scope=DAILY&limit=25&marketplace_ids=MKT_US%2CMKT_DE',
    '/file',
    '/file?category_ids=1%2C2&feed_scope=DAILY&feed_type_id=CURATED_ITEM_FEED&limit=20&minutes_back=120&continuation_token=t+1',
  ])
  expect(sent.map(({ headers }) => headers.get('x-mkt-c-marketplace-id'))).toEqual([
    null,
    null,
    'MKT_US',
    'MKT_DE',
  ])
  expect(scopes).toEqual(['s/buy.item.feed'])
})

test('parameters that the service does not allow are refused before anything is sent', async () => {
  const { catalog, sent, scopes } = catalogAnswering(nothing)
  const files = (query: object) => (of: Catalog) => of.getFiles({ marketplace: 'MKT_US', ...query })
  const wrongs: [string, (of: Catalog) => unknown][] = [
    ['marketplace', files({ marketplace: 'US' })],
    ['limit', files({ limit: 19 })],
    ['limit', files({ limit: 101 })],
    ['categoryIds', files({ categoryIds: Array(21).fill('1') })],
    ['lookBackMinutes', files({ lookBackMinutes: 0 })],
    ['feedTypeId', files({ feedTypeId: 'a b' })],
    ['limit', of => of.getFeedTypes({ limit: 1 })],
    ['marketplaceIds', of => of.getFeedTypes({ marketplaceIds: Array(11).fill('MKT_US') })],
    ['marketplace', of => of.downloadFile({ marketplace: '', fileId: 'f' })],
    ['marketplace', of => of.getFile({ marketplace: '', fileId: 'f' })],
  ]
  for (const [parameter, call] of wrongs) {
    const refused = { code: 'REQUEST_INVALID', context: { parameter } }
    await expect((async () => call(catalog))()).rejects.toMatchObject(refused)
  }
  expect([sent, scopes]).toEqual([[], []])
})

test('the limits come from the profile', async () => {
  const { catalog, sent } = catalogAnswering(
    nothing,
    {},
    { limits: { pageSizeMost: 500, categoryIds: 1 } },
  )
  await catalog.getFiles({ marketplace: 'MKT_US', limit: 500 }).toArray()
  expect(sent.length).toBe(1)
  expect(() => catalog.getFiles({ marketplace: 'MKT_US', categoryIds: ['1', '2'] })).toThrow(
    expect.objectContaining({ code: 'REQUEST_INVALID' }),
  )
})

test('fault 86: identifiers that are no path segment are refused at the call', async () => {
  const { catalog, sent, scopes } = catalogAnswering(nothing)
  for (const id of ['..', '.', '', '/etc', 'a/b', '\\x', 'a\r\nb']) {
    const refused = { code: 'HTTP_IDENTIFIER_INVALID' }
    expect(() => catalog.downloadFile({ marketplace: 'MKT_US', fileId: id })).toThrow(
      expect.objectContaining(refused),
    )
    await expect(catalog.getFile({ marketplace: 'MKT_US', fileId: id })).rejects.toMatchObject(
      refused,
    )
    await expect(catalog.getFeedType({ feedTypeId: id })).rejects.toMatchObject(refused)
  }
  expect([sent, scopes]).toEqual([[], []])
})

test('an identifier with other characters of a URL stays one segment', async () => {
  const { catalog, sent } = catalogAnswering(() => Response.json({ fileId: 'x' }))
  await catalog.getFile({ marketplace: 'MKT_US', fileId: 'a?b#c d%2F..:é' })
  expect(pathsOf(sent)).toEqual(['/file/a%3Fb%23c%20d%252F..%3A%C3%A9'])
})

test('a file is read with the schema of the caller, and without one', async () => {
  const { service, emulator } = emulated()
  const files = await service.catalog.getFiles({ marketplace: 'MKT_US' }).toArray()
  const curated = files.find(
    ({ access, feedTypeId }) => access === 'ALLOWED' && feedTypeId === 'CURATED_ITEM_FEED',
  )!
  const query = { marketplace: 'MKT_US', fileId: curated.fileId }
  const typed = await service.catalog
    .downloadFile({ ...query, schema: itemSchema })
    .rows()
    .toArray()
  const texts = await service.catalog.downloadFile(query).rows().toArray()
  expect(typed.length).toBe(texts.length)
  expect(typed[0]?.get('priceValue')).toHaveProperty('text')
  expect(typed[0]?.batch.file).toMatchObject({ feed: 'item', marketplace: 'MKT_US' })
  expect(texts[0]?.batch.file).toMatchObject({ feed: 'other', marketplace: 'MKT_US' })
  await emulator.close()
})
