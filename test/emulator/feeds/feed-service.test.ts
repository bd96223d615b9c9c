// Tests the feeds as a client uses them. It is one file because each rule is tested on all four.

import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import type { EmulatorOptions } from '../../../src/emulator'
import { tsvBytes } from '../../../src/emulator'
import { documentedErrors } from '../../../src/service'
import { bodyOf, client } from '../emulator-client'

const ITEM = '/item?feed_scope=ALL_ACTIVE&category_id=220'
const GROUP = '/item_group?feed_scope=ALL_ACTIVE&category_id=220'
const SNAPSHOT = '/item_snapshot?category_id=220&snapshot_date=2026-03-01T05:00:00.000Z'
const PRIORITY = '/item_priority?category_id=220&date=20260301'
const WHOLE = { range: 'bytes=0-90000000' }
const FEEDS = { item: ITEM, item_group: GROUP, item_snapshot: SNAPSHOT, item_priority: PRIORITY }

const FORMAT = {
  headerSpelling: 'camelCase',
  tailColumns: true,
  unknownColumns: true,
  gzipLevel: 1,
} as const

const world = (items: number) => ({ seed: 7, items, churn: 20, hours: 72 })

describe('feeds', () => {
  test.each(Object.entries(FEEDS))(
    '%s sends the whole file with its documented headers',
    async (feed, path) => {
      const { emulator, get } = await client({ world: world(800) })
      const response = await get(path, WHOLE)
      const bytes = await bodyOf(response)
      expect(response.status).toBe(200)
      expect(response.headers.get('content-type')).toBe('text/tab-separated-values')
      expect(response.headers.get('content-range')).toBe(`0-${bytes.length - 1}/${bytes.length}`)
      expect(response.headers.get('content-length')).toBe(String(bytes.length))
      const made = {
        item: '2026-03-01T00:00:00Z',
        item_group: '2026-03-01T00:00:00Z',
        item_snapshot: '2026-03-01T06:00:00Z',
        item_priority: '2026-03-02T07:00:00Z',
      }
      expect(response.headers.get('last-modified')).toBe(
        new Date(made[feed as keyof typeof made]).toUTCString(),
      )
      expect(gunzipSync(bytes).toString().split('\n').length).toBeGreaterThan(5)
      await emulator.close()
    },
  )

  test('every range of a small file equals the slice of the whole', async () => {
    const { emulator, get } = await client({ world: { seed: 7, items: 1 } })
    const whole = await bodyOf(await get(ITEM, WHOLE))
    const positions = [
      ...new Set([
        0,
        1,
        2,
        9,
        10,
        17,
        18,
        whole.length - 9,
        whole.length - 8,
        whole.length - 2,
        whole.length - 1,
      ]),
    ]
    for (const start of positions) {
      for (const end of positions.filter(position => position >= start)) {
        const response = await get(ITEM, { range: `bytes=${start}-${end}` })
        expect((await bodyOf(response)).equals(whole.subarray(start, end + 1))).toBe(true)
        expect(response.status).toBe(start === 0 && end === whole.length - 1 ? 200 : 206)
        expect(response.headers.get('content-range')).toBe(`${start}-${end}/${whole.length}`)
      }
    }
    await emulator.close()
  })

  test('a range may have any start and any end, and one byte', async () => {
    const { emulator, get } = await client({ world: { seed: 7, items: 1 } })
    const whole = await bodyOf(await get(ITEM, WHOLE))
    for (let at = 0; at < whole.length; at++) {
      const [one, rest] = await Promise.all([
        get(ITEM, { range: `bytes=${at}-${at}` }),
        get(ITEM, { range: `bytes=${at}-${whole.length + 5}` }),
      ])
      expect((await bodyOf(one)).equals(whole.subarray(at, at + 1))).toBe(true)
      expect((await bodyOf(rest)).equals(whole.subarray(at))).toBe(true)
    }
    await emulator.close()
  })

  const forms: [EmulatorOptions['headerForm'], string | null, number, string][] = [
    ['documented', 'bytes=5-99999999', 206, '5-LAST/TOTAL'],
    ['documented', 'bytes=0-99999999', 200, '0-LAST/TOTAL'],
    ['rfc9110', 'bytes=5-99999999', 206, 'bytes 5-LAST/TOTAL'],
    ['rfc9110', 'bytes=0-99999999', 206, 'bytes 0-LAST/TOTAL'],
    ['echo', 'bytes=5-99999999', 200, '5-99999999/TOTAL'],
    ['echo', 'bytes=0-99999999', 200, '0-99999999/TOTAL'],
    ['documented', null, 200, '0-LAST/TOTAL'],
  ]
  test.each(forms)('header form %s, %s: %i %s', async (headerForm, range, status, expected) => {
    const { emulator, get } = await client({ headerForm: headerForm!, world: world(200) })
    const response = await get(GROUP, range === null ? {} : { range })
    const total = (await bodyOf(await get(GROUP))).length
    expect(response.status).toBe(status)
    expect(response.headers.get('content-range')).toBe(
      expected.replace('LAST', String(total - 1)).replace('TOTAL', String(total)),
    )
    expect((await bodyOf(response)).length).toBe(range?.startsWith('bytes=5-') ? total - 5 : total)
    await emulator.close()
  })

  test('rfc9110 sends no Content-range where the request has no Range', async () => {
    const { emulator, get } = await client({ headerForm: 'rfc9110', world: world(200) })
    const response = await get(GROUP)
    expect([response.status, response.headers.get('content-range')]).toEqual([200, null])
    await emulator.close()
  })

  test('a range past the end gets 400 on three feeds, 416 with */total on item_priority, and 416 everywhere in rfc9110', async () => {
    for (const headerForm of ['documented', 'rfc9110'] as const) {
      const { emulator, get } = await client({ headerForm, world: world(800) })
      for (const [feed, path] of Object.entries(FEEDS)) {
        const total = (await bodyOf(await get(path, WHOLE))).length
        const response = await get(path, { range: `bytes=${total}-${total + 10}` })
        const status = headerForm === 'rfc9110' || feed === 'item_priority' ? 416 : 400
        expect([response.status, ((await response.json()) as { errorId: number }).errorId]).toEqual(
          [status, 13017],
        )
        const starred = headerForm === 'rfc9110' ? `bytes */${total}` : `*/${total}`
        expect(response.headers.get('content-range')).toBe(status === 416 ? starred : null)
      }
      await emulator.close()
    }
  })

  test('a file without items gets 204 without a body', async () => {
    const { emulator, get } = await client({ world: world(0) })
    for (const path of Object.values(FEEDS)) {
      const response = await get(path, WHOLE)
      expect([response.status, (await bodyOf(response)).length]).toEqual([204, 0])
    }
    await emulator.close()
  })

  test('the bytes equal those of the world', async () => {
    const { emulator, get } = await client({ world: world(300), format: FORMAT })
    const bytes = gunzipSync(await bodyOf(await get(ITEM, WHOLE)))
    const file = {
      feed: 'item',
      content: 'bootstrap',
      marketplaceId: 'MKT_US',
      categoryId: '220',
      from: emulator.world.start,
      to: emulator.world.start,
    } as const
    expect(bytes.equals(Buffer.concat([...tsvBytes(emulator.world, file, FORMAT)]))).toBe(true)
    await emulator.close()
  })
})

