import { describe, expect, test } from 'vitest'
import type { EmulatorOptions } from '../../../src/emulator'
import type { Subscription } from '../../../src/service/json/bodies'
import { refusalIn, type ServiceClient, serviceClient } from '../service-client'

const BASE = '/commerce/notification/v1'
const SUBSCRIPTION = `${BASE}/subscription`

async function notificationClient(options: Partial<EmulatorOptions> = {}): Promise<ServiceClient> {
  return serviceClient({ world: { seed: 3, items: 1 }, ...options })
}

const destination = ({ emulator }: ServiceClient, status: 'ENABLED' | 'DISABLED' = 'ENABLED') => {
  return emulator.destinations.find(known => known.status === status)!.destinationId
}

const asked = (
  client: ServiceClient,
  change: Record<string, unknown> = {},
  payload: Record<string, unknown> = {},
) => ({
  topicId: 'MARKETPLACE_ACCOUNT_DELETION',
  status: 'ENABLED',
  destinationId: destination(client),
  payload: { deliveryProtocol: 'HTTPS', format: 'JSON', schemaVersion: '1.0', ...payload },
  ...change,
})

const without = (body: Record<string, unknown>, field: string) =>
  Object.fromEntries(Object.entries(body).filter(([name]) => name !== field))

async function read(client: ServiceClient, location: string | null): Promise<Subscription> {
  return (await (await client.send(location!)).json()) as Subscription
}

describe('states', () => {
  test('ENABLED gives 201 without a body, and the address of the new subscription', async () => {
    const now = new Date('2026-03-02T02:00:00Z')
    const client = await notificationClient({ now })
    const response = await client.post(SUBSCRIPTION, asked(client))
    expect([response.status, await response.text()]).toEqual([201, ''])
    const location = response.headers.get('location')
    expect(location).toMatch(new RegExp(`^http://emulator${SUBSCRIPTION}/[0-9a-f]{24}$`))
    expect(await read(client, location)).toEqual({
      ...asked(client),
      subscriptionId: location!.split('/').at(-1),
      creationDate: now.toISOString(),
    })
  })

  test('a DISABLED subscription can be enabled, and enabled again', async () => {
    const client = await notificationClient()
    const created = await client.post(SUBSCRIPTION, asked(client, { status: 'DISABLED' }))
    const location = created.headers.get('location')
    expect((await read(client, location)).status).toBe('DISABLED')
    for (let i = 0; i < 2; i++) {
      expect((await client.send(`${location}/enable`, {}, { method: 'POST' })).status).toBe(204)
      expect((await read(client, location)).status).toBe('ENABLED')
    }
  })

  test('a DISABLED subscription with a destination that is not enabled cannot be enabled', async () => {
    const client = await notificationClient()
    const created = await client.post(
      SUBSCRIPTION,
      asked(client, { status: 'DISABLED', destinationId: destination(client, 'DISABLED') }),
    )
    const location = created.headers.get('location')
    expect(created.status).toBe(201)
    expect(
      await refusalIn(await client.send(`${location}/enable`, {}, { method: 'POST' })),
    ).toEqual([400, 195015])
    expect((await read(client, location)).status).toBe('DISABLED')
  })

  test('a topic and schema version have one subscription, in any state', async () => {
    const client = await notificationClient()
    const topic = { topicId: 'PRIORITY_LISTING_REVISION' }
    for (const schemaVersion of ['1.0', '1.1']) {
      expect(
        (
          await client.post(
            SUBSCRIPTION,
            asked(client, { ...topic, status: 'DISABLED' }, { schemaVersion }),
          )
        ).status,
      ).toBe(201)
      for (const status of ['ENABLED', 'DISABLED']) {
        expect(
          await refusalIn(
            await client.post(SUBSCRIPTION, asked(client, { ...topic, status }, { schemaVersion })),
          ),
        ).toEqual([409, 195012])
      }
    }
  })

  test('one of two simultaneous requests succeeds', async () => {
    const client = await notificationClient()
    const answers = await Promise.all([
      client.post(SUBSCRIPTION, asked(client)),
      client.post(SUBSCRIPTION, asked(client)),
    ])
    expect(answers.map(answer => answer.status).sort()).toEqual([201, 409])
  })

  test('a refused request leaves nothing behind', async () => {
    const client = await notificationClient()
    expect(
      (
        await client.post(
          SUBSCRIPTION,
          asked(client, { destinationId: destination(client, 'DISABLED') }),
        )
      ).status,
    ).toBe(400)
    expect((await client.post(SUBSCRIPTION, asked(client))).status).toBe(201)
  })
})

