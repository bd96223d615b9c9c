// Tests the catalog as a client uses it. It is one file because all operations use one world.

import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import type { EmulatorOptions } from '../../../src/emulator'
import type {
  AccessResponse,
  FeedTypeSearchResponse,
  FileMetadata,
  FileMetadataSearchResponse,
} from '../../../src/service/json/bodies'
import { refusalIn, type ServiceClient, serviceClient } from '../service-client'

const BASE = '/buy/feed/v1'
const NOW = new Date('2026-03-20T12:00:00Z')
const WORLD = { seed: 7, items: 150, churn: 20, hours: 24 * 19 }

/** The world has enough changes for listings on every day. */
const BUSY = { ...WORLD, items: 1_500 }

const shop = (options: Partial<EmulatorOptions> = {}) =>
  serviceClient({ world: WORLD, now: NOW, ...options })

async function json<T>(response: Response): Promise<T> {
  expect(response.status).toBe(200)
  return (await response.json()) as T
}

async function filesOf(
  client: ServiceClient,
  query = '',
  headers = {},
): Promise<FileMetadataSearchResponse> {
  return json(await client.send(`${BASE}/file?limit=100${query}`, headers))
}

async function firstFile(client: ServiceClient): Promise<FileMetadata> {
  return (await filesOf(client)).fileMetadata[0]!
}

describe('getAccess', () => {
  test('it names the feed types with the marketplaces that each may be used on', async () => {
    const client = await shop({ world: { ...WORLD, marketplaces: ['MKT_US', 'MKT_DE'] } })
    const { accesses } = await json<AccessResponse>(await client.send(`${BASE}/access`))
    const constraints = ['MKT_US', 'MKT_DE'].map(marketplaceId => ({
      marketplaceId,
      categoryIds: [],
    }))
    expect(accesses).toEqual(
      ['CURATED_ITEM_FEED', 'PRODUCT_FEED'].map(feedType => ({ feedType, constraints })),
    )
  })

  test('it names the limits where there are some', async () => {
    const client = await shop({
      access: { constraints: [{ marketplaceId: 'MKT_US', categoryIds: ['220'] }] },
    })
    const { accesses } = await json<AccessResponse>(await client.send(`${BASE}/access`))
    expect(accesses[0]?.constraints).toEqual([{ marketplaceId: 'MKT_US', categoryIds: ['220'] }])
  })

  test('it answers 204 where there is nothing to name', async () => {
    const client = await shop({ access: { constraints: [] } })
    expect((await client.send(`${BASE}/access`)).status).toBe(204)
  })
})

describe('feed types', () => {
  test('the list has all of them, with the facts about their files', async () => {
    const client = await shop()
    const found = await json<FeedTypeSearchResponse>(await client.send(`${BASE}/feed_type`))
    expect(found).toMatchObject({ total: 2, limit: 2, href: `http://emulator${BASE}/feed_type` })
    expect(found.next).toBeUndefined()
    expect(found.feedTypes[0]).toMatchObject({
      feedTypeId: 'CURATED_ITEM_FEED',
      supportedFeeds: [
        {
          authorizationScopes: ['https://api.market.example/oauth/buy.item.feed'],
          feedScope: 'DAILY',
          lookBack: { unit: 'MINUTE', value: 20_160 },
          status: 'ACTIVE',
        },
      ],
    })
    const definition = JSON.parse(
      found.feedTypes[0]!.supportedFeeds![0]!.supportedSchemas![0]!.definition!,
    ) as Record<string, string>
    expect(Object.entries(definition).slice(0, 3)).toEqual([
      ['itemId', 'string'],
      ['title', 'string'],
      ['imageUrl', 'string'],
    ])
    expect(definition).toMatchObject({
      imageAlteringProhibited: 'boolean',
      estimatedAvailableQuantity: 'integer',
    })
    await client.emulator.close()
  })

  test('one of them can be requested', async () => {
    const client = await shop()
    expect(await json(await client.send(`${BASE}/feed_type/PRODUCT_FEED`))).toMatchObject({
      feedTypeId: 'PRODUCT_FEED',
    })
  })

  test('the list can be limited to some marketplaces, and shows their constraint', async () => {
    const feedTypes = [
      { feedTypeId: 'A', description: 'a', feed: 'item', marketplaceIds: ['MKT_DE'] },
      { feedTypeId: 'B', description: 'b', feed: 'item' },
    ] as const
    const client = await shop({
      world: { ...WORLD, marketplaces: ['MKT_US', 'MKT_DE'] },
      catalog: { feedTypes },
    })
    const ids = async (query: string) => {
      const { feedTypes: found } = await json<FeedTypeSearchResponse>(
        await client.send(`${BASE}/feed_type?${query}`),
      )
      return found.map(type => type.feedTypeId)
    }
    expect(await ids('marketplace_ids=MKT_US')).toEqual(['B'])
    expect(await ids('marketplace_ids=MKT_US,MKT_DE')).toEqual(['A', 'B'])
    expect(await ids('feed_scope=HOURLY')).toEqual([])
    expect(await json(await client.send(`${BASE}/feed_type/A`))).toMatchObject({
      supportedFeeds: [{ constraint: { marketplaceIds: ['MKT_DE'] } }],
    })
  })
})