describe('Accept-Encoding: gzip', () => {
  const gzip = { 'accept-encoding': 'gzip, deflate' }

  test.each(Object.entries(FEEDS))(
    '%s is compressed twice, and its headers say so',
    async (_, path) => {
      const { emulator, get } = await client({ world: world(300) })
      const file = await bodyOf(await get(path, WHOLE))
      const response = await get(path, { ...WHOLE, ...gzip })
      const coded = await bodyOf(response)
      expect([response.status, response.headers.get('content-encoding')]).toEqual([200, 'gzip'])
      expect(response.headers.get('content-range')).toBe(`0-${coded.length - 1}/${coded.length}`)
      expect(coded.equals(file)).toBe(false)
      expect(gunzipSync(coded).equals(file)).toBe(true)
      await emulator.close()
    },
  )

  test('ranges count the bytes that are sent', async () => {
    const { emulator, get } = await client({ world: world(300) })
    const coded = await bodyOf(await get(ITEM, { ...WHOLE, ...gzip }))
    const parts = await Promise.all(
      [0, 1_000, 2_000].map(start =>
        get(ITEM, {
          range: `bytes=${start}-${start + (start === 2_000 ? 9_999_999 : 999)}`,
          ...gzip,
        }),
      ),
    )
    expect(Buffer.concat(await Promise.all(parts.map(bodyOf))).equals(coded)).toBe(true)
    for (const part of parts)
      expect(part.headers.get('content-range')).toMatch(new RegExp(`/${coded.length}$`))
    await emulator.close()
  })

  test('an empty file stays empty', async () => {
    const { emulator, get } = await client({ world: world(0) })
    const response = await get(ITEM, { ...WHOLE, ...gzip })
    expect([response.status, response.headers.get('content-encoding')]).toEqual([204, null])
    await emulator.close()
  })
})

