import { describe, expect, test } from 'vitest'
import { createFeedService } from '../../../src/service/feed-service'
import { fetchTransport } from '../../../src/service/http/fetch-transport'
import { defineProfile } from '../../../src/service/profile'
import { emulated, FAST } from '../emulated'

const SUBSCRIPTION = {
  topicId: 'ITEM_AVAILABILITY',
  status: 'ENABLED' as const,
  destinationId: 'd1',
  payload: { deliveryProtocol: 'HTTPS', format: 'JSON', schemaVersion: '1.0' },
}
const PATH = '/commerce/notification/v1/subscription'

function answering(answer: () => Response) {
  const sent: {
    line: string
    authorization: string | null
    contentType: string | null
    body: string
  }[] = []
  const scopes: (string | null)[] = []
  const transport = fetchTransport(async request => {
    const body = await request.text()
    if (request.url.endsWith('/token')) {
      scopes.push(new URLSearchParams(body).get('scope'))
      return Response.json({ access_token: 'tok-app', token_type: 'Bearer' })
    }
    const { headers } = request
    sent.push({
      line: `${request.method} ${request.url}`,
      authorization: headers.get('authorization'),
      contentType: headers.get('content-type'),
      body,
    })
    return answer()
  })
  const profile = defineProfile({
    baseUrl: 'https://a.test',
    tokenUrl: 'https://a.test/token',
    scopeBase: 's',
  })
  const { notifications } = createFeedService(
    profile,
    { clientId: 'c', clientSecret: 'secret' },
    { transport, ...FAST },
  )
  return { sent, scopes, notifications }
}

const created = (location: string | undefined) => () =>
  new Response(null, { status: 201, headers: location === undefined ? {} : { location } })

test('the request is as documented, and Location gives the address of the subscription', async () => {
  const { notifications, sent, scopes } = answering(created(`https://a.test${PATH}/sub-1`))
  expect(await notifications.createSubscription(SUBSCRIPTION)).toEqual({
    subscriptionId: 'sub-1',
    location: `https://a.test${PATH}/sub-1`,
  })
  expect(sent).toEqual([
    {
      line: `POST https://a.test${PATH}`,
      authorization: 'Bearer tok-app',
      contentType: 'application/json',
      body: JSON.stringify(SUBSCRIPTION),
    },
  ])
  expect(scopes).toEqual(['s/api_scope'])
})

test('a subscription of a user is created with the token and scope of the user', async () => {
  const { notifications, sent, scopes } = answering(created(`${PATH}/sub-1`))
  const needs: string[] = []
  const user = ({ scope }: { scope: string }) => {
    needs.push(scope)
    return 'tok-user'
  }
  await notifications.createSubscription(SUBSCRIPTION, { user })
  expect(needs).toEqual(['s/api_scope/commerce.notification.subscription'])
  expect([sent[0]?.authorization, scopes]).toEqual(['Bearer tok-user', []])
})

describe('Location', () => {
  test.each([
    [`${PATH}/sub%201?x=1`, 'sub 1'],
    ['subscription/abc', 'abc'],
    ['//a.test/x/y', 'y'],
  ])('%s names %s', async (location, subscriptionId) => {
    expect(
      (await answering(created(location)).notifications.createSubscription(SUBSCRIPTION))
        .subscriptionId,
    ).toBe(subscriptionId)
  })

  test.each([undefined, '/', `${PATH}/`, `${PATH}/%E0%A4%A`])('%s names none', async location => {
    await expect(
      answering(created(location)).notifications.createSubscription(SUBSCRIPTION),
    ).rejects.toMatchObject({
      code: 'RESPONSE_INVALID',
      context: { operation: 'createSubscription', path: 'Location' },
    })
  })

  test.each(['https://evil.test/sub', 'http://a.test/sub', 'https://u@a.test/sub'])(
    'fault 84: %s is refused',
    async location => {
      await expect(
        answering(created(location)).notifications.createSubscription(SUBSCRIPTION),
      ).rejects.toMatchObject({
        code: 'HTTP_ORIGIN_REFUSED',
      })
    },
  )
})

test('a redirect is not followed, because the subscription would be created twice', async () => {
  const { notifications, sent } = answering(
    () => new Response(null, { status: 307, headers: { location: `${PATH}2` } }),
  )
  await expect(notifications.createSubscription(SUBSCRIPTION)).rejects.toMatchObject({
    code: 'HTTP_STATUS',
    context: { status: 307 },
  })
  expect(sent.length).toBe(1)
})

test('missing fields are refused before anything is sent', async () => {
  const { notifications, sent, scopes } = answering(created('/x'))
  const { payload } = SUBSCRIPTION
  const wrongs: [string, object][] = [
    ['topicId', { topicId: '' }],
    ['status', { status: 'ON' }],
    ['destinationId', { destinationId: undefined }],
    ['payload.deliveryProtocol', { payload: undefined }],
    ['payload.format', { payload: { ...payload, format: ' ' } }],
    ['payload.schemaVersion', { payload: { ...payload, schemaVersion: 1 } }],
  ]
  for (const [parameter, wrong] of wrongs) {
    await expect(
      notifications.createSubscription({ ...SUBSCRIPTION, ...wrong } as never),
    ).rejects.toMatchObject({
      code: 'REQUEST_INVALID',
      context: { operation: 'createSubscription', parameter },
    })
  }
  expect([sent, scopes]).toEqual([[], []])
})

test('the emulated service creates a subscription once', async () => {
  const { service, emulator } = emulated()
  const enabled = emulator.destinations.find(({ status }) => status === 'ENABLED')!
  const [topic] = emulator.topics
  const [supported] = topic!.supportedPayloads
  const subscription = {
    topicId: topic!.topicId,
    status: 'ENABLED' as const,
    destinationId: enabled.destinationId,
    payload: { deliveryProtocol: 'HTTPS', format: 'JSON', schemaVersion: supported!.schemaVersion },
  }
  const { createSubscription } = service.notifications
  const { subscriptionId, location } = await createSubscription(subscription)
  expect(location.endsWith(`/${subscriptionId}`)).toBe(true)
  await expect(createSubscription(subscription)).rejects.toMatchObject({
    context: { status: 409, errorId: 195012, domain: 'API_NOTIFICATION' },
  })
  await emulator.close()
})

test.each([
  [{ staus: 'ENABLED' }, 'staus'],
  [
    {
      payload: {
        deliveryProtocol: 'HTTPS',
        format: 'JSON',
        schemaVersion: '1.0',
        shcemaVersion: '1.0',
      },
    },
    'shcemaVersion',
  ],
])(
  'a field that the request does not have is refused before anything is sent: %o',
  async (more, option) => {
    const profile = defineProfile({
      baseUrl: 'https://s.test',
      tokenUrl: 'https://s.test/token',
      scopeBase: 'https://s.test/scope',
    })
    const transport = { send: () => expect.unreachable('it was sent') }
    const { notifications } = createFeedService(profile, () => 'token', { transport })
    const payload = { deliveryProtocol: 'HTTPS', format: 'JSON', schemaVersion: '1.0' }
    const subscription = {
      topicId: 't',
      status: 'ENABLED' as const,
      destinationId: 'd',
      payload,
      ...more,
    }
    await expect(notifications.createSubscription(subscription)).rejects.toMatchObject({
      code: 'OPTION_INVALID',
      context: { option },
    })
  },
)