describe('files', () => {
  test('the list has the daily files of the look-back, the latest first', async () => {
    const client = await shop({
      world: BUSY,
      catalog: { feedTypes: [{ feedTypeId: 'CURATED_ITEM_FEED', description: '', feed: 'item' }] },
    })
    const { fileMetadata, total, limit } = await filesOf(client)
    expect([total, limit]).toEqual([14, 100])
    expect(fileMetadata.map(file => file.feedDate)).toEqual(
      Array.from({ length: 14 }, (_, i) => new Date(Date.UTC(2026, 2, 20 - i, 7)).toISOString()),
    )
    expect(fileMetadata[0]).toMatchObject({
      access: 'ALLOWED',
      dimensions: [{ dimensionKey: 'CATEGORY', values: ['220'] }],
      feedScope: 'DAILY',
      feedTypeId: 'CURATED_ITEM_FEED',
      format: 'TSV',
      marketplaceId: 'MKT_US',
      schemaVersion: '1.0',
      span: { unit: 'DAY', value: 1 },
    })
    expect(fileMetadata.every(file => /^[0-9a-f]{32}$/.test(file.fileId))).toBe(true)
  })

  test('their identifiers do not depend on the process, the clock or the page', async () => {
    const [one, other] = [
      await filesOf(await shop()),
      await filesOf(await shop({ now: new Date(NOW.getTime() + 60_000) })),
    ]
    expect(one.fileMetadata.map(file => file.fileId)).toEqual(
      other.fileMetadata.map(file => file.fileId),
    )
    expect(new Set(one.fileMetadata.map(file => file.fileId)).size).toBe(one.total)
  })

  test('type, categories, look-back, frequency and marketplace filter the list', async () => {
    const client = await shop({
      world: { ...BUSY, marketplaces: ['MKT_US', 'MKT_DE'], categories: ['220', '11450', '10542'] },
    })
    const totals = async (query: string) => (await filesOf(client, query)).total
    const all = (await totals(''))!
    const both = await Promise.all(
      ['CURATED_ITEM_FEED', 'PRODUCT_FEED'].map(id => totals(`&feed_type_id=${id}`)),
    )
    expect(both[0]! + both[1]!).toBe(all)
    expect((await totals('&category_ids=220'))! + (await totals('&category_ids=11450'))!).toBe(all)
    expect(await totals('&category_ids=220,11450')).toBe(all)
    expect(await totals('&category_ids=10542')).toBe(0)
    expect(await totals('&feed_scope=WEEKLY')).toBe(0)
    const recent = await filesOf(client, `&look_back=${5 * 60}&feed_type_id=CURATED_ITEM_FEED`)
    expect(recent.fileMetadata.map(file => file.feedDate)).toEqual([
      '2026-03-20T07:00:00.000Z',
      '2026-03-20T07:00:00.000Z',
    ])
    expect(await totals(`&look_back=${5 * 60 - 1}`)).toBe(0)
    const german = await filesOf(client, '', { 'X-MKT-C-MARKETPLACE-ID': 'MKT_DE' })
    expect(new Set(german.fileMetadata.map(file => file.marketplaceId))).toEqual(
      new Set(['MKT_DE']),
    )
  })

  test('a file appears when its day is over and disappears after the look-back', async () => {
    let now = new Date('2026-03-20T06:59:59.999Z')
    const client = await shop({ world: BUSY, now: () => now, tokenLifetimeSeconds: 10 ** 8 })
    const dates = async () =>
      (await filesOf(client, '&feed_type_id=CURATED_ITEM_FEED')).fileMetadata.map(
        file => file.feedDate!,
      )
    const before = await dates()
    const oldest = (await filesOf(client, '&feed_type_id=CURATED_ITEM_FEED')).fileMetadata.at(-1)!
    expect([before[0], before.at(-1)]).toEqual([
      '2026-03-19T07:00:00.000Z',
      '2026-03-06T07:00:00.000Z',
    ])
    now = new Date('2026-03-20T07:00:00.000Z')
    expect([(await dates())[0], (await dates()).at(-1)]).toEqual([
      '2026-03-20T07:00:00.000Z',
      '2026-03-06T07:00:00.000Z',
    ])
    now = new Date('2026-03-20T07:00:00.001Z')
    expect((await dates()).at(-1)).toBe('2026-03-07T07:00:00.000Z')
    expect(await refusalIn(await client.send(`${BASE}/file/${oldest.fileId}`))).toEqual([
      404, 14004,
    ])
    expect(await refusalIn(await client.send(`${BASE}/file/${oldest.fileId}/download`))).toEqual([
      404, 14004,
    ])
  })

  test('pages of every size give more than 100 files, each once and in order, with links within the origin', async () => {
    const client = await shop({
      world: { ...BUSY, items: 800, categories: ['1', '2', '3', '4', '5'] },
    })
    const whole: string[] = []
    for (const limit of [100, 20, 37]) {
      const ids: string[] = []
      let url: string | undefined = `http://emulator${BASE}/file?limit=${limit}`
      while (url !== undefined) {
        const page: FileMetadataSearchResponse = await json(await client.send(url))
        expect(page.fileMetadata.length).toBeLessThanOrEqual(limit)
        expect(page).toMatchObject({ href: url, limit })
        expect(page.next === undefined || new URL(page.next).origin === 'http://emulator').toBe(
          true,
        )
        ids.push(...page.fileMetadata.map(file => file.fileId))
        expect(page.total).toBeGreaterThan(100)
        expect(page.next === undefined).toBe(ids.length === page.total)
        url = page.next
      }
      if (whole.length === 0) whole.push(...ids)
      expect(ids).toEqual(whole)
    }
    expect(new Set(whole).size).toBe(whole.length)
  })

  test('a chosen look-back hides every older file', async () => {
    const feedTypes = [
      { feedTypeId: 'A', description: '', feed: 'item', lookBackMinutes: 3 * 24 * 60 },
    ] as const
    const { fileMetadata } = await filesOf(
      await shop({ world: BUSY, catalog: { feedTypes } }),
      '&look_back=99999999',
    )
    expect(fileMetadata.map(file => file.feedDate!.slice(0, 10))).toEqual([
      '2026-03-20',
      '2026-03-19',
      '2026-03-18',
    ])
  })

  test('a day without listings makes no file', async () => {
    const client = await shop({ world: { ...WORLD, items: 0 } })
    expect(await filesOf(client)).toMatchObject({ total: 0, fileMetadata: [] })
  })

  test('a new file between two pages causes no repetition', async () => {
    let now = new Date('2026-03-20T06:59:00Z')
    const client = await shop({ world: BUSY, now: () => now, tokenLifetimeSeconds: 10 ** 8 })
    const first = await json<FileMetadataSearchResponse>(await client.send(`${BASE}/file`))
    now = new Date('2026-03-20T07:00:00Z')
    const second = await json<FileMetadataSearchResponse>(await client.send(first.next!))
    const shown = [...first.fileMetadata, ...second.fileMetadata].map(file => file.fileId)
    expect(new Set(shown).size).toBe(shown.length)
    expect(first.limit).toBe(20)
  })

  test('fault 37: the listed size may be wrong, and the file keeps its real size', async () => {
    const client = await shop({ catalog: { toldSize: bytes => bytes - 2 ** 32 } })
    const { fileId, size } = await firstFile(client)
    const response = await client.send(`${BASE}/file/${fileId}/download`, { range: 'bytes=0-9' })
    const total = Number(response.headers.get('content-range')!.split('/')[1])
    expect(size).toBe(total - 2 ** 32)
    expect(await json(await client.send(`${BASE}/file/${fileId}`))).toMatchObject({ fileId, size })
  })

  test('a file that may not be read is listed as RESTRICTED', async () => {
    const access = { constraints: [{ marketplaceId: 'MKT_US', categoryIds: ['220'] }] }
    const client = await shop({ access, world: { ...WORLD, categories: ['220', '11450'] } })
    const { fileMetadata } = await filesOf(client)
    for (const file of fileMetadata)
      expect(file.access).toBe(file.dimensions![0]!.values![0] === '220' ? 'ALLOWED' : 'RESTRICTED')
    const restricted = fileMetadata.find(file => file.access === 'RESTRICTED')!
    expect(
      await refusalIn(await client.send(`${BASE}/file/${restricted.fileId}/download`)),
    ).toEqual([403, 14007])
  })
})

