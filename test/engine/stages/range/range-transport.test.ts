import { describe, expect, test } from 'vitest'
import { Secrets } from '../../../../src/engine/codec/secrets'
import { FeedError } from '../../../../src/engine/errors'
import {
  asTransportError,
  type RangeRequest,
  type RangeResponse,
  watchedTransport,
} from '../../../../src/engine/stages/range/range-transport'
import { Recorded } from '../../diagnostics/recorded'

// Alone: it looks whether anyone in the process watches a channel.

test('a FeedError is returned unchanged, and other errors become the cause of HTTP_TRANSPORT', () => {
  const typed = new FeedError('HTTP_CONTENT_LENGTH', 'bad', { url: 'u', received: '' })
  expect(asTransportError(typed, 'http://feed.test/')).toBe(typed)
  const cause = new TypeError('fetch failed')
  expect(asTransportError(cause, 'http://feed.test/')).toMatchObject({
    code: 'HTTP_TRANSPORT',
    retryable: true,
    context: { url: 'http://feed.test/' },
    cause,
  })
  expect(asTransportError('x'.repeat(500), 'u', 7)).toMatchObject({
    context: { url: 'u', byteOffset: 7 },
  })
  expect(asTransportError('x'.repeat(500), 'u').message.length).toBeLessThan(120)
})

test.each([
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
])('a certificate that is not accepted, %s, is not retryable', code => {
  const refused = Object.assign(new Error('not good'), { code })
  for (const error of [refused, new TypeError('fetch failed', { cause: refused })]) {
    const failure = asTransportError(error, 'https://a.test/')
    expect(failure).toMatchObject({ code: 'HTTP_TRANSPORT', retryable: false, cause: error })
    expect(failure.message).toContain(code)
  }
})

test('the message has the code of the system', () => {
  const reset = Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })
  expect(asTransportError(reset, 'u')).toMatchObject({
    retryable: true,
    message: 'the connection failed: socket hang up (ECONNRESET)',
  })
  expect(asTransportError(new TypeError('fetch failed', { cause: reset }), 'u').message).toContain(
    'ECONNRESET',
  )
})

const request: RangeRequest = {
  url: 'http://user:hidden@feed.test/file?token=hidden&day=20260301',
  headers: {},
  signal: new AbortController().signal,
  attempt: 3,
}

/** A response of two parts, which fails after them with `failure`. */
function response(failure?: Error, pushes = false): RangeResponse {
  const parts = [new Uint8Array(5), new Uint8Array(7)]
  const receive = async (onPart: (bytes: Uint8Array) => void) => {
    for (const part of parts) onPart(part)
    if (failure) throw failure
  }
  return {
    status: 206,
    header: name => `value of ${name}`,
    body: (async function* () {
      yield* parts
      if (failure) throw failure
    })(),
    ...(pushes && { receive }),
    discard() {},
  }
}

const whole = { status: 206, bytes: 12, attempt: 3, method: 'GET' }
const transportOf = (answer: () => Promise<RangeResponse>) =>
  watchedTransport({ send: answer }, new Secrets())

async function readAll(body: AsyncIterable<Uint8Array>): Promise<number> {
  let bytes = 0
  for await (const part of body) bytes += part.length
  return bytes
}

describe('a request is told once', () => {
  test.each([
    ['whose body is read', (given: RangeResponse) => readAll(given.body)],
    ['whose body is received', (given: RangeResponse) => given.receive!(() => {})],
  ])('%s', async (_, read) => {
    using told = new Recorded()
    const given = await transportOf(async () => response(undefined, true)).send(request)
    expect(given.header('etag')).toBe('value of etag')
    expect(told.all).toEqual([])
    await read(given)
    given.discard()
    const [message, ...others] = told.of('feedmill:request')
    expect(message).toMatchObject(whole)
    expect(message).not.toHaveProperty('code')
    expect(message?.url).toBe('http://feed.test/file?token=…&day=…')
    expect(others).toEqual([])
  })

  test('that is discarded after a part of its body', async () => {
    using told = new Recorded()
    const given = await transportOf(async () => response()).send(request)
    for await (const _ of given.body) break
    given.discard()
    expect(told.of('feedmill:request')).toMatchObject([{ status: 206, bytes: 5 }])
  })

  test.each([
    ['as an iterator', false],
    ['as parts', true],
  ])('whose body fails, read %s', async (_, pushes) => {
    using told = new Recorded()
    const failing = response(new RangeError('socket hang up'), pushes)
    const given = await transportOf(async () => failing).send(request)
    const reading = pushes ? given.receive!(() => {}) : readAll(given.body)
    await expect(reading).rejects.toThrow('socket hang up')
    given.discard()
    expect(told.of('feedmill:request')).toMatchObject([{ ...whole, code: 'HTTP_TRANSPORT' }])
  })

  test('that gets no response, with the reason of its abort', async () => {
    using told = new Recorded()
    const abort = new AbortController()
    const limit = new FeedError('HTTP_TIMEOUT', 'no response in 5 ms', {
      url: '',
      phase: 'headers',
      limitMs: 5,
    })
    abort.abort(limit)
    const refusing = transportOf(() => Promise.reject(new RangeError('aborted')))
    await expect(refusing.send({ ...request, signal: abort.signal })).rejects.toThrow('aborted')
    const [message] = told.of('feedmill:request')
    expect(message).toMatchObject({ bytes: 0, code: 'HTTP_TIMEOUT' })
    expect(message).not.toHaveProperty('status')
  })
})

test('without a subscriber the response is that of the transport', async () => {
  const given = response()
  expect(await transportOf(async () => given).send(request)).toBe(given)
})

test('a transport that reports its requests itself stays as it is', () => {
  const reporting = { reportsRequests: true, send: async () => response() }
  expect(watchedTransport(reporting, new Secrets())).toBe(reporting)
})