describe('createSubscription refuses bad requests', () => {
  type Body = (client: ServiceClient) => unknown
  const rows: [what: string, status: number, code: number, body: Body][] = [
    ['no body', 400, 195003, () => ''],
    ['no JSON', 400, 195003, () => '{"topicId":'],
    ['no object', 400, 195003, () => [1]],
    ['no payload', 400, 195003, client => without(asked(client), 'payload')],
    ['a payload that is none', 400, 195003, client => asked(client, { payload: 'JSON' })],
    ['no status', 400, 195006, client => without(asked(client), 'status')],
    ['another status', 400, 195006, client => asked(client, { status: 'enabled' })],
    ['no destination', 400, 195007, client => without(asked(client), 'destinationId')],
    ['an unknown destination', 400, 195007, client => asked(client, { destinationId: 'x' })],
    ['no schema version', 400, 195008, client => asked(client, {}, { schemaVersion: undefined })],
    [
      'a schema version of another topic',
      400,
      195008,
      client => asked(client, {}, { schemaVersion: '1.1' }),
    ],
    [
      'a schema version as a number',
      400,
      195008,
      client => asked(client, {}, { schemaVersion: 1 }),
    ],
    ['no format', 400, 195009, client => asked(client, {}, { format: undefined })],
    ['another format', 400, 195009, client => asked(client, {}, { format: 'XML' })],
    ['no protocol', 400, 195010, client => asked(client, {}, { deliveryProtocol: undefined })],
    ['another protocol', 400, 195010, client => asked(client, {}, { deliveryProtocol: 'SMTP' })],
    ['a user’s topic', 403, 195011, client => asked(client, { topicId: 'ITEM_AVAILABILITY' })],
    [
      'a destination that is not enabled',
      400,
      195015,
      client => asked(client, { destinationId: destination(client, 'DISABLED') }),
    ],
    ['no topic', 400, 195027, client => without(asked(client), 'topicId')],
    ['an unknown topic', 400, 195027, client => asked(client, { topicId: 'WEATHER' })],
    [
      'a topic named as what every object has',
      400,
      195027,
      client => asked(client, { topicId: 'constructor' }),
    ],
  ]

  test.each(rows)('%s: %i %i', async (_, status, code, body) => {
    const client = await notificationClient()
    expect(await refusalIn(await client.post(SUBSCRIPTION, body(client)))).toEqual([status, code])
  })

  test('a body without the content type of JSON gets 400 195003', async () => {
    const client = await notificationClient()
    for (const type of [null, 'text/plain']) {
      expect(
        await refusalIn(await client.post(SUBSCRIPTION, asked(client), { 'content-type': type })),
      ).toEqual([400, 195003])
    }
  })

  test('500 195000 is given on demand', async () => {
    const client = await notificationClient()
    const response = await client.post(SUBSCRIPTION, asked(client), {
      'x-feedmill-fault': 'error;code=195000',
    })
    expect(await refusalIn(response)).toEqual([500, 195000])
  })

  test('409 can replace the status of 195003 and 195015', async () => {
    const client = await notificationClient({ conflictStatus: 409 })
    expect(await refusalIn(await client.post(SUBSCRIPTION, ''))).toEqual([409, 195003])
    const body = asked(client, { destinationId: destination(client, 'DISABLED') })
    expect(await refusalIn(await client.post(SUBSCRIPTION, body))).toEqual([409, 195015])
  })

  test('the body is a list of documented errors', async () => {
    const client = await notificationClient()
    expect(
      await (await client.post(SUBSCRIPTION, asked(client, {}, { format: 'XML' }))).json(),
    ).toMatchObject({
      errors: [
        {
          domain: 'API_NOTIFICATION',
          category: 'REQUEST',
          inputRefIds: ['format'],
          parameters: [{ name: 'format', value: 'XML' }],
        },
      ],
    })
  })

  test('a body past the size limit gets 413', async () => {
    const client = await notificationClient()
    expect((await client.post(SUBSCRIPTION, 'x'.repeat(70_000))).status).toBe(413)
  })
})

