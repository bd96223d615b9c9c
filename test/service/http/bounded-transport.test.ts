import { afterEach, describe, expect, test, vi } from 'vitest'
import { Secrets } from '../../../src/engine/codec/secrets'
import { FeedError } from '../../../src/engine/errors'
import type { RangeResponse } from '../../../src/engine/stages/range/range-transport'
import { BoundedTransport, hostGate } from '../../../src/service/http/bounded-transport'
import type { HttpRequest, HttpTransport } from '../../../src/service/http/http-transport'
import type { RequestOptions } from '../../../src/service/http/request-settings'
import { requestSettingsOf } from './request-settings-of'

const request = (host = 'a.test'): HttpRequest => ({
  url: `https://${host}/x`,
  headers: {},
  signal: new AbortController().signal,
})

function response(
  onDiscard = () => {},
  parts = [Uint8Array.of(1), Uint8Array.of(2)],
): RangeResponse {
  return {
    status: 200,
    header: () => undefined,
    body: (async function* () {
      yield* parts
    })(),
    discard: onDiscard,
  }
}

function bounded(send: HttpTransport['send'], options: RequestOptions = {}): BoundedTransport {
  const limits = { concurrencyPerHost: 1, queueTimeoutMs: 20, headersTimeoutMs: 20 }
  const settings = requestSettingsOf({ ...limits, ...options })
  return new BoundedTransport({ send }, settings, new Secrets())
}

const busy = {
  code: 'HTTP_TIMEOUT',
  retryable: true,
  context: { phase: 'queue', limitMs: 20, url: 'https://a.test/x' },
}

test('a request holds its permit until its body is read or discarded, and hosts do not share permits', async () => {
  let discarded = 0
  const transport = bounded(async () => response(() => void discarded++))
  const first = await transport.send(request())
  await expect(transport.send(request())).rejects.toMatchObject(busy)
  ;(await transport.send(request('b.test'))).discard()
  const parts: number[] = []
  for await (const [byte] of first.body) parts.push(byte!)
  expect(parts).toEqual([1, 2])
  const second = await transport.send(request())
  second.discard()
  const third = await transport.send(request())
  for await (const _ of third.body) break
  first.discard()
  ;(await transport.send(request())).discard()
  expect(discarded).toBe(4)
})

test('a request holds its permit until a body that is pushed has ended or failed', async () => {
  const endings: { end(): void; fail(error: Error): void }[] = []
  const receive = () => new Promise<void>((end, fail) => void endings.push({ end, fail }))
  const transport = bounded(async () => ({ ...response(), receive }))
  const whole = (await transport.send(request())).receive?.(() => {})
  await expect(transport.send(request())).rejects.toMatchObject(busy)
  endings[0]?.end()
  await whole
  const cut = expect((await transport.send(request())).receive?.(() => {})).rejects.toThrow('reset')
  endings[1]?.fail(new Error('reset'))
  await cut
  ;(await transport.send(request())).discard()
})

test('a failed request gives its permit back', async () => {
  let requests = 0
  const transport = bounded(async () => {
    if (++requests === 1) throw new FeedError('HTTP_TRANSPORT', 'reset', { url: 'u' })
    return response()
  })
  await expect(transport.send(request())).rejects.toMatchObject({ code: 'HTTP_TRANSPORT' })
  expect((await transport.send(request())).status).toBe(200)
})

test('a request without a response is aborted, and its late response discarded', async () => {
  let answer = (_response: RangeResponse) => {}
  let aborted = false
  let discarded = false
  const transport = bounded(({ signal }) => {
    signal.addEventListener('abort', () => void (aborted = true))
    return new Promise(resolve => {
      answer = resolve
    })
  })
  await expect(transport.send(request())).rejects.toMatchObject({
    code: 'HTTP_TIMEOUT',
    context: { phase: 'headers', limitMs: 20 },
  })
  expect(aborted).toBe(true)
  answer(response(() => void (discarded = true)))
  await Promise.resolve()
  await Promise.resolve()
  expect(discarded).toBe(true)
})

test('the abort of the caller ends the wait for a permit and for a response', async () => {
  const transport = bounded(() => new Promise(() => {}), {
    queueTimeoutMs: 10_000,
    headersTimeoutMs: 10_000,
  })
  const aborting = new AbortController()
  const sending = [0, 1].map(() =>
    transport.send({ ...request(), signal: aborting.signal }).catch(error => error),
  )
  setTimeout(() => aborting.abort(new Error('enough')), 5)
  for (const error of await Promise.all(sending)) expect(error).toMatchObject({ message: 'enough' })
})

