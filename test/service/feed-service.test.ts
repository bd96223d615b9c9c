import { inspect } from 'node:util'
import { afterEach, describe, expect, test } from 'vitest'
import { FeedError } from '../../src/engine/errors'
import { createFeedService } from '../../src/service/feed-service'
import { fetchTransport } from '../../src/service/http/fetch-transport'
import { defineProfile } from '../../src/service/profile'
import { type Emulated, type EmulatedOptions, emulated, FAST } from './emulated'

const running: Emulated[] = []
afterEach(async () => {
  for (const { service, emulator } of running.splice(0)) {
    await service.close()
    await emulator.close()
  }
})

function start(options?: EmulatedOptions): Emulated {
  const started = emulated(options)
  running.push(started)
  return started
}

const BOOTSTRAP = { marketplace: 'MKT_US', categoryId: '220', scope: 'ALL_ACTIVE' } as const
const SUBSCRIPTION = {
  topicId: 'ITEM_AVAILABILITY',
  status: 'DISABLED' as const,
  destinationId: 'd1',
  payload: { deliveryProtocol: 'HTTPS', format: 'JSON', schemaVersion: '1.0' },
}

test('the service leads from a category to typed rows', async () => {
  const { service, emulator } = start()
  const rows = await service.feeds.getItemFeed(BOOTSTRAP).rows().toArray()
  const items = [
    ...emulator.world.itemsAt(emulator.world.start, { marketplaceId: 'MKT_US', categoryId: '220' }),
  ]
  expect(rows.length).toBe(items.length)
  expect(rows.length).toBeGreaterThan(10)
  expect(rows[0]?.get('priceValue')).toHaveProperty('text')
  expect(rows[0]?.batch.file).toEqual({
    feed: 'item',
    ...BOOTSTRAP,
    lastModified: emulator.world.start,
  })
  expect(rows.every(row => row.batch.confirmed)).toBe(true)
})

/** Uses all operations of a service, as every profile must allow. */
async function useEverything({ service }: Emulated, marketplace: string): Promise<void> {
  const { catalog, feeds } = service
  const category = { marketplace, categoryId: '220' }
  expect(
    (
      await feeds
        .getItemFeed({ ...category, scope: 'ALL_ACTIVE' })
        .rows()
        .toArray()
    ).length,
  ).toBeGreaterThan(10)
  expect(
    (
      await feeds
        .getItemGroupFeed({ ...category, scope: 'ALL_ACTIVE' })
        .rows()
        .toArray()
    ).length,
  ).toBeGreaterThan(0)
  const snapshot = feeds.getItemSnapshotFeed({
    ...category,
    snapshotDate: '2026-03-01T05:00:00.000Z',
  })
  expect((await snapshot.rows().toArray()).length).toBeGreaterThan(0)
  expect((await catalog.getAccess()).accesses).toBeInstanceOf(Array)
  const [type] = await catalog.getFeedTypes().toArray()
  expect(await catalog.getFeedType({ feedTypeId: type!.feedTypeId })).toEqual(type)
  const files = await catalog.getFiles({ marketplace }).toArray()
  expect(files.length).toBeGreaterThan(0)
  const { fileId } = files.find(file => file.access !== 'RESTRICTED')!
  expect((await catalog.getFile({ marketplace, fileId })).fileId).toBe(fileId)
  expect(
    (await catalog.downloadFile({ marketplace, fileId }).rows().toArray()).length,
  ).toBeGreaterThan(0)
}

test('the service has every operation of the feeds and the catalog', () =>
  useEverything(start(), 'MKT_US'))

test('a second profile, with another header name, prefix and paths, works by configuration alone', async () => {
  const other = {
    marketplaceHeader: 'X-Shop-Market',
    marketplacePrefix: 'SHOP_',
    paths: {
      getItemFeed: '/v9/articles',
      getFiles: '/v9/files',
      getFile: '/v9/files/{file_id}',
      downloadFile: '/v9/files/{file_id}/content',
    },
  }
  const second = start({
    emulator: {
      ...other,
      world: { seed: 7, items: 60, churn: 20, hours: 72, marketplaces: ['SHOP_US'] },
    },
    profile: other,
  })
  await useEverything(second, 'SHOP_US')
  expect(second.sent.filter(line => line.includes('/v9/')).length).toBeGreaterThan(3)
  expect(second.sent.some(line => /\/buy\/feed\/v1(_beta)?\/(item\?|file)/.test(line))).toBe(false)
  expect(() => second.service.feeds.getItemFeed(BOOTSTRAP)).toThrow(
    expect.objectContaining({ code: 'REQUEST_INVALID' }),
  )
})

