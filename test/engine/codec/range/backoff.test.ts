import fc from 'fast-check'
import { expect, test } from 'vitest'
import { backoffDelayMs, readRetryAfter } from '../../../../src/engine/codec/range/backoff'

const limits = { baseMs: 100, capMs: 1000 }
const least = () => 0
const most = () => 1 - Number.EPSILON

test('the delay doubles up to the cap, and half of it is jitter', () => {
  expect([1, 2, 3, 4, 5, 500].map(failures => backoffDelayMs(failures, limits, least))).toEqual([
    50, 100, 200, 400, 500, 500,
  ])
  expect([1, 2, 3, 4, 5, 5000].map(failures => backoffDelayMs(failures, limits, most))).toEqual([
    100, 200, 400, 800, 1000, 1000,
  ])
})

test('the delay stays between half of the first one and the cap', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 2000 }),
      fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
      (failures, random) => {
        const delayMs = backoffDelayMs(failures, limits, () => random)
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