test('a request waits for its turn at a shared limit, and is not sent without one', async () => {
  let sent = 0
  let turns = 0
  const answers = [true, false]
  const sharedTurn: RequestOptions['sharedTurn'] = async ({ signal, limitMs }) => {
    turns++
    expect([signal.aborted, limitMs > 0 && limitMs <= 20, sent]).toEqual([false, true, turns - 1])
    return answers.shift() ?? new Promise(() => {})
  }
  const transport = bounded(
    async () => {
      sent++
      return response()
    },
    { sharedTurn },
  )
  ;(await transport.send(request())).discard()
  // The turn would come too late; then it does not come at all. Each gives its permit back.
  await expect(transport.send(request())).rejects.toMatchObject(busy)
  sent = 2
  await expect(transport.send(request())).rejects.toMatchObject(busy)
  expect([turns, sent]).toEqual([3, 2])
})

describe('host gate', () => {
  afterEach(() => void vi.useRealTimers())

  const limits = (signal = new AbortController().signal, limitMs = 1000) => ({
    signal,
    limitMs,
    onLimit: () => new FeedError('HTTP_TIMEOUT', 'no turn', { url: 'u', phase: 'queue', limitMs }),
  })

  test('requests start in the order in which they asked, within the limit', async () => {
    const gate = hostGate({ concurrencyPerHost: 2, intervalMs: 0 })
    const order: number[] = []
    const leaves: (() => void)[] = []
    const asked = [0, 1, 2, 3].map(async n => {
      const leave = await gate(limits())
      order.push(n)
      leaves.push(leave)
    })
    await vi.waitFor(() => expect(order).toEqual([0, 1]))
    leaves[1]!()
    // A second call gives no second permit.
    leaves[1]!()
    await vi.waitFor(() => expect(order).toEqual([0, 1, 2]))
    leaves[0]!()
    await Promise.all(asked)
    expect(order).toEqual([0, 1, 2, 3])
  })

  test('a wait that ends by its limit or an abort takes no permit', async () => {
    const gate = hostGate({ concurrencyPerHost: 1, intervalMs: 0 })
    const leave = await gate(limits())
    const aborting = new AbortController()
    const aborted = gate(limits(aborting.signal))
    const late = gate(limits(undefined, 5))
    const third = gate(limits())
    aborting.abort(new Error('enough'))
    await expect(aborted).rejects.toThrow('enough')
    await expect(late).rejects.toMatchObject({ code: 'HTTP_TIMEOUT', context: { phase: 'queue' } })
    leave()
    ;(await third)()
    ;(await gate(limits()))()
    await expect(gate(limits(AbortSignal.abort()))).rejects.toThrow()
  })

  test('a permit that comes at the moment of an abort goes to the next request', async () => {
    const gate = hostGate({ concurrencyPerHost: 1, intervalMs: 0 })
    const leave = await gate(limits())
    const aborting = new AbortController()
    const aborted = gate(limits(aborting.signal))
    const next = gate(limits())
    leave()
    aborting.abort(new Error('enough'))
    const outcome = await aborted.then(
      taken => taken(),
      () => 'aborted',
    )
    ;(await next)()
    expect([undefined, 'aborted']).toContain(outcome)
  })

  test('starts have an even distance, and a start after the limit is refused at once', async () => {
    vi.useFakeTimers()
    const gate = hostGate({ concurrencyPerHost: 100, intervalMs: 300 })
    const started: number[] = []
    const begin = Date.now()
    const asked = [0, 1, 2, 3].map(async n => {
      await gate(limits())
      started[n] = Date.now() - begin
    })
    const refused = expect(gate(limits())).rejects.toMatchObject({ code: 'HTTP_TIMEOUT' })
    await vi.advanceTimersByTimeAsync(2000)
    await Promise.all(asked)
    await refused
    expect(started).toEqual([0, 300, 600, 900])
    const later = gate(limits())
    await vi.advanceTimersByTimeAsync(0)
    ;(await later)()
  })

  test('one limit holds for the wait for a permit and the wait for a start together', async () => {
    vi.useFakeTimers()
    const gate = hostGate({ concurrencyPerHost: 1, intervalMs: 900 })
    const leave = await gate(limits())
    const refused = expect(gate(limits(undefined, 600))).rejects.toMatchObject({
      code: 'HTTP_TIMEOUT',
    })
    // The permit comes after 500 ms, and the start 400 ms after that: 300 ms past the limit.
    await vi.advanceTimersByTimeAsync(500)
    leave()
    await refused
  })
})