test('one signal for many calls at a time gives no warning of a leak', async () => {
  const { service } = start()
  const { signal } = new AbortController()
  const warnings: string[] = []
  const onWarning = ({ name }: Error) => warnings.push(name)
  process.on('warning', onWarning)
  const many = (call: () => Promise<unknown>) => Promise.all(Array.from({ length: 12 }, call))
  await many(() => service.catalog.getAccess({ signal }))
  await many(() => service.feeds.getItemFeed(BOOTSTRAP).info({ signal }))
  await many(() => service.feeds.getItemFeed(BOOTSTRAP).rows({ signal }).toArray())
  await new Promise(resolve => setImmediate(resolve))
  process.off('warning', onWarning)
  expect(warnings).toEqual([])
})

describe('fault 85: no token and no secret is ever shown', () => {
  const SECRET = 'the$secret of "the" client/8qz'
  const TOKENS = ['tok-first-4711aaaa', 'tok-second-4712bbbb', 'tok-user-4713cccc']

  /** A service that repeats everything it received in its answers. */
  function echoing(status: number, form: 'json' | 'html' | 'link' | 'throw' | 'stall') {
    let granted = 0
    return fetchTransport(async request => {
      const token = (request.headers.get('authorization') ?? '').replace(/^\w+ /, '')
      if (request.url.endsWith('/token')) {
        return Response.json({
          access_token: TOKENS[granted++ % 2],
          token_type: 'Bearer',
          expires_in: 3600,
        })
      }
      if (form === 'throw')
        throw Object.assign(new Error(`sent ${token}`), {
          request,
          headers: { Authorization: `Bearer ${token}` },
        })
      const echo = `your token ${token} (${encodeURIComponent(token)}), secret ${SECRET}`
      const described = {
        errorId: 1,
        message: echo,
        longMessage: echo,
        parameters: [{ name: token, value: echo }],
      }
      if (form === 'html')
        return new Response(`<html>${echo}`, {
          status,
          headers: { 'content-type': `text/html; x=${token}` },
        })
      if (form === 'link')
        return Response.json({ fileMetadata: [], next: `https://evil.test/?t=${token}` })
      return Response.json(described, {
        status,
        headers: { location: `https://evil.test/${token}` },
      })
    })
  }

  const profile = defineProfile({
    baseUrl: 'https://service.test',
    tokenUrl: 'https://service.test/token',
    scopeBase: 's',
  })

  function expectNothingShown(value: unknown): void {
    const seen = [
      inspect(value, { depth: 30, showHidden: true, showProxy: true, maxStringLength: null }),
      String(value),
      JSON.stringify(value) ?? '',
    ]
    if (value instanceof Error)
      seen.push(value.stack ?? '', inspect(value.cause, { depth: 30, showHidden: true }))
    const basic = Buffer.from(`id:${SECRET}`).toString('base64')
    for (const text of seen) {
      for (const secret of [
        ...TOKENS,
        SECRET,
        encodeURIComponent(SECRET),
        JSON.stringify(SECRET).slice(1, -1),
        basic,
      ]) {
        expect(text).not.toContain(secret)
      }
      // A text that was cut inside a secret must not show its beginning.
      for (const token of TOKENS) expect(text).not.toContain(token.slice(0, 9))
    }
  }

  const cases = [200, 201, 302, 400, 401, 403, 404, 416, 429, 500].flatMap(status =>
    (['json', 'html', 'link', 'throw'] as const).map(form => [status, form] as const),
  )

  test.each(cases)(
    'fault 85: by a service that answers %i and repeats the token (%s)',
    async (status, form) => {
      const service = createFeedService(
        profile,
        { clientId: 'id', clientSecret: SECRET },
        { transport: echoing(status, form), retry: { patienceMs: 1 }, ...FAST },
      )
      const { feeds, catalog, keys, notifications } = service
      const user = () => TOKENS[2]!
      const calls: Promise<unknown>[] = [
        feeds
          .getItemFeed(BOOTSTRAP)
          .rows({ ranges: { retry: { patienceMs: 0 } } })
          .toArray(),
        feeds.getItemFeed(BOOTSTRAP).info({ ranges: { retry: { patienceMs: 1 } } }),
        catalog
          .downloadFile({ marketplace: 'MKT_US', fileId: 'f' })
          .compressed({ ranges: { retry: { patienceMs: 0 } } })
          .toArray(),
        catalog.getAccess(),
        catalog.getFiles({ marketplace: 'MKT_US' }).toArray(),
        keys.getSigningKey({ signingKeyId: 'k' }),
        notifications.createSubscription(SUBSCRIPTION),
        notifications.createSubscription(SUBSCRIPTION, { user }),
      ]
      const outcomes = await Promise.allSettled(calls)
      const failures = outcomes.flatMap(outcome =>
        outcome.status === 'rejected' ? [outcome.reason as unknown] : [],
      )
      expect(failures.length).toBeGreaterThan(5)
      for (const failure of failures) {
        expect(FeedError.is(failure)).toBe(true)
        expectNothingShown(failure)
      }
      for (const object of [
        service,
        feeds,
        catalog,
        keys,
        notifications,
        feeds.getItemFeed(BOOTSTRAP),
        catalog.getFiles({ marketplace: 'MKT_US' }),
      ]) {
        expectNothingShown(object)
      }
      expectNothingShown(feeds.getItemFeed(BOOTSTRAP).rows())
      await service.close()
    },
  )

  test.each([400, 401, 500, 200])(
    'fault 85: by a token endpoint that answers %i and repeats the secret',
    async status => {
      const transport = fetchTransport(async request => {
        const text = `${await request.text()} ${request.headers.get('authorization')} ${SECRET}`
        return Response.json(
          {
            error: text,
            error_description: text,
            access_token: { oops: TOKENS[0] },
            token_type: 'bearer',
          },
          { status },
        )
      })
      const service = createFeedService(
        profile,
        { clientId: 'id', clientSecret: SECRET },
        { transport, retry: { patienceMs: 0 }, ...FAST },
      )
      const failure: unknown = await service.catalog.getAccess().catch(error => error)
      expect(FeedError.is(failure) && failure.code).toBe(
        status === 500 ? 'HTTP_STATUS' : 'TOKEN_REFUSED',
      )
      expectNothingShown(failure)
    },
  )

  test('fault 85: by a token that cannot be sent in a header', async () => {
    const bad = `${TOKENS[0]}\r\nX-Evil: 1`
    const service = createFeedService(profile, () => bad, {
      transport: echoing(200, 'json'),
      ...FAST,
    })
    const failure: unknown = await service.catalog.getAccess().catch(error => error)
    expect(failure).toMatchObject({
      code: 'HTTP_HEADER_INVALID',
      context: { header: 'Authorization' },
    })
    expectNothingShown(failure)
  })
})

