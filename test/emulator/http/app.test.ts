import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { refusalIn, serviceClient } from '../service-client'

const WORLD = { seed: 3, items: 300, churn: 20, hours: 72 }

describe('the application', () => {
  test.each(['/', '/buy/feed/v1', '/buy/feed/v1/file/a/b/c', '/buy/feed/v1/File'])(
    '%s is unknown and gets 404',
    async path => {
      const { send } = await serviceClient({ world: WORLD })
      expect((await send(path)).status).toBe(404)
    },
  )

  test('an undocumented method gets 404', async () => {
    const { emulator, post } = await serviceClient({ world: WORLD })
    expect((await post('/buy/feed/v1/file', {})).status).toBe(404)
    expect((await emulator.fetch(`http://emulator${emulator.tokenPath}`)).status).toBe(404)
  })

  test('HEAD equals GET without the body', async () => {
    const { send } = await serviceClient({ world: WORLD })
    const response = await send('/buy/feed/v1/feed_type', {}, { method: 'HEAD' })
    expect([response.status, await response.text()]).toEqual([200, ''])
  })

  test('a failure inside gets the operation’s own internal problem', async () => {
    const { emulator, send } = await serviceClient({
      world: WORLD,
      now: new Date('2026-03-04T00:00:00Z'),
    })
    const { fileMetadata } = (await (await send('/buy/feed/v1/file')).json()) as {
      fileMetadata: { fileId: string }[]
    }
    await emulator.close()
    for (const path of ['/file', `/file/${fileMetadata[0]!.fileId}/download`]) {
      expect(await refusalIn(await send(`/buy/feed/v1${path}`))).toEqual([500, 13006])
    }
  })

  const internal: [path: string, method: string, code: number | undefined][] = [
    ['/identity/v1/oauth2/token', 'POST', undefined],
    ['/buy/feed/v1/access', 'GET', 13006],
    ['/buy/feed/v1_beta/item_priority', 'GET', 13006],
    ['/developer/key_management/v1/signing_key/x', 'GET', 210000],
    ['/commerce/notification/v1/subscription', 'POST', 195000],
    ['/commerce/notification/v1/subscription/x/enable', 'POST', 195000],
  ]
  test.each(internal)(
    '%s: either word for it gives a failure on demand',
    async (path, method, code) => {
      const { send } = await serviceClient({ world: WORLD })
      for (const fault of ['500', 'error;code=internal']) {
        const response = await send(path, { 'x-feedmill-fault': fault }, { method })
        expect(response.status).toBe(500)
        if (code !== undefined) expect(await refusalIn(response)).toEqual([500, code])
      }
    },
  )

  test('a variable of a path is decoded', async () => {
    const { send } = await serviceClient({ world: WORLD })
    const body = await (await send('/buy/feed/v1/feed_type/A%20B%2FC')).json()
    expect(body).toMatchObject({
      errorId: 14000,
      parameters: [{ name: 'feed_type_id', value: 'A B/C' }],
    })
  })

  test('a forced error still requires a token', async () => {
    const { send } = await serviceClient({ world: WORLD })
    expect(
      (
        await send('/buy/feed/v1/access', {
          authorization: null,
          'x-feedmill-fault': 'error;code=13006',
        })
      ).status,
    ).toBe(401)
  })

  test('no answer of any kind repeats a token', async () => {
    const { send, bearer } = await serviceClient({ world: WORLD })
    const authorization = await bearer('buy.item.feed')
    for (const path of [
      '/buy/feed/v1/file?limit=1',
      '/developer/key_management/v1/signing_key/x',
      '/commerce/notification/v1/topic',
    ]) {
      expect(await (await send(path, { authorization })).text()).not.toContain(
        authorization.slice(7, 30),
      )
    }
  })
})

describe('every request gets a documented answer and no failure inside', () => {
  const value = fc.oneof(
    fc.string(),
    fc.string({ unit: 'binary' }),
    fc.nat().map(String),
    fc.constantFrom('220', 'DAILY', 'CURATED_ITEM_FEED', ','),
  )
  const header = fc.oneof(
    fc.constantFrom('MKT_US', 'MKT_DE', 'bytes=0-9', 'bytes=9-', '__proto__'),
    fc.stringMatching(/^[ -~]{0,30}$/),
  )
  const names = [
    'category_ids',
    'feed_scope',
    'feed_type_id',
    'limit',
    'look_back',
    'continuation_token',
    'marketplace_ids',
    'category_id',
    'date',
  ]

  test('for any queries, identifiers and headers', async () => {
    const { send } = await serviceClient({ world: { ...WORLD, items: 20 } })
    const paths = fc.oneof(
      fc.constantFrom(
        '/buy/feed/v1/file',
        '/buy/feed/v1/feed_type',
        '/buy/feed/v1_beta/item',
        '/buy/feed/v1_beta/item_snapshot',
      ),
      fc
        .tuple(
          fc.constantFrom(
            '/buy/feed/v1/file/',
            '/buy/feed/v1/feed_type/',
            '/developer/key_management/v1/signing_key/',
          ),
          fc.string(),
        )
        .map(([base, id]) => base + encodeURIComponent(id)),
    )
    const query = fc.array(fc.tuple(fc.constantFrom(...names), value), { maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(
        paths,
        query,
        header,
        header,
        async (path, parameters, marketplace, range) => {
          const headers = { 'X-MKT-C-MARKETPLACE-ID': marketplace, range }
          const response = await send(
            `${path}?${new URLSearchParams(parameters.map(([name, text]): [string, string] => [name, text]))}`,
            headers,
          )
          expect(response.status).toBeLessThan(500)
        },
      ),
      { numRuns: 100 },
    )
  })

  test('for any bodies', async () => {
    const { post } = await serviceClient({ world: { ...WORLD, items: 20 } })
    const field = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom(
        'ENABLED',
        'HTTPS',
        'JSON',
        '1.0',
        'MARKETPLACE_ACCOUNT_DELETION',
        '__proto__',
      ),
    )
    const record = (keys: readonly string[]) =>
      fc.record(Object.fromEntries(keys.map(key => [key, field])), { requiredKeys: [] })
    const payload = fc.oneof(field, record(['deliveryProtocol', 'format', 'schemaVersion']))
    const body = fc.oneof(
      fc.string(),
      fc.json(),
      fc
        .tuple(record(['topicId', 'status', 'destinationId']), payload)
        .map(([rest, inner]) => JSON.stringify({ ...rest, payload: inner })),
    )
    await fc.assert(
      fc.asyncProperty(body, async text => {
        expect((await post('/commerce/notification/v1/subscription', text)).status).toBeLessThan(
          500,
        )
      }),
      { numRuns: 100 },
    )
  })
})
