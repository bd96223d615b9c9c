import fc from 'fast-check'
import { expect, test } from 'vitest'
import { backoffDelayMs, readRetryAfter } from '../../../src/codec/range/backoff'

const limits = { baseMs: 100, capMs: 1000, retryAfterCapMs: 5000 }
const least = () => 0
const most = () => 1 - Number.EPSILON

test('doubles up to the cap, half of it jitter', () => {
  expect(
    [1, 2, 3, 4, 5, 500].map(failures => backoffDelayMs(failures, undefined, limits, least)),
  ).toEqual([50, 100, 200, 400, 500, 500])
  expect(
    [1, 2, 3, 4, 5, 5000].map(failures => backoffDelayMs(failures, undefined, limits, most)),
  ).toEqual([100, 200, 400, 800, 1000, 1000])
})

test('fault 28: Retry-After lengthens the delay up to its cap and never shortens it', () => {
  expect(backoffDelayMs(1, 3000, limits, most)).toBe(3000)
  expect(backoffDelayMs(1, 9e15, limits, most)).toBe(5000)
  expect(backoffDelayMs(4, 0, limits, most)).toBe(800)
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 2000 }),
      fc.option(fc.nat(), { nil: undefined }),
      fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
      (failures, after, random) => {
        const delayMs = backoffDelayMs(failures, after, limits, () => random)
        expect(delayMs).toBeGreaterThanOrEqual(50)
        expect(delayMs).toBeLessThanOrEqual(5000)
      },
    ),
  )
})

test('fault 28: Retry-After as seconds, a date, 0, garbage', () => {
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