test('a limit for a host holds for downloads, JSON and tokens together', async () => {
  let inside = 0
  let most = 0
  const { service } = start({
    service: { concurrencyPerHost: 2, ranges: { chunkBytes: 500, concurrency: 4 } },
    between: async (request, forward) => {
      most = Math.max(most, ++inside)
      await new Promise(resolve => setTimeout(resolve, 1))
      const response = await forward(request)
      const bytes = await response.arrayBuffer()
      inside--
      return new Response(response.status === 204 ? null : bytes, response)
    },
  })
  const { feeds, catalog } = service
  const [rows, again] = await Promise.all([
    feeds.getItemFeed(BOOTSTRAP).rows().toArray(),
    feeds.getItemFeed(BOOTSTRAP).rows().toArray(),
    catalog.getAccess(),
    catalog.getFiles({ marketplace: 'MKT_US' }).toArray(),
  ])
  expect(rows.length).toBe(again.length)
  expect(most).toBe(2)
})

test('a mistake of the caller is refused when the service is created', () => {
  const profile = defineProfile({
    baseUrl: 'https://a.test',
    tokenUrl: 'https://a.test/t',
    scopeBase: 's',
  })
  const make =
    (credentials: object, options = {}) =>
    () =>
      createFeedService(profile, credentials as never, options)
  const mistake = (option: string) =>
    expect.objectContaining({
      code: 'OPTION_INVALID',
      context: expect.objectContaining({ option }),
    })
  expect(make({ clientId: '', clientSecret: 'x' })).toThrow(mistake('clientId'))
  expect(make({ clientId: 'x' })).toThrow(mistake('clientSecret'))
  const good = { clientId: 'x', clientSecret: 'y' }
  expect(make(good, { requestsPerSecond: 0 })).toThrow(mistake('requestsPerSecond'))
  expect(make(good, { concurrencyPerHost: 0 })).toThrow(mistake('concurrencyPerHost'))
  expect(make(good, { headersTimeoutMs: -1 })).toThrow(mistake('headersTimeoutMs'))
  expect(make(good, { ranges: { chunkBytes: 0 } })).toThrow(mistake('chunkBytes'))
})