describe('access', () => {
  const marketplaces = ['MKT_US', 'MKT_DE', 'MKT_GB']
  const categories = ['220', '550', '10542']
  const options: Partial<EmulatorOptions> = {
    world: { ...world(40), marketplaces, categories },
    access: {
      constraints: [
        { marketplaceId: 'MKT_US', categoryIds: ['220', '10542'] },
        { marketplaceId: 'MKT_DE' },
      ],
    },
  }
  const expected: [marketplace: string, categoryId: string, status: number, code?: number][] = [
    ['MKT_US', '220', 200],
    ['MKT_US', '550', 403, 13024],
    ['MKT_US', '10542', 400, 13022],
    ['MKT_DE', '220', 200],
    ['MKT_DE', '550', 200],
    ['MKT_DE', '10542', 400, 13022],
    ['MKT_GB', '220', 403, 13023],
    ['MKT_GB', '10542', 403, 13023],
    ['MKT_FR', '220', 400, 13014],
  ]

  test('restricted marketplaces and categories are refused on all four feeds, and Real Estate everywhere', async () => {
    const { emulator, get } = await client(options)
    for (const path of Object.values(FEEDS)) {
      for (const [marketplace, categoryId, status, code] of expected) {
        const response = await get(path.replace('220', categoryId), {
          ...WHOLE,
          'X-MKT-C-MARKETPLACE-ID': marketplace,
        })
        const error =
          status === 200
            ? undefined
            : ((await response.json()) as { errorId: number; category: string })
        const answered = status === 200 && response.status === 204 ? 200 : response.status
        expect([path, marketplace, categoryId, answered, error?.errorId]).toEqual([
          path,
          marketplace,
          categoryId,
          status,
          code,
        ])
        if (status === 403) expect(error?.category).toBe('BUSINESS')
      }
    }
    await emulator.close()
  })
})

