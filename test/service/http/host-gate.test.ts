import { afterEach, expect, test, vi } from 'vitest'
import { FeedError } from '../../../src/engine/errors'
import { HostGate } from '../../../src/service/http/host-gate'

afterEach(() => void vi.useRealTimers())

const limits = (signal = new AbortController().signal, limitMs = 1000) => ({
  signal,
  limitMs,
  onLimit: () => new FeedError('HTTP_TIMEOUT', 'no turn', { url: 'u', phase: 'queue', limitMs }),
})

test('requests start in the order in which they asked, within the limit', async () => {
  const gate = new HostGate({ concurrency: 2, intervalMs: 0 })
  const order: number[] = []
  const leaves: (() => void)[] = []
  const asked = [0, 1, 2, 3].map(async n => {
    const leave = await gate.enter(limits())
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
  const gate = new HostGate({ concurrency: 1, intervalMs: 0 })
  const leave = await gate.enter(limits())
  const aborting = new AbortController()
  const aborted = gate.enter(limits(aborting.signal))
  const late = gate.enter(limits(undefined, 5))
  const third = gate.enter(limits())
  aborting.abort(new Error('enough'))
  await expect(aborted).rejects.toThrow('enough')
  await expect(late).rejects.toMatchObject({ code: 'HTTP_TIMEOUT', context: { phase: 'queue' } })
  leave()
  ;(await third)()
  ;(await gate.enter(limits()))()
  await expect(gate.enter(limits(AbortSignal.abort()))).rejects.toThrow()
})

test('a permit that comes at the moment of an abort goes to the next request', async () => {
  const gate = new HostGate({ concurrency: 1, intervalMs: 0 })
  const leave = await gate.enter(limits())
  const aborting = new AbortController()
  const aborted = gate.enter(limits(aborting.signal))
  const next = gate.enter(limits())
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
  const gate = new HostGate({ concurrency: 100, intervalMs: 300 })
  const started: number[] = []
  const begin = Date.now()
  const asked = [0, 1, 2, 3].map(async n => {
    await gate.enter(limits())
    started[n] = Date.now() - begin
  })
  const refused = expect(gate.enter(limits())).rejects.toMatchObject({ code: 'HTTP_TIMEOUT' })
  await vi.advanceTimersByTimeAsync(2000)
  await Promise.all(asked)
  await refused
  expect(started).toEqual([0, 300, 600, 900])
  const later = gate.enter(limits())
  await vi.advanceTimersByTimeAsync(0)
  ;(await later)()
})

test('one limit holds for the wait for a permit and the wait for a start together', async () => {
  vi.useFakeTimers()
  const gate = new HostGate({ concurrency: 1, intervalMs: 900 })
  const leave = await gate.enter(limits())
  const refused = expect(gate.enter(limits(undefined, 600))).rejects.toMatchObject({
    code: 'HTTP_TIMEOUT',
  })
  // The permit comes after 500 ms, and the start 400 ms after that: 300 ms past the limit.
  await vi.advanceTimersByTimeAsync(500)
  leave()
  await refused
})
