import { expect, test } from 'vitest'
import { TIMER_MAX_MS } from '../../../src/engine/options'
import { requestSettingsOf } from './request-settings-of'

const DAY_MS = 86_400_000

test('the limit of a response is the sum of its waits, for both times that it is sent', () => {
  const settings = requestSettingsOf({ queueTimeoutMs: 100, headersTimeoutMs: 10 })
  expect(settings).toMatchObject({
    tokenTimeoutMs: 10,
    queueTimeoutMs: 100,
    headersTimeoutMs: 10,
    responseTimeoutMs: 240,
  })
})

test('the sum of the longest limits is one that a timer can wait for', () => {
  const most = requestSettingsOf({ queueTimeoutMs: DAY_MS, headersTimeoutMs: DAY_MS })
  expect(most.responseTimeoutMs).toBeLessThanOrEqual(TIMER_MAX_MS)
  for (const option of ['queueTimeoutMs', 'headersTimeoutMs', 'bodyTimeoutMs'])
    expect(() => requestSettingsOf({ [option]: DAY_MS + 1 })).toThrow(
      expect.objectContaining({
        code: 'OPTION_INVALID',
        context: expect.objectContaining({ option }),
      }),
    )
})

test('requests per second are a distance between starts', () => {
  expect(requestSettingsOf({}).intervalMs).toBe(0)
  expect(requestSettingsOf({ requestsPerSecond: 4 }).intervalMs).toBe(250)
  for (const requestsPerSecond of [0, -1, Number.NaN, 1 / 86_401])
    expect(() => requestSettingsOf({ requestsPerSecond })).toThrow(
      expect.objectContaining({
        code: 'OPTION_INVALID',
        context: {
          option: 'requestsPerSecond',
          expected: 'a number above 0, at least one request a day',
          received: String(requestsPerSecond),
        },
      }),
    )
})