describe('the clock', () => {
  const at = async (now: string, path: string, options: Partial<EmulatorOptions> = {}) => {
    const { emulator, get } = await client({ world: world(60), now: new Date(now), ...options })
    const response = await get(path, WHOLE)
    const code =
      response.status >= 400 ? ((await response.json()) as { errorId: number }).errorId : undefined
    await emulator.close()
    return [response.status, code]
  }
  const daily = (feed: string, date: string) =>
    `/${feed}?feed_scope=NEWLY_LISTED&category_id=220&date=${date}`

  test.each(['item', 'item_group'])(
    '%s: the same request gets 13005, 13007, the file, and 13005 again',
    async feed => {
      const path = daily(feed, '20260301')
      expect(await at('2026-03-01T20:00:00Z', path)).toEqual([400, 13005])
      expect(await at('2026-03-03T15:59:59Z', path)).toEqual([400, 13007])
      expect((await at('2026-03-03T16:00:00Z', path))[0]).toBeLessThan(300)
      expect((await at('2026-03-17T15:59:59Z', path))[0]).toBeLessThan(300)
      expect(await at('2026-03-17T16:00:00Z', path)).toEqual([400, 13005])
    },
  )

  test('item_priority gives 13005, 404-13007, the file, and 13005 again', async () => {
    expect(await at('2026-03-01T06:59:59Z', PRIORITY)).toEqual([400, 13005])
    expect(await at('2026-03-01T07:00:00Z', PRIORITY)).toEqual([404, 13007])
    expect(await at('2026-03-03T15:59:59Z', PRIORITY)).toEqual([404, 13007])
    expect((await at('2026-03-03T16:00:00Z', PRIORITY))[0]).toBeLessThan(300)
    expect(await at('2026-03-16T07:00:00Z', PRIORITY)).toEqual([400, 13005])
  })

  test('item_snapshot gives 13007, the file, and 13007 again', async () => {
    expect(await at('2026-03-01T06:59:59Z', SNAPSHOT)).toEqual([400, 13007])
    expect((await at('2026-03-01T07:00:00Z', SNAPSHOT))[0]).toBeLessThan(300)
    expect((await at('2026-03-08T05:00:00Z', SNAPSHOT))[0]).toBeLessThan(300)
    expect(await at('2026-03-08T05:00:01Z', SNAPSHOT)).toEqual([400, 13007])
  })

  test('the files of a slow category come a day later', async () => {
    const path = daily('item', '20260301')
    expect(await at('2026-03-03T16:00:00Z', path, { slowCategories: ['220'] })).toEqual([
      400, 13007,
    ])
    expect((await at('2026-03-04T16:00:00Z', path, { slowCategories: ['220'] }))[0]).toBeLessThan(
      300,
    )
  })

  test('a daily bootstrap states its generation', async () => {
    const { emulator, get } = await client({
      world: world(60),
      now: new Date('2026-03-04T12:00:00Z'),
      bootstrapAt: 'daily',
    })
    const modified = (await get(ITEM, WHOLE)).headers.get('last-modified')
    expect(modified).toBe('Mon, 02 Mar 2026 07:00:00 GMT')
    expect((await get(GROUP, WHOLE)).headers.get('last-modified')).toBe(modified)
    await emulator.close()
  })

  test('all hours of the world have their snapshots by default', async () => {
    const { emulator, get } = await client({ world: { seed: 7, items: 60, churn: 20 } })
    const status = async (hour: number) => {
      const date = new Date(+emulator.world.start + hour * 3_600_000).toISOString()
      return (await get(`/item_snapshot?category_id=220&snapshot_date=${date}`, WHOLE)).status
    }
    expect([await status(0), await status(23), await status(24)]).toEqual([200, 200, 400])
    await emulator.close()
  })
})

