import { describe, expect, test } from 'vitest'
import { Secrets } from '../../../src/engine/codec/secrets'
import { FeedError } from '../../../src/engine/errors'
import { fetchTransport } from '../../../src/service/http/fetch-transport'
import type { TokenNeed, TokenSource } from '../../../src/service/tokens/authorized-transport'
import { authorizedTransport } from '../../../src/service/tokens/authorized-transport'
import { requestSettingsOf } from '../http/request-settings-of'

const url = 'https://a.test/file'
const signal = new AbortController().signal

/** A transport to a server that accepts the tokens in `good`. */
function authorized(
  tokens: TokenSource,
  good: readonly string[] = ['good'],
  headersTimeoutMs = 1_000,
) {
  const sent: (string | null)[] = []
  const transport = fetchTransport(({ headers }) => {
    sent.push(headers.get('authorization'))
    return new Response('', {
      status: good.some(token => headers.get('authorization') === `Bearer ${token}`) ? 200 : 401,
    })
  })
  const secrets = new Secrets()
  const settings = requestSettingsOf({ headersTimeoutMs })
  return {
    sent,
    secrets,
    transport: authorizedTransport({
      operation: 'getKey',
      transport,
      tokens,
      scope: 's',
      secrets,
      settings,
    }),
  }
}

describe('a token on each request', () => {
  test('the token is requested with the scope and remembered as a secret', async () => {
    const needs: TokenNeed[] = []
    const { sent, secrets, transport } = authorized(need => {
      needs.push(need)
      return 'good'
    })
    expect((await transport.send({ url, headers: {}, signal })).status).toBe(200)
    expect([sent, needs]).toEqual([['Bearer good'], [{ scope: 's', signal }]])
    expect(secrets.cover('a good one')).toBe('a redacted one')
  })

  test('the source is told of a refused token once, and the next response is the answer', async () => {
    const first = authorized(({ refused }) => (refused === 'old' ? 'good' : 'old'))
    expect((await first.transport.send({ url, headers: {}, signal })).status).toBe(200)
    expect(first.sent).toEqual(['Bearer old', 'Bearer good'])
    const second = authorized(() => 'bad')
    expect((await second.transport.send({ url, headers: {}, signal })).status).toBe(401)
    expect(second.sent).toEqual(['Bearer bad', 'Bearer bad'])
  })
})

test('fault 116: a 401 to two different tokens may pass, and one to the same token again does not', async () => {
  const { sent, transport } = authorized(({ refused }) => (refused === 'old' ? 'new' : 'old'))
  await expect(transport.send({ url, headers: {}, signal })).rejects.toMatchObject({
    code: 'HTTP_STATUS',
    retryable: true,
    message: 'getKey: status 401',
    context: { status: 401, operation: 'getKey', url },
  })
  expect(sent).toEqual(['Bearer old', 'Bearer new'])
})

describe('no token: nothing is sent', () => {
  const failureOf = async (tokens: TokenSource) => {
    const { sent, transport } = authorized(tokens, ['good'], 20)
    const failure: unknown = await transport
      .send({ url, headers: {}, signal })
      .catch(error => error)
    expect(sent).toEqual([])
    return failure
  }

  test.each(['', undefined, 5])('nothing is sent when a source gives %j', async token => {
    expect(await failureOf(() => token as string)).toMatchObject({
      code: 'TOKEN_REFUSED',
      retryable: false,
    })
  })

  test('an error of the source is TOKEN_REFUSED without the text of the error', async () => {
    const cause = new Error('refresh token r-4711 was revoked')
    for (const tokens of [() => Promise.reject(cause), () => throwing(cause)]) {
      const failure = await failureOf(tokens)
      expect(failure).toMatchObject({ code: 'TOKEN_REFUSED', retryable: false, cause })
      expect(
        FeedError.is(failure) && failure.message + JSON.stringify(failure.context),
      ).not.toContain('r-4711')
    }
  })

  test('a FeedError of the source is passed on and decides about repeats', async () => {
    const error = new FeedError('HTTP_TRANSPORT', 'the identity provider is away', {
      url: 'https://id.test/',
    })
    expect(await failureOf(() => Promise.reject(error))).toBe(error)
  })

  test('an aborted request asks the source for no token', async () => {
    const { transport } = authorized(() => expect.unreachable())
    await expect(
      transport.send({ url, headers: {}, signal: AbortSignal.abort('gone') }),
    ).rejects.toBe('gone')
  })

  test('a source that never answers fails at the time limit', async () => {
    expect(await failureOf(() => new Promise(() => {}))).toMatchObject({
      code: 'HTTP_TIMEOUT',
      context: { phase: 'token', limitMs: 20 },
    })
  })
})

function throwing(error: Error): never {
  throw error
}
