import { describe, expect, test } from 'vitest'
import { Secrets } from '../../../src/engine/codec/secrets'
import { FeedError } from '../../../src/engine/errors'
import { Retries } from '../../../src/engine/stages/range/retries'
import { BoundedTransport } from '../../../src/service/http/bounded-transport'
import { fetchTransport } from '../../../src/service/http/fetch-transport'
import type { RequestOptions } from '../../../src/service/http/request-settings'
import { credentialTokens } from '../../../src/service/tokens/client-credentials'
import { emulated, FAST } from '../emulated'
import { requestSettingsOf } from '../http/request-settings-of'

const TOKEN_URL = 'https://id.test/token'
const signal = new AbortController().signal

/**
 * Tokens from an endpoint that answers by `answer`. By default it grants `tok-<n>` for an hour.
 */
function tokensFrom(
  answer: (request: Request, index: number) => Response | Promise<Response>,
  options: RequestOptions = {},
) {
  const asked: { form: Record<string, string>; headers: Headers }[] = []
  const inner = fetchTransport(async request => {
    asked.push({
      form: Object.fromEntries(new URLSearchParams(await request.clone().text())),
      headers: request.headers,
    })
    return answer(request, asked.length - 1)
  })
  const settings = requestSettingsOf({ retry: { backoffBaseMs: 1, backoffCapMs: 1 }, ...options })
  const secrets = new Secrets()
  const transport = new BoundedTransport(inner, settings, secrets)
  const credentials = { clientId: 'a:b c', clientSecret: 'se+cret&%' }
  const closing = new AbortController()
  const closed = closing.signal
  const tokens = credentialTokens({
    tokenUrl: TOKEN_URL,
    credentials,
    transport,
    secrets,
    settings,
    closed,
  })
  return { asked, secrets, tokens, settings, closing }
}

const granted = (_: Request, index: number) =>
  Response.json({ access_token: `tok-${index}`, token_type: 'Bearer', expires_in: 3600 })