describe('refusals', () => {
  const future = '/item_snapshot?category_id=220&snapshot_date=2026-03-09T05:00:00.000Z'
  const rows: [
    status: number,
    code: number,
    path: string,
    headers: Record<string, string | null>,
  ][] = [
    [400, 13000, `${ITEM}&category_id=220`, WHOLE],
    [400, 13003, '/item?feed_scope=HOURLY&category_id=220', WHOLE],
    [400, 13003, '/item_group?feed_scope=HOURLY&category_id=220', WHOLE],
    [400, 13005, '/item?feed_scope=NEWLY_LISTED&category_id=220&date=2026-03-01', WHOLE],
    [400, 13005, '/item_group?feed_scope=NEWLY_LISTED&category_id=220&date=20270301', WHOLE],
    [400, 13005, '/item_priority?category_id=220&date=20270301', WHOLE],
    [400, 13007, future, WHOLE],
    [400, 13009, '/item?category_id=220', WHOLE],
    [400, 13009, '/item_group?category_id=220', WHOLE],
    [400, 13011, '/item?feed_scope=NEWLY_LISTED&category_id=220', WHOLE],
    [400, 13011, '/item_group?feed_scope=NEWLY_LISTED&category_id=220', WHOLE],
    [400, 13011, '/item_priority?category_id=220', WHOLE],
    [400, 13015, ITEM, {}],
    [400, 13015, SNAPSHOT, {}],
    [400, 13015, PRIORITY, {}],
    [400, 13020, '/item_snapshot?category_id=220', WHOLE],
    [400, 13021, '/item_snapshot?category_id=220&snapshot_date=2026-03-01T05:10:00.000Z', WHOLE],
    ...Object.values(FEEDS).flatMap(
      (path): [number, number, string, Record<string, string | null>][] => [
        [400, 13004, path.replace('220', 'toys'), WHOLE],
        [400, 13010, path.replace('category_id=220', 'x=1'), WHOLE],
        [400, 13012, path, { ...WHOLE, 'X-MKT-C-MARKETPLACE-ID': 'mkt_us' }],
        [400, 13012, path, { ...WHOLE, 'X-MKT-C-MARKETPLACE-ID': 'MKT_USA' }],
        [400, 13013, path, { ...WHOLE, 'X-MKT-C-MARKETPLACE-ID': null }],
        [400, 13014, path, { ...WHOLE, 'X-MKT-C-MARKETPLACE-ID': 'MKT_FR' }],
        [400, 13016, path, { range: 'items=0-5' }],
        [400, 13018, path, { range: 'bytes=x-5' }],
        [400, 13019, path, { range: 'bytes=0-x' }],
        [path === PRIORITY ? 416 : 400, 13017, path, { range: 'bytes=9-5' }],
        [path === PRIORITY ? 416 : 400, 13017, path, { range: 'bytes=0-100000001' }],
        [400, 13022, path.replace('220', '221'), WHOLE],
      ],
    ),
  ]

  test('this file provokes every code of the document', () => {
    const elsewhere = [13006, 13023, 13024]
    const documented = new Set(
      documentedErrors
        .filter(({ source }) => source === 'item-feeds.md, section 5')
        .map(({ errorId }) => errorId),
    )
    const provoked = new Set([...rows.map(([, code]) => code), ...elsewhere])
    expect([...provoked].sort()).toEqual([...documented].sort())
  })

  test('a fault can give 13006, and any status that is documented without a code', async () => {
    const { emulator, get } = await client({ world: world(30) })
    for (const path of Object.values(FEEDS)) {
      const response = await get(path, { ...WHOLE, 'x-feedmill-fault': '500' })
      const error = (await response.json()) as { errorId: number; category: string }
      expect([response.status, error.errorId, error.category]).toEqual([500, 13006, 'APPLICATION'])
    }
    await emulator.close()
  })

  test('each request gets its documented status and code, in the documented shape', async () => {
    const { emulator, get } = await client({ world: world(300) })
    for (const [status, code, path, headers] of rows) {
      const response = await get(path, headers)
      const body = (await response.json()) as Record<string, unknown>
      expect([path, response.status, body.errorId]).toEqual([path, status, code])
      expect(Object.keys(body)).toEqual([
        'category',
        'domain',
        'errorId',
        'subdomain',
        'message',
        'longMessage',
        'inputRefIds',
        'outputRefIds',
        'parameters',
      ])
      expect([body.domain, body.category]).toEqual(['API_FEED', 'REQUEST'])
    }
    await emulator.close()
  })

  test('a file of item_group above the maximum needs a Range', async () => {
    const { emulator, get } = await client({ world: world(300), maxRangeBytes: 1_000 })
    expect((await get(GROUP)).status).toBe(400)
    expect((await bodyOf(await get(GROUP, { range: 'bytes=0-1000' }))).length).toBe(1_001)
    await emulator.close()
  })

  test('a bootstrap that is not yet made gets 13007, with 404 for a feed that documents it', async () => {
    const { emulator, get } = await client({ now: new Date('2026-02-01T00:00:00Z') })
    expect(((await (await get(ITEM, WHOLE)).json()) as { errorId: number }).errorId).toBe(13007)
    await emulator.close()
  })

  test('the error names the wrong part and repeats its value, shortened', async () => {
    const { emulator, get } = await client()
    const body = (await (
      await get(`/item?feed_scope=${'x'.repeat(500)}&category_id=220`, WHOLE)
    ).json()) as Record<string, unknown>
    expect(body.inputRefIds).toEqual(['feed_scope'])
    expect(body.parameters).toEqual([
      { name: 'feed_scope', value: 'x'.repeat(80) },
      { name: 'valid_values', value: 'NEWLY_LISTED, ALL_ACTIVE' },
    ])
    await emulator.close()
  })

  test('an option wraps the errors', async () => {
    const { emulator, get } = await client({ wrapErrors: true })
    expect(await (await get('/item?category_id=220', WHOLE)).json()).toMatchObject({
      errors: [{ errorId: 13009 }],
    })
    await emulator.close()
  })

  test('sandbox ranges are a tenth of the others', async () => {
    const { emulator, get } = await client({ sandbox: true, world: world(300) })
    expect((await get(ITEM, { range: 'bytes=0-10000000' })).status).toBe(200)
    expect((await get(ITEM, { range: 'bytes=0-10000001' })).status).toBe(400)
    await emulator.close()
  })

  test('a failure inside is 500-13006', async () => {
    const { emulator, get } = await client()
    await emulator.close()
    const response = await get(ITEM, WHOLE)
    expect([response.status, ((await response.json()) as { errorId: number }).errorId]).toEqual([
      500, 13006,
    ])
  })
})