describe('downloadFile', () => {
  test('it answers 200 with the whole file and 206 with a part', async () => {
    const client = await shop()
    const { fileId, size } = await firstFile(client)
    const path = `${BASE}/file/${fileId}/download`
    const response = await client.send(path)
    const whole = Buffer.from(await response.arrayBuffer())
    expect([response.status, response.headers.get('content-type'), whole.length]).toEqual([
      200,
      'application/octet-stream',
      size,
    ])
    expect(gunzipSync(whole).toString().split('\n').length).toBeGreaterThan(2)
    const part = await client.send(path, { range: 'bytes=10-19' })
    expect([part.status, part.headers.get('content-range')]).toEqual([206, `10-19/${size}`])
    expect(Buffer.from(await part.arrayBuffer()).equals(whole.subarray(10, 20))).toBe(true)
  })

  test('it does not have a file of another marketplace', async () => {
    const client = await shop({ world: { ...WORLD, marketplaces: ['MKT_US', 'MKT_DE'] } })
    const { fileId } = await firstFile(client)
    expect(
      await refusalIn(
        await client.send(`${BASE}/file/${fileId}/download`, {
          'X-MKT-C-MARKETPLACE-ID': 'MKT_DE',
        }),
      ),
    ).toEqual([404, 14004])
  })

  test('its 416 states the total', async () => {
    const client = await shop()
    const { fileId, size } = await firstFile(client)
    const response = await client.send(`${BASE}/file/${fileId}/download`, {
      range: `bytes=${size}-${size! + 5}`,
    })
    expect(response.headers.get('content-range')).toBe(`*/${size}`)
    expect(await refusalIn(response)).toEqual([416, 13017])
  })
})

