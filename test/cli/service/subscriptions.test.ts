import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { exitCodeOf } from '../../../src/cli/exit-code'
import type { Topic } from '../../../src/emulator/index'
import { cells, commanded, values } from './commanded'

let at: Awaited<ReturnType<typeof commanded>>
beforeAll(async () => {
  at = await commanded()
})
afterAll(() => at.close())
afterEach(() => vi.unstubAllEnvs())

const topicFor = (context: Topic['context']) =>
  at.emulator.topics.find(topic => topic.context === context)!
const destination = (status: string) =>
  at.emulator.destinations.find(known => known.status === status)!.destinationId
const create = (topic: Topic, version = topic.supportedPayloads[0]!.schemaVersion) => [
  ...['subscriptions', 'create', '--topic', topic.topicId],
  ...['--destination', destination('ENABLED'), '--schema-version', version],
]

test('creates a subscription, which the service then has', async () => {
  const [created] = values(await at.run(...create(topicFor('APPLICATION')), '--json')) as {
    subscriptionId: string
    location: string
  }[]
  expect(created!.location).toMatch(new RegExp(`/subscription/${created!.subscriptionId}$`))
  const { error } = await at.run(...create(topicFor('APPLICATION')))
  expect(error).toMatchObject({
    code: 'HTTP_STATUS',
    context: { operation: 'createSubscription', status: 409, errorId: 195012 },
  })
  expect(exitCodeOf(error)).toBe(1)
})

test('a topic that needs a scope has a subscription with --scope, and is refused without', async () => {
  const topic = at.emulator.topics.find(({ scopes }) => scopes.length > 0)!
  expect((await at.run(...create(topic, '1.1'))).error).toMatchObject({
    context: { errorId: 195011 },
  })
  const outcome = await at.run(...create(topic, '1.1'), '--scope', topic.scopes[0]!)
  expect(Object.fromEntries(cells(outcome))).toMatchObject({ subscription: expect.any(String) })
})

test('a user is one whose token the environment has', async () => {
  const topic = topicFor('USER')
  expect((await at.run(...create(topic), '--user')).error).toMatchObject({
    code: 'OPTION_INVALID',
    message: expect.stringContaining('FEEDMILL_USER_TOKEN'),
  })
  const { emulator } = at
  const response = await emulator.fetch(
    new Request(`http://emulator${emulator.tokenPath}`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        code: emulator.authorizationCode,
        redirect_uri: 'https://client.example/redirect',
        client_id: emulator.clientId,
        client_secret: emulator.clientSecret,
      }),
    }),
  )
  const token = ((await response.json()) as { access_token: string }).access_token
  vi.stubEnv('FEEDMILL_USER_TOKEN', token)
  const outcome = await at.run(...create(topic), '--user')
  expect(Object.fromEntries(cells(outcome))).toEqual({
    subscription: expect.any(String),
    address: expect.stringContaining('/subscription/'),
  })
  const again = await at.run(...create(topic), '--user')
  expect(again.error).toMatchObject({ context: { errorId: 195012 } })
  expect([...outcome.out, String(again.error)].join()).not.toContain(token)
})

test.each([
  ['--topic', 'no-topic', 195027],
  ['--destination', 'no-destination', 195007],
  ['--schema-version', '99.9', 195008],
  ['--format', 'XML', 195009],
  ['--protocol', 'SMTP', 195010],
])('%s %s is the documented error %i', async (option, value, errorId) => {
  const { error } = await at.run(...create(topicFor('APPLICATION')), option, value)
  expect(error).toMatchObject({ code: 'HTTP_STATUS', context: { errorId } })
})

test('a destination that is disabled needs the status DISABLED', async () => {
  const stand = await commanded()
  try {
    const words = [...create(topicFor('APPLICATION')), '--destination', destination('DISABLED')]
    expect((await stand.run(...words)).error).toMatchObject({ context: { errorId: 195015 } })
    expect(values(await stand.run(...words, '--status', 'DISABLED', '--json'))).toHaveLength(1)
  } finally {
    await stand.close()
  }
})