describe('client credentials', () => {
  test('the grant has the form of RFC 6749 and the requested scope', async () => {
    const { tokens, asked } = tokensFrom(granted)
    expect(await tokens({ scope: 'https://a.test/buy.item.feed', signal })).toBe('tok-0')
    expect(asked[0]?.form).toEqual({
      grant_type: 'client_credentials',
      scope: 'https://a.test/buy.item.feed',
    })
    const basic = Buffer.from(
      `${encodeURIComponent('a:b').replaceAll('%20', '+')}+c:${encodeURIComponent('se+cret&%')}`,
    ).toString('base64')
    expect(asked[0]?.headers.get('authorization')).toBe(`Basic ${basic}`)
    expect(asked[0]?.headers.get('content-type')).toMatch(/^application\/x-www-form-urlencoded/)
  })

  test('all waiting callers share one request for each scope', async () => {
    const { tokens, asked } = tokensFrom(granted)
    const need = (scope: string) => tokens({ scope, signal })
    expect(await Promise.all(Array.from({ length: 50 }, () => need('a')))).toEqual(
      Array(50).fill('tok-0'),
    )
    expect(await need('a')).toBe('tok-0')
    expect(await need('b')).toBe('tok-1')
    expect(asked.length).toBe(2)
  })

  test('a token is renewed 30 seconds before its expiry, or a tenth of a short lifetime', async () => {
    let now = 0
    const lifetimes = [3600, 100, undefined]
    const { tokens, asked } = tokensFrom(
      (_, index) =>
        Response.json({
          access_token: `tok-${index}`,
          token_type: 'bearer',
          expires_in: lifetimes[index],
        }),
      { now: () => new Date(now) },
    )
    const at = async (seconds: number) => {
      now = seconds * 1000
      return tokens({ scope: 'a', signal })
    }
    expect([await at(0), await at(3569), await at(3570)]).toEqual(['tok-0', 'tok-0', 'tok-1'])
    expect([await at(3570 + 89), await at(3570 + 90)]).toEqual(['tok-1', 'tok-2'])
    // A token without a lifetime is used until it is refused.
    expect(await at(1e9)).toBe('tok-2')
    expect(asked.length).toBe(3)
  })

  test('a renewal that fails leaves the old token in use until its end, but not one that was refused', async () => {
    let now = 0
    const { tokens, asked } = tokensFrom(
      (request, index) =>
        index === 0
          ? granted(request, 0)
          : Response.json({ error: 'invalid_client' }, { status: 400 }),
      { now: () => new Date(now) },
    )
    const need = (refused?: string) =>
      tokens({ scope: 'a', signal, ...(refused === undefined ? {} : { refused }) })
    await need()
    now = 3_599_999
    expect(await Promise.all([need(), need()])).toEqual(['tok-0', 'tok-0'])
    expect(asked.length).toBe(2)
    await expect(need('tok-0')).rejects.toMatchObject({ code: 'TOKEN_REFUSED' })
    now = 3_600_000
    await expect(need()).rejects.toMatchObject({ code: 'TOKEN_REFUSED' })
    expect(asked.length).toBe(4)
  })

  test('a refused token is renewed, once, and not when it was renewed meanwhile', async () => {
    const { tokens, asked } = tokensFrom(granted)
    const need = (refused?: string) =>
      tokens({ scope: 'a', signal, ...(refused === undefined ? {} : { refused }) })
    await need()
    expect(await Promise.all([need('tok-0'), need('tok-0'), need('tok-0')])).toEqual([
      'tok-1',
      'tok-1',
      'tok-1',
    ])
    expect(await need('tok-0')).toBe('tok-1')
    expect(asked.length).toBe(2)
  })

  test('a failure that may pass reaches all waiting callers, and the next caller sends a new request', async () => {
    let up = 1
    const { tokens, asked } = tokensFrom((request, index) =>
      index < up ? new Response('busy', { status: 503 }) : granted(request, index),
    )
    for (const outcome of await Promise.allSettled([
      tokens({ scope: 'b', signal }),
      tokens({ scope: 'b', signal }),
    ])) {
      const context = { operation: 'token', status: 503, url: TOKEN_URL }
      expect(outcome).toMatchObject({
        status: 'rejected',
        reason: { code: 'HTTP_STATUS', retryable: true, context },
      })
    }
    expect(asked.length).toBe(1)
    up = 0
    expect(await tokens({ scope: 'b', signal })).toBe('tok-1')
  })

  test('an answer that ends early is a retryable failure, not a refusal', async () => {
    const { tokens, asked } = tokensFrom((request, index) => {
      const broken = new ReadableStream({
        pull(controller) {
          controller.enqueue(Buffer.from('{"access_token":"tok'))
          controller.error(new TypeError('terminated'))
        },
      })
      return index === 0
        ? new Response(broken, { headers: { 'content-type': 'application/json' } })
        : granted(request, index)
    })
    await expect(tokens({ scope: 'a', signal })).rejects.toMatchObject({
      code: 'HTTP_TRANSPORT',
      retryable: true,
    })
    expect(await tokens({ scope: 'a', signal })).toBe('tok-1')
    expect(asked.length).toBe(2)
  })

  test('a refusal has its code and is not repeated', async () => {
    const { tokens, asked } = tokensFrom(() =>
      Response.json(
        { error: 'invalid_client', error_description: 'who?' },
        { status: 401, headers: { 'www-authenticate': 'Basic realm="t"' } },
      ),
    )
    const waiting = await Promise.allSettled([
      tokens({ scope: 'a', signal }),
      tokens({ scope: 'a', signal }),
    ])
    for (const outcome of waiting) {
      expect(outcome).toMatchObject({
        status: 'rejected',
        reason: {
          code: 'TOKEN_REFUSED',
          retryable: false,
          context: { url: TOKEN_URL, status: 401, error: 'invalid_client', reason: 'who?' },
        },
      })
    }
    expect(asked.length).toBe(1)
    await expect(tokens({ scope: 'a', signal })).rejects.toMatchObject({
      code: 'TOKEN_REFUSED',
    })
    expect(asked.length).toBe(2)
  })

  test.each([
    ['not JSON', () => new Response('<html>')],
    ['no token', () => Response.json({ token_type: 'Bearer' })],
    ['an object for a token', () => Response.json({ access_token: {}, token_type: 'Bearer' })],
    ['another kind of token', () => Response.json({ access_token: 'tok', token_type: 'mac' })],
    ['a DPoP token', () => Response.json({ access_token: 'tok', token_type: 'DPoP' })],
    ['204', () => new Response(null, { status: 204 })],
    [
      'a redirect',
      () => new Response(null, { status: 307, headers: { location: 'https://id.test/elsewhere' } }),
    ],
    [
      'an endless body',
      () =>
        new Response(
          new ReadableStream({
            pull: controller => controller.enqueue(new Uint8Array(4096).fill(32)),
          }),
        ),
    ],
  ])('an answer that is no token: %s', async (_, answer) => {
    const { tokens, asked } = tokensFrom(answer)
    await expect(tokens({ scope: 'a', signal })).rejects.toMatchObject({
      code: 'TOKEN_REFUSED',
      retryable: false,
    })
    expect(asked.length).toBe(1)
  })

  test.each<readonly [number, string, string]>([
    [302, 'text/html', 'status 302, a redirect, is not'],
    [307, '', 'status 307, a redirect, is not'],
    [403, 'text/html; charset=utf-8', 'status 403 with text/html is not'],
    [404, 'application/json', 'status 404 with application/json is not'],
    [404, '', 'status 404 is not'],
    [401, 'text/plain', 'status 401 with text/plain is not'],
    [200, 'text/html', 'status 200 with text/html is not'],
    [200, 'application/json', 'status 200 with application/json is not'],
    [400, 'application/json', 'status 400 with application/json is not'],
    [418, `text/${'x'.repeat(900)}`, 'status 418 with text/xxx'],
  ])(
    'fault 84: the error of an answer with status %i (%s) names both',
    async (status, type, words) => {
      const headers = { location: '/elsewhere', ...(type && { 'content-type': type }) }
      const body = type === '' ? null : '{"message":"Not here"}'
      const { tokens, asked } = tokensFrom(() => new Response(body, { status, headers }))
      const error = await tokens({ scope: 'a', signal }).catch(thrown => thrown)
      expect(error).toMatchObject({ code: 'TOKEN_REFUSED', retryable: false, context: { status } })
      expect(error.message).toContain(words)
      expect(error.message).toContain('check the address of the endpoint')
      expect(error.message.length).toBeLessThan(250)
      expect(asked.length).toBe(1)
    },
  )

  test.each([
    ['7', 7_000],
    ['3600', 50_000],
    ['Thu, 01 Jan 1970 00:00:09 GMT', 9_000],
    ['soon', 0],
    [undefined, 0],
  ])('fault 28: a Retry-After of %j makes repeats wait for %i ms', async (header, waitMs) => {
    const headers = header === undefined ? {} : { 'retry-after': header }
    const { tokens, settings } = tokensFrom(() => new Response('busy', { status: 429, headers }), {
      now: new Date(0),
      retry: { backoffBaseMs: 1, backoffCapMs: 1, retryAfterCapMs: 50_000 },
    })
    const error = await tokens({ scope: 'a', signal }).catch(thrown => thrown)
    const told: number[] = []
    const ending = new AbortController()
    const onRetry = ({ delayMs }: { delayMs: number }) => {
      told.push(delayMs)
      ending.abort()
    }
    const retries = new Retries({ ...settings.retry, onRetry }, ending.signal)
    await retries.again(error).catch(() => {})
    expect(told[0]).toBeLessThanOrEqual(waitMs + 1)
    expect(told[0]).toBeGreaterThanOrEqual(waitMs)
  })

  test('fault 28: a renewal that is refused for a while is not tried before, while a token is there', async () => {
    let now = 0
    const { tokens, asked } = tokensFrom(
      (request, index) =>
        index === 1
          ? new Response('busy', { status: 503, headers: { 'retry-after': '10' } })
          : granted(request, index),
      { now: () => new Date(now) },
    )
    const at = async (seconds: number) => {
      now = seconds * 1000
      return [await tokens({ scope: 'a', signal }), asked.length]
    }
    expect([await at(0), await at(3571), await at(3575), await at(3582)]).toEqual([
      ['tok-0', 1],
      ['tok-0', 2],
      ['tok-0', 2],
      ['tok-2', 3],
    ])
  })

  test('close ends a renewal that is under way', async () => {
    const { tokens, closing } = tokensFrom(() => new Promise<Response>(() => {}))
    const waiting = tokens({ scope: 'a', signal }).catch(error => error)
    setTimeout(
      () => closing.abort(new FeedError('ABORTED', 'the service was closed', { stage: 'token' })),
      5,
    )
    expect(FeedError.is(await waiting)).toBe(true)
  })

  test('fault 28: requests and downloads wait as long as the token endpoint asks', async () => {
    const isBusy = { json: true, range: true }
    for (const kind of ['json', 'range'] as const) {
      const told: number[] = []
      const { service } = emulated({
        between: (request, forward) => {
          if (!isBusy[kind] || !request.url.includes('token')) return forward(request)
          isBusy[kind] = false
          return new Response('', { status: 503, headers: { 'retry-after': '1000' } })
        },
        service: {
          retry: {
            ...FAST.retry,
            onRetry: ({ delayMs }) => {
              told.push(delayMs)
            },
          },
        },
      })
      const wanted = { marketplace: 'MKT_US', categoryId: '220', scope: 'ALL_ACTIVE' } as const
      if (kind === 'json') await service.catalog.getFeedTypes().toArray()
      else await service.feeds.getItemFeed(wanted).info()
      // The limit of the policy is five milliseconds.
      expect([kind, told]).toEqual([kind, [5]])
      await service.close()
    }
  })
})