describe('refusals', () => {
  const types = [
    { feedTypeId: 'CURATED_ITEM_FEED', description: '', feed: 'item', marketplaceIds: ['MKT_US'] },
    { feedTypeId: 'SECRET_FEED', description: '', feed: 'item_group', permitted: false },
  ] as const
  const options: Partial<EmulatorOptions> = {
    world: { ...WORLD, marketplaces: ['MKT_US', 'MKT_DE'], categories: ['220', '11450'] },
    catalog: { feedTypes: types, maxWholeBytes: 100 },
    access: { constraints: [{ marketplaceId: 'MKT_US', categoryIds: ['220'] }] },
    maxRangeBytes: 1_000,
  }
  const GERMAN = { 'X-MKT-C-MARKETPLACE-ID': 'MKT_DE' }
  const rows: [
    operation: string,
    status: number,
    code: number,
    path: string,
    headers?: Record<string, string | null>,
  ][] = [
    ...[
      'getAccess /access',
      'getFeedTypes /feed_type',
      'getFeedType /feed_type/X',
      'getFiles /file',
      'getFile /file/x',
      'downloadFile DOWNLOAD',
    ].map((row): [string, number, number, string, Record<string, string>] => {
      const [operation, path] = row.split(' ') as [string, string]
      return [operation, 500, 13006, path, { 'x-feedmill-fault': 'error;code=13006' }]
    }),
    ...['getFiles /file', 'getFile FILE', 'downloadFile DOWNLOAD'].flatMap(row => {
      const [operation, path] = row.split(' ') as [string, string]
      return [null, 'MKT_FR', 'us', 'mkt_us'].map(
        (id): [string, number, number, string, Record<string, string | null>] => {
          return [operation, 400, 13014, path, { 'X-MKT-C-MARKETPLACE-ID': id }]
        },
      )
    }),
    ['downloadFile', 400, 13015, 'DOWNLOAD'],
    ['downloadFile', 400, 13016, 'DOWNLOAD', { range: 'items=0-5' }],
    ['downloadFile', 400, 13016, 'DOWNLOAD', { range: 'bytes=x-5' }],
    ['downloadFile', 400, 13016, 'DOWNLOAD', { range: 'bytes=0-' }],
    ['downloadFile', 416, 13017, 'DOWNLOAD', { range: 'bytes=9-5' }],
    ['downloadFile', 416, 13017, 'DOWNLOAD', { range: 'bytes=0-1001' }],
    ['downloadFile', 416, 13017, 'DOWNLOAD', { range: 'bytes=90000000-90000001' }],
    ['getFeedType', 404, 14000, '/feed_type/OTHER_FEED'],
    ...['19', '101', '0', '-1', 'x', '2.5'].flatMap((limit): [string, number, number, string][] => [
      ['getFiles', 400, 14001, `/file?limit=${limit}`],
      ['getFeedTypes', 400, 14001, `/feed_type?limit=${limit}`],
    ]),
    ...['x', 'W10.x', '', '.'].flatMap((token): [string, number, number, string][] => [
      ['getFiles', 400, 14002, `/file?continuation_token=${token}`],
      ['getFeedTypes', 400, 14002, `/feed_type?continuation_token=${token}`],
    ]),
    ['getFile', 404, 14004, '/file/unknown'],
    ['downloadFile', 404, 14004, '/file/unknown/download'],
    [
      'getFiles',
      400,
      14005,
      `/file?category_ids=${Array.from({ length: 21 }, (_, i) => i + 1).join(',')}`,
    ],
    ...['0', '-1', 'x', '1.5', ''].map((minutes): [string, number, number, string] => [
      'getFiles',
      400,
      14006,
      `/file?look_back=${minutes}`,
    ]),
    ['downloadFile', 403, 14007, 'RESTRICTED'],
    ['getFiles', 400, 14008, '/file?feed_type_id=OTHER_FEED'],
    ['getFiles', 403, 14009, '/file?feed_type_id=CURATED_ITEM_FEED', GERMAN],
    ['getFeedTypes', 400, 14010, '/feed_type?marketplace_ids=MKT_FR'],
    [
      'getFeedTypes',
      400,
      14010,
      `/feed_type?marketplace_ids=${Array.from({ length: 11 }, () => 'MKT_US').join(',')}`,
    ],
    ['getFiles', 403, 14011, '/file?feed_type_id=SECRET_FEED'],
    ['getFeedType', 403, 14011, '/feed_type/SECRET_FEED'],
  ]

  test.each(rows)('%s: %i %i (%s, %o)', async (_, status, code, path, headers = {}) => {
    const client = await shop(options)
    const { fileMetadata } = await filesOf(client, '&feed_type_id=CURATED_ITEM_FEED')
    const [allowed, restricted] = ['ALLOWED', 'RESTRICTED'].map(
      access => fileMetadata.find(file => file.access === access)!.fileId,
    )
    const real = path
      .replace('FILE', `/file/${allowed}`)
      .replace('DOWNLOAD', `/file/${allowed}/download`)
    const response = await client.send(
      BASE + real.replace('RESTRICTED', `/file/${restricted}/download`),
      headers,
    )
    expect(await refusalIn(response)).toEqual([status, code])
    await client.emulator.close()
  })

  test('downloadFile answers 403 14009 where the feed type is not permitted on the marketplace', async () => {
    const client = await shop({
      ...options,
      catalog: { feedTypes: [{ feedTypeId: 'A', description: '', feed: 'item' }] },
    })
    const german = await filesOf(client, '', GERMAN)
    expect(german.fileMetadata[0]!.access).toBe('RESTRICTED')
    expect(
      await refusalIn(
        await client.send(`${BASE}/file/${german.fileMetadata[0]!.fileId}/download`, GERMAN),
      ),
    ).toEqual([403, 14009])
  })

  test('a continuation token serves only its own list', async () => {
    const client = await shop({ world: BUSY })
    const { next } = await json<FileMetadataSearchResponse>(await client.send(`${BASE}/file`))
    const other = new URL(next!)
    other.searchParams.set('category_ids', '220')
    expect(await refusalIn(await client.send(other.href))).toEqual([400, 14002])
    const smaller = new URL(next!)
    smaller.searchParams.set('limit', '50')
    expect((await client.send(smaller.href)).status).toBe(200)
  })

  test('a token with another scope gets 403 on all six operations, with 14007 on downloadFile', async () => {
    const client = await shop()
    const authorization = await client.bearer('api_scope')
    const { fileId } = await firstFile(client)
    for (const path of [
      '/access',
      '/feed_type',
      '/feed_type/PRODUCT_FEED',
      '/file',
      `/file/${fileId}`,
    ]) {
      const response = await client.send(BASE + path, { authorization })
      expect([path, response.status, response.headers.get('www-authenticate')]).toEqual([
        path,
        403,
        'Bearer error="insufficient_scope"',
      ])
      expect((await client.send(BASE + path, { authorization: null })).status).toBe(401)
    }
    expect(
      await refusalIn(await client.send(`${BASE}/file/${fileId}/download`, { authorization })),
    ).toEqual([403, 14007])
  })

  test('the error names the wrong part and repeats its value', async () => {
    const client = await shop()
    const body = (await (await client.send(`${BASE}/file?limit=7`)).json()) as Record<
      string,
      unknown
    >
    expect(body).toMatchObject({
      domain: 'API_FEED',
      category: 'REQUEST',
      inputRefIds: ['limit'],
      message: 'The limit is invalid. Use a whole number from 20 to 100.',
      parameters: [
        { name: 'limit', value: '7' },
        { name: 'least', value: '20' },
        { name: 'most', value: '100' },
      ],
    })
  })

  test('an option wraps the errors', async () => {
    const client = await shop({ wrapErrors: true })
    expect(await (await client.send(`${BASE}/file?limit=7`)).json()).toMatchObject({
      errors: [{ errorId: 14001 }],
    })
  })
})