describe('the clock', () => {
  const DAY = {
    marketplace: 'MKT_US',
    categoryId: '220',
    scope: 'NEWLY_LISTED',
    date: '20260301',
  } as const
  const PROFILE = defineProfile({
    baseUrl: 'https://s.test',
    tokenUrl: 'https://s.test/token',
    scopeBase: 'https://s.test/scope',
  })

  test.each([
    ['a moment', new Date('2026-03-05T12:00:00Z')],
    ['a function', () => new Date('2026-03-05T12:00:00Z')],
  ])('%s decides about date windows and is the option `now`', (_, now) => {
    const service = createFeedService(PROFILE, () => 'token', { now })
    expect(service.now()).toBe(Date.parse('2026-03-05T12:00:00Z'))
    expect(service.feeds.getItemFeed(DAY).operation).toBe('getItemFeed')
    expect(() => service.feeds.getItemFeed({ ...DAY, date: '20260306' })).toThrow(
      expect.objectContaining({ code: 'REQUEST_INVALID' }),
    )
  })

  test('a service with another clock checks windows and token expiry by it', async () => {
    const { service, emulator, sent } = start({
      service: { checks: 'all', now: new Date('2020-01-01T00:00:00Z') },
    })
    let nowMs = emulator.world.start.getTime()
    const derived = service.withClock(() => nowMs)
    expect(derived.now()).toBe(nowMs)
    expect(() => service.feeds.getItemFeed(DAY)).toThrow(
      expect.objectContaining({ code: 'REQUEST_INVALID' }),
    )
    nowMs = Date.parse('2026-03-05T12:00:00Z')
    expect(derived.feeds.getItemFeed(DAY).operation).toBe('getItemFeed')
    const tokens = () => sent.filter(line => line.startsWith('POST')).length
    await derived.catalog.getAccess()
    await derived.catalog.getAccess()
    expect(tokens()).toBe(1)
    nowMs += 365 * 86_400_000
    await derived.catalog.getAccess()
    expect(tokens()).toBe(2)
    await derived.close()
    expect((await derived.catalog.getAccess()).accesses.length).toBeGreaterThan(0)
  })

  test('closing the service ends the waits of a derived service with another clock', async () => {
    const transport = { send: () => new Promise<never>(() => {}) }
    const service = createFeedService(
      PROFILE,
      { clientId: 'c', clientSecret: 'secret' },
      { transport },
    )
    const waiting = service.withClock(() => 0).catalog.getAccess()
    await new Promise(resolve => setImmediate(resolve))
    await service.close()
    await expect(waiting).rejects.toMatchObject({ code: 'ABORTED' })
  })
})

describe('fault 102: a wrong service is refused at the call, with the option’s name', () => {
  const PROFILE = {
    baseUrl: 'https://s.test',
    tokenUrl: 'https://s.test/token',
    scopeBase: 'https://s.test/scope',
  }
  const good = defineProfile(PROFILE)
  const make = createFeedService as (...given: unknown[]) => unknown
  const define = defineProfile as (...given: unknown[]) => unknown
  const calls: [string, () => unknown, string][] = [
    ['no profile', () => make(), 'profile'],
    ['a profile that was not defined', () => make(PROFILE, () => 't'), 'profile'],
    ['no credentials', () => make(good), 'credentials'],
    ['no secret', () => make(good, { clientId: 'c' }), 'clientSecret'],
    ['a transport that cannot send', () => make(good, () => 't', { transport: {} }), 'transport'],
    ['a clock that gives numbers', () => make(good, () => 't', { now: 7 }), 'now'],
    ['no profile options', () => define(), 'options'],
    ['null', () => define(null), 'options'],
    ['an address that is none', () => define({ ...PROFILE, baseUrl: 'x' }), 'baseUrl'],
    ['no token address', () => define({ ...PROFILE, tokenUrl: undefined }), 'tokenUrl'],
    ['no scope base', () => define({ ...PROFILE, scopeBase: undefined }), 'scopeBase'],
    [
      'a misspelt option',
      () => define({ ...PROFILE, marketplaceheader: 'X' }),
      'marketplaceheader',
    ],
    [
      'a fetch that is no function',
      () => (fetchTransport as (...given: unknown[]) => unknown)(),
      'fetchLike',
    ],
  ]
  test.each(calls)('fault 102: %s', (_, call, option) => {
    expect(call).toThrow(
      expect.objectContaining({
        code: 'OPTION_INVALID',
        context: expect.objectContaining({ option }),
      }),
    )
  })
})
