import { expect, test } from 'vitest'
import { FeedError } from '../../../../src/engine/errors'
import { RangeRequester } from '../../../../src/engine/stages/range/range-requester'
import {
  type RangeFetcherOptions,
  rangeSettings,
} from '../../../../src/engine/stages/range/range-settings'
import type { RangeResponse } from '../../../../src/engine/stages/range/range-transport'
import {
  LAST_MODIFIED,
  reset,
  type Script,
  ScriptedTransport,
  sampleFile,
} from '../scripted-transport'

const range = { start: 0, end: 20 }

function requesterOver(script?: Script, options: Partial<RangeFetcherOptions> = {}) {
  const transport = new ScriptedTransport(sampleFile(100), script)
  const abort = new AbortController()
  const requester = new RangeRequester(
    rangeSettings({ url: 'http://feed.test/file', transport, ...options }),
    abort.signal,
  )
  return { requester, transport, abort }
}

test('a good response has its body and states the identity of the file', async () => {
  const { requester, transport } = requesterOver()
  const answer = await requester.ask(range)
  expect(answer).toMatchObject({ kind: 'part', takeBytes: 20 })
  expect(requester.identity).toEqual({
    totalBytes: 100,
    lastModified: LAST_MODIFIED,
    date: expect.any(String),
    isDateStrong: true,
  })
  expect(transport.open).toBe(1)
})

test('the bodies of other responses are discarded', async () => {
  for (const reply of [
    { status: 503 },
    { status: 204 },
    { status: 416, headers: { 'content-range': '*/10' } },
  ]) {
    const { requester, transport } = requesterOver(() => reply)
    expect(['retry', 'empty', 'total']).toContain((await requester.ask(range)).kind)
    expect(transport.open).toBe(0)
  }
})

test('refusals are thrown, failures that may pass are returned as retry, and neither changes the identity', async () => {
  const refused = requesterOver(() => ({ status: 403, headers: { 'last-modified': 'x' } }))
  await expect(refused.requester.ask(range)).rejects.toMatchObject({ code: 'HTTP_STATUS' })
  expect([refused.transport.open, refused.requester.identity]).toEqual([0, {}])
  const failing = requesterOver(reset)
  expect(await failing.requester.ask(range)).toMatchObject({
    kind: 'retry',
    error: { code: 'HTTP_TRANSPORT' },
  })
  const fatal = new FeedError('HTTP_CONTENT_LENGTH', 'bad', { url: 'u', received: '' })
  await expect(requesterOver(() => fatal).requester.ask(range)).rejects.toBe(fatal)
})

test('fault 86: headers that the caller gives for each request are checked before they are sent', async () => {
  const { requester, transport } = requesterOver(undefined, {
    headers: () => ({ Authorization: 'a\r\nsecret' }),
  })
  const failure = await requester.ask(range).catch(error => error)
  expect(failure).toMatchObject({
    code: 'HTTP_HEADER_INVALID',
    context: { header: 'Authorization' },
  })
  expect(transport.requests).toHaveLength(0)
})

test('fault 31: a response after its time limit is discarded', async () => {
  let answer = (_response: RangeResponse) => {}
  let aborted = false
  const transport = {
    send: ({ signal }: { signal: AbortSignal }) => {
      signal.addEventListener('abort', () => {
        aborted = true
      })
      return new Promise<RangeResponse>(resolve => {
        answer = resolve
      })
    },
  }
  const { requester } = requesterOver(undefined, { transport, headersTimeoutMs: 5 })
  expect(await requester.ask(range)).toMatchObject({
    kind: 'retry',
    error: { code: 'HTTP_TIMEOUT', context: { phase: 'headers' } },
  })
  expect(aborted).toBe(true)
  await new Promise<void>(discard =>
    answer({ status: 200, header: () => undefined, body: (async function* () {})(), discard }),
  )
})

test('fault 32: the signal ends the wait at once, and its reason is no failure that may pass', async () => {
  const { requester, abort } = requesterOver(() => 'stall')
  const asking = requester.ask(range)
  const reason = new FeedError('HTTP_TRANSPORT', 'retryable in itself', { url: 'u' })
  abort.abort(reason)
  await expect(asking).rejects.toBe(reason)
})

test('the error of a refused token has the text of the challenge', async () => {
  const challenge =
    'Bearer realm="feeds", error="invalid_token", error_description="The access token expired"'
  const { requester } = requesterOver(() => ({
    status: 401,
    headers: { 'www-authenticate': challenge },
  }))
  await expect(requester.ask(range)).rejects.toMatchObject({
    code: 'HTTP_STATUS',
    message: expect.stringMatching(
      /^status 401, invalid_token: The access token expired \(the option headers /,
    ),
    context: {
      status: 401,
      challenge: { error: 'invalid_token', description: 'The access token expired' },
    },
  })
})