test('a second profile works by configuration alone', async () => {
  const client = await shop({
    world: { ...WORLD, marketplaces: ['SHOP_DE'] },
    marketplaceHeader: 'X-Shop',
    marketplacePrefix: 'SHOP_',
    lookBackParameter: 'minutes',
    scopes: { getFiles: 'files.read', downloadFile: 'files.read' },
    paths: { getFiles: '/v9/files', downloadFile: '/v9/files/{file_id}/bytes' },
    limits: { pageSizeLeast: 1, pageSizeMost: 5, categoryIds: 1 },
  })
  const authorization = await client.bearer('files.read')
  const page = await json<FileMetadataSearchResponse>(
    await client.send('/v9/files?limit=5&minutes=20160', { authorization }),
  )
  expect(page.fileMetadata).toHaveLength(5)
  const { fileId, size } = page.fileMetadata[0]!
  const response = await client.send(`/v9/files/${fileId}/bytes`, { authorization })
  expect((await response.arrayBuffer()).byteLength).toBe(size)
  expect(await refusalIn(await client.send('/v9/files?minutes=0', { authorization }))).toEqual([
    400, 14006,
  ])
  expect(
    await refusalIn(await client.send('/v9/files?category_ids=1,2', { authorization })),
  ).toEqual([400, 14005])
})