describe('who may subscribe', () => {
  const user = { topicId: 'ITEM_AVAILABILITY' }

  test('a user’s token gives access to a user’s topic', async () => {
    const client = await notificationClient()
    const authorization = await client.userBearer()
    expect((await client.post(SUBSCRIPTION, asked(client, user), { authorization })).status).toBe(
      201,
    )
    expect(
      await refusalIn(await client.post(SUBSCRIPTION, asked(client), { authorization })),
    ).toEqual([403, 195011])
  })

  test('a topic may have a scope of its own', async () => {
    const client = await notificationClient()
    const authorization = await client.bearer('api_scope')
    const body = asked(client, { topicId: 'PRIORITY_LISTING_REVISION' })
    expect(await refusalIn(await client.post(SUBSCRIPTION, body, { authorization }))).toEqual([
      403, 195011,
    ])
    expect((await client.post(SUBSCRIPTION, body)).status).toBe(201)
  })

  test('a request without a token gets 401 · one with another scope gets 403 195011', async () => {
    const client = await notificationClient()
    expect((await client.post(SUBSCRIPTION, asked(client), { authorization: null })).status).toBe(
      401,
    )
    const authorization = await client.bearer('buy.item.feed')
    expect(
      await refusalIn(await client.post(SUBSCRIPTION, asked(client), { authorization })),
    ).toEqual([403, 195011])
    expect((await client.send(`${BASE}/topic`, { authorization })).status).toBe(403)
  })
})

describe('seed data', () => {
  test('topics can be listed and read alone', async () => {
    const client = await notificationClient()
    const list = (await (await client.send(`${BASE}/topic`)).json()) as {
      total: number
      topics: { topicId: string }[]
    }
    expect(list.topics).toEqual(client.emulator.topics)
    expect(list.topics.map(topic => topic.topicId)).toEqual([
      'MARKETPLACE_ACCOUNT_DELETION',
      'AUTHORIZATION_REVOCATION',
      'ITEM_AVAILABILITY',
      'ITEM_PRICE_REVISION',
      'PRIORITY_LISTING_REVISION',
    ])
    expect(await (await client.send(`${BASE}/topic/ITEM_PRICE_REVISION`)).json()).toEqual(
      list.topics[3],
    )
  })

  test('destinations can be listed and read alone, and their identifiers do not depend on the process', async () => {
    const [client, other] = [await notificationClient(), await notificationClient()]
    const list = (await (await client.send(`${BASE}/destination`)).json()) as {
      destinations: { destinationId: string }[]
    }
    expect(list.destinations).toEqual(other.emulator.destinations)
    expect(
      await (await client.send(`${BASE}/destination/${destination(client)}`)).json(),
    ).toMatchObject({ status: 'ENABLED' })
  })

  test.each(['topic/x', 'destination/x', 'subscription/x'])('%s gets 404', async path => {
    const client = await notificationClient()
    expect((await client.send(`${BASE}/${path}`)).status).toBe(404)
  })

  test('an unknown subscription cannot be enabled, and gets 404', async () => {
    const client = await notificationClient()
    expect((await client.send(`${SUBSCRIPTION}/x/enable`, {}, { method: 'POST' })).status).toBe(404)
  })
})
