import { describe, expect, test } from 'vitest'
import { Secrets } from '../../../src/engine/codec/secrets'
import { FeedError } from '../../../src/engine/errors'
import { BoundedTransport } from '../../../src/service/http/bounded-transport'
import { fetchTransport } from '../../../src/service/http/fetch-transport'
import type { RequestOptions } from '../../../src/service/http/request-settings'
import { bodyOfShape, JsonClient } from '../../../src/service/json/json-client'
import { z } from '../../../src/service/json/shapes'
import { requestSettingsOf } from '../http/request-settings-of'

const read = bodyOfShape(() =>
  z.looseObject({ a: z.int(), deep: z.optional(z.array(z.looseObject({ b: z.string() }))) }),
)
const URL_ = 'https://a.test/x?token=hidden'

function answering(
  answer: (request: Request, index: number) => Response | Promise<Response>,
  options: RequestOptions = {},
) {
  const asked: Request[] = []
  const inner = fetchTransport(request => {
    asked.push(request)
    return answer(request, asked.length - 1)
  })
  const retry = { backoffBaseMs: 1, backoffCapMs: 1, retryAfterCapMs: 2, ...options.retry }
  const settings = requestSettingsOf({ ...options, retry })
  const secrets = new Secrets()
  const transport = new BoundedTransport(inner, settings, secrets)
  const client = new JsonClient(settings, secrets)
  const request = { operation: 'getThing', url: URL_, transport }
  return {
    asked,
    client,
    request,
    get: (signal?: AbortSignal) => client.get({ ...request, signal }, read),
  }
}

const failureOf = async (work: Promise<unknown>): Promise<FeedError> => {
  const error: unknown = await work.catch(thrown => thrown)
  if (!FeedError.is(error)) throw new Error(`no FeedError: ${String(error)}`)
  return error
}

describe('a good answer', () => {
  test('is read by its shape, and unknown fields are kept', async () => {
    const { get, asked } = answering(() => Response.json({ a: 1, more: { x: [null] } }))
    expect(await get()).toEqual({ a: 1, more: { x: [null] } })
    expect(Object.fromEntries(asked[0]!.headers)).toEqual({
      accept: 'application/json',
      'accept-encoding': 'identity',
    })
  })

  test('without its shape fails with the path of the field', async () => {
    const cases: [string | null, string, string][] = [
      ['{"a":"1"}', 'a', 'not of the type number'],
      ['{"a":1,"deep":[{"b":"x"},{"b":2}]}', 'deep.1.b', 'not of the type string'],
      ['{}', 'a', 'not of the type number'],
      ['null', '', 'not of the type object'],
      ['<html>oops</html>', '', 'not JSON: <html>oops</html>'],
      ['', '', 'not JSON: '],
      [null, '', 'not JSON: '],
      ['{"a":1', '', 'not JSON: {"a":1'],
      ['{"a":1.5}', 'a', 'not of the type int'],
      ['{"a":1e300}', 'a', 'too big'],
    ]
    for (const [body, path, reason] of cases) {
      const error = await failureOf(
        answering(() => new Response(body, { status: body === null ? 204 : 200 })).get(),
      )
      expect(error).toMatchObject({
        code: 'RESPONSE_INVALID',
        retryable: false,
        context: { operation: 'getThing', path, reason, url: 'https://a.test/x?token=…' },
      })
    }
  })

  test('of status 204 has the value of the caller', async () => {
    const { client, request } = answering(() => new Response(null, { status: 204 }))
    expect(await client.get(request, read, { a: 0 })).toEqual({ a: 0 })
  })

  test('has a body within the size limit, and a larger body is refused', async () => {
    const body = JSON.stringify({ a: 1, pad: 'x'.repeat(100) })
    expect(
      await answering(() => new Response(body), { maxResponseBytes: body.length }).get(),
    ).toMatchObject({ a: 1 })
    let cancelled = false
    const endless = new ReadableStream({
      pull: controller => controller.enqueue(new Uint8Array(1000)),
      cancel: () => void (cancelled = true),
    })
    const error = await failureOf(
      answering(() => new Response(endless), { maxResponseBytes: 5000 }).get(),
    )
    expect(error).toMatchObject({
      code: 'RESPONSE_INVALID',
      context: { reason: 'longer than maxResponseBytes, 5000' },
    })
    expect(cancelled).toBe(true)
  })
})