test('links lead to the requested address, on a socket', async () => {
  const { emulator, bearer } = await shop({ world: BUSY })
  const { url } = await emulator.listen()
  const headers = {
    authorization: await bearer('buy.item.feed'),
    'X-MKT-C-MARKETPLACE-ID': 'MKT_US',
  }
  const first = await json<FileMetadataSearchResponse>(
    await fetch(`${url}${BASE}/file`, { headers }),
  )
  expect(new URL(first.next!).origin).toBe(url)
  expect(
    (await json<FileMetadataSearchResponse>(await fetch(first.next!, { headers }))).fileMetadata
      .length,
  ).toBeGreaterThan(0)
  await emulator.close()
})

test.each([0, 0.5, 366 * 24 * 60 + 1])(
  'a look-back of %d minutes is refused when the emulator is made',
  async lookBackMinutes => {
    const feedTypes = [{ feedTypeId: 'A', description: '', feed: 'item', lookBackMinutes }] as const
    await expect(shop({ catalog: { feedTypes } })).rejects.toMatchObject({
      code: 'OPTION_INVALID',
      context: { option: 'lookBackMinutes' },
    })
  },
)

test('a feed type with bootstrap content publishes all items at the end of each day', async () => {
  const type = {
    feedTypeId: 'CURATED_ITEM_FEED',
    description: 'All items.',
    feed: 'item',
    content: 'bootstrap',
  } as const
  const client = await shop({ catalog: { feedTypes: [type] } })
  const { fileId, feedDate } = await firstFile(client)
  const body = await client.send(`${BASE}/file/${fileId}/download`)
  const [, ...rows] = gunzipSync(await body.arrayBuffer())
    .toString()
    .trimEnd()
    .split('\n')
  const truth = [...client.emulator.world.truthAt(new Date(feedDate!))]
  expect(rows.map(row => row.split('\t')[0])).toEqual(truth.map(({ itemId }) => itemId))
  expect(rows.length).toBeGreaterThan(100)
})
