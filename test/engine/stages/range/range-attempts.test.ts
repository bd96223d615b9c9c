import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { FeedError } from '../../../../src/engine/errors'
import { RangeAttempts } from '../../../../src/engine/stages/range/range-attempts'
import { rangeSettings } from '../../../../src/engine/stages/range/range-settings'

const failure = new FeedError('HTTP_TRANSPORT', 'reset', { url: 'u' })

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const transport = { send: () => Promise.reject(failure) }
const attempts = (signal = new AbortController().signal) =>
  new RangeAttempts(
    rangeSettings({
      url: 'http://feed.test/',
      transport,
      retry: { patienceMs: 150, backoffBaseMs: 100, random: () => 0 },
    }),
    signal,
  )

async function waitedMs(work: Promise<void>): Promise<number> {
  const startedAt = Date.now()
  await Promise.all([work, vi.runAllTimersAsync()])
  return Date.now() - startedAt
}

test('waits longer each time, and gives up at the last attempt', async () => {
  const counted = attempts()
  expect(await waitedMs(counted.failed(failure, 7))).toBe(50)
  expect(await waitedMs(counted.failed(failure, 7))).toBe(100)
  await expect(counted.failed(failure, 7)).rejects.toMatchObject({
    code: 'RANGE_RETRIES_EXHAUSTED',
    context: { url: 'http://feed.test/', byteOffset: 7, attempts: 3 },
    cause: failure,
  })
})

test('new bytes reset the count of attempts', async () => {
  const counted = attempts()
  for (let round = 0; round < 10; round++) {
    expect(await waitedMs(counted.failed(failure, round))).toBe(50)
    counted.progressed()
  }
})

test('fault 28: waits as long as the server requests', async () => {
  expect(await waitedMs(attempts().failed(failure, 0, 3000))).toBe(3000)
})
