import fc from 'fast-check'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { readRetryAfter } from '../../../../src/engine/codec/range/status-error'
import { FeedError } from '../../../../src/engine/errors'
import {
  backoffDelayMs,
  Retries,
  type Retry,
  type RetryOptions,
  retryPolicy,
} from '../../../../src/engine/stages/range/retries'

const failure = new FeedError('HTTP_TRANSPORT', 'reset', { url: 'u' })
const timeout = new FeedError('HTTP_TIMEOUT', 'silence', {
  url: 'u',
  phase: 'headers',
  limitMs: 60_000,
})
const { signal } = new AbortController()

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

async function finished<T>(work: Promise<T>): Promise<T> {
  const [outcome] = await Promise.all([work, vi.runAllTimersAsync()])
  return outcome
}

/** Fails until the policy gives up, and returns the waits between the failures. */
async function untilGivenUp(
  options: RetryOptions,
  error: FeedError = failure,
  retryAfterMs?: number,
): Promise<number[]> {
  const waits: number[] = []
  const retries = new Retries(
    retryPolicy('retry', { ...options, onRetry: ({ delayMs }: Retry) => waits.push(delayMs) }),
    signal,
  )
  while (await finished(retries.again(error, retryAfterMs)));
  return waits
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)

test('the default policy bridges an outage of 20 seconds and gives up after 30 seconds', async () => {
  for (const random of [() => 0, () => 0.5, () => 1 - Number.EPSILON]) {
    const waits = await untilGivenUp({ random })
    expect(sum(waits)).toBe(30_000)
    expect(waits.length).toBeGreaterThan(5)
    expect(waits[0]).toBeLessThanOrEqual(250)
  }
})

test('the waits add up to the patience, whatever the delays are', async () => {
  const ms = fc.integer({ min: 1, max: 5_000 })
  await fc.assert(
    fc.asyncProperty(ms, ms, ms, async (patienceMs, backoffBaseMs, backoffCapMs) => {
      fc.pre(patienceMs / Math.min(backoffBaseMs, backoffCapMs) < 200)
      expect(sum(await untilGivenUp({ patienceMs, backoffBaseMs, backoffCapMs }))).toBe(patienceMs)
    }),
    { numRuns: 50 },
  )
})

test('a patience of 0 repeats nothing, and delays of 0 ms end too', async () => {
  expect(await untilGivenUp({ patienceMs: 0 })).toEqual([])
  expect(await untilGivenUp({ patienceMs: 7, backoffBaseMs: 0 })).toEqual(Array(7).fill(0))
})

test('exceeded time limits count, and at least one repeat is made', async () => {
  expect(await untilGivenUp({ patienceMs: 30_000 }, timeout)).toHaveLength(1)
  expect(await untilGivenUp({ patienceMs: 150_000 }, timeout)).toHaveLength(2)
})

test('a wait by Retry-After is obeyed up to its limit and does not count', async () => {
  const waits = await untilGivenUp(
    { patienceMs: 3, backoffBaseMs: 1, backoffCapMs: 1, retryAfterCapMs: 5_000 },
    failure,
    9_000,
  )
  expect(waits).toEqual([5_000, 5_000, 5_000])
})

test('progress resets the patience', async () => {
  const retries = new Retries(
    retryPolicy('retry', { patienceMs: 2, backoffBaseMs: 1, backoffCapMs: 1 }),
    signal,
  )
  for (let round = 0; round < 20; round++) {
    expect(await finished(retries.again(failure))).toBe(true)
    retries.progressed()
  }
  expect(retries.failures).toBe(0)
})

test('onRetry is called before the wait', async () => {
  const told: Retry[] = []
  const retries = new Retries(
    retryPolicy('retry', { onRetry: retry => told.push(retry), random: () => 0 }),
    signal,
  )
  const again = retries.again(failure)
  expect(told).toEqual([{ error: failure, failures: 1, delayMs: 125 }])
  await finished(again)
})

test('the signal ends a wait with its reason', async () => {
  const stop = new AbortController()
  const again = new Retries(retryPolicy('retry', {}), stop.signal).again(failure)
  stop.abort('enough')
  await expect(again).rejects.toBe('enough')
})

test.each([
  { patienceMs: -1 },
  { patienceMs: 1.5 },
  { backoffBaseMs: '1' as never },
  { onRetry: 1 as never },
  { random: 1 as never },
])('%o is refused', options => {
  expect(() => retryPolicy('retry', options)).toThrow(
    expect.objectContaining({ code: 'OPTION_INVALID' }),
  )
})

const limits = { backoffBaseMs: 100, backoffCapMs: 1000 }
const least = () => 0
const most = () => 1 - Number.EPSILON

test('the delay doubles up to the cap, and half of it is jitter', () => {
  expect(
    [1, 2, 3, 4, 5, 500].map(failures => backoffDelayMs(failures, { ...limits, random: least })),
  ).toEqual([50, 100, 200, 400, 500, 500])
  expect(
    [1, 2, 3, 4, 5, 5000].map(failures => backoffDelayMs(failures, { ...limits, random: most })),
  ).toEqual([100, 200, 400, 800, 1000, 1000])
})

test('the delay stays between half of the first one and the cap', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 2000 }),
      fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
      (failures, random) => {
        const delayMs = backoffDelayMs(failures, { ...limits, random: () => random })
        expect(delayMs).toBeGreaterThanOrEqual(50)
        expect(delayMs).toBeLessThanOrEqual(1000)
      },
    ),
  )
})

test('fault 28: Retry-After may be seconds, a date, 0 or garbage', () => {
  const nowMs = Date.parse('Sun, 06 Nov 1994 08:49:37 GMT')
  expect(readRetryAfter('7', nowMs)).toBe(7000)
  expect(readRetryAfter(' 0 ', nowMs)).toBe(0)
  expect(readRetryAfter('9'.repeat(400), nowMs)).toBe(Number.POSITIVE_INFINITY)
  expect(readRetryAfter('Sun, 06 Nov 1994 08:49:40 GMT', nowMs)).toBe(3000)
  expect(readRetryAfter('Sunday, 06-Nov-94 08:49:40 GMT', nowMs)).toBe(3000)
  expect(readRetryAfter('Sun, 06 Nov 1994 08:49:07 GMT', nowMs)).toBe(0)
  for (const text of [
    undefined,
    '',
    '-1',
    '1.5',
    'soon',
    'Sun, 99 Foo 1994 08:49:07 GMT',
    '1994-11-06',
  ])
    expect([text, readRetryAfter(text, nowMs)]).toEqual([text, undefined])
})