describe('repetition', () => {
  test.each([408, 425, 429, 500, 502, 503, 504, 520, 524])(
    '%i causes a repetition',
    async status => {
      const { get, asked } = answering((_, index) =>
        index < 4 ? new Response('', { status }) : Response.json({ a: 1 }),
      )
      expect(await get()).toEqual({ a: 1 })
      expect(asked.length).toBe(5)
    },
  )

  test('a request is repeated within its patience, and then the last failure is thrown', async () => {
    const { get, asked } = answering(
      (_, index) => Response.json({ errorId: 13006, message: String(index) }, { status: 500 }),
      {
        retry: { patienceMs: 2 },
      },
    )
    expect(await failureOf(get())).toMatchObject({
      code: 'HTTP_STATUS',
      retryable: true,
      context: { errorId: 13006, message: '2' },
    })
    expect(asked.length).toBe(3)
  })

  test.each([400, 401, 403, 404, 409, 416, 418, 301, 304, 206])(
    '%i causes no repetition',
    async status => {
      const { get, asked } = answering(() => new Response(null, { status }))
      expect(await failureOf(get())).toMatchObject({
        code: 'HTTP_STATUS',
        retryable: false,
        context: { operation: 'getThing', status },
      })
      expect(asked.length).toBe(1)
    },
  )

  test.each(['0', 'Wed, 21 Oct 2099 07:28:00 GMT', 'soon', '99999999'])(
    'fault 28: Retry-After %j is obeyed up to its cap',
    async retryAfter => {
      const { get, asked } = answering((_, index) =>
        index < 2
          ? new Response('', { status: index ? 503 : 429, headers: { 'retry-after': retryAfter } })
          : Response.json({ a: 1 }),
      )
      expect(await get()).toEqual({ a: 1 })
      expect(asked.length).toBe(3)
    },
  )

  test('a lost connection and a body that ends early are repeated', async () => {
    const { get, asked } = answering((_, index) => {
      if (index === 0) throw new TypeError('fetch failed')
      const broken = new ReadableStream({
        pull: controller => controller.error(new TypeError('terminated')),
      })
      return index === 1 ? new Response(broken) : Response.json({ a: 1 })
    })
    expect(await get()).toEqual({ a: 1 })
    expect(asked.length).toBe(3)
  })

  test('a POST is sent once, even if its answer is lost', async () => {
    for (const answer of [
      () => new Response('', { status: 503 }),
      () => Promise.reject(new TypeError('reset')),
    ]) {
      const { client, request, asked } = answering(answer)
      expect(
        (await failureOf(client.send({ ...request, body: { x: 1 } }, () => 0))).retryable,
      ).toBe(true)
      expect(asked.length).toBe(1)
      expect(asked[0]?.headers.get('content-type')).toBe('application/json')
      expect(await asked[0]?.text()).toBe('{"x":1}')
    }
  })
})

describe('time', () => {
  test('a body that does not end fails at its time limit', async () => {
    const stalled = () =>
      new Response(
        new ReadableStream({ start: controller => controller.enqueue(Uint8Array.of(123)) }),
      )
    const { get, asked } = answering(stalled, { bodyTimeoutMs: 10, retry: { patienceMs: 1 } })
    expect(await failureOf(get())).toMatchObject({
      code: 'HTTP_TIMEOUT',
      context: { phase: 'body', limitMs: 10 },
    })
    expect(asked.length).toBe(2)
  })

  test('the body of an error is cut at its time limit', async () => {
    const stalled = () =>
      new Response(
        new ReadableStream({ start: controller => controller.enqueue(Uint8Array.of(123)) }),
        { status: 404 },
      )
    expect(await failureOf(answering(stalled, { bodyTimeoutMs: 10 }).get())).toMatchObject({
      code: 'HTTP_STATUS',
      context: { status: 404 },
    })
  })

  test('fault 32: abort ends a request, a body and a backoff at once', async () => {
    const answers = [
      () => new Promise<Response>(() => {}),
      () => new Response(new ReadableStream()),
      () => new Response('', { status: 503, headers: { 'retry-after': '60' } }),
    ]
    for (const answer of answers) {
      const { get } = answering(answer, { retry: { retryAfterCapMs: 60_000 } })
      const aborting = new AbortController()
      const failing = failureOf(get(aborting.signal))
      setTimeout(() => aborting.abort(new Error('enough')), 5)
      expect(await failing).toMatchObject({
        code: 'ABORTED',
        context: { stage: 'getThing' },
        cause: { message: 'enough' },
      })
    }
  })
})
