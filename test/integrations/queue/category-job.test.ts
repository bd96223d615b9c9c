import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FeedError } from '../../../src/engine/errors'
import {
  type EndingTimes,
  endingOf,
  endingOfError,
  storableError,
} from '../../../src/integrations/queue/category-job'

const NOW_MS = Date.parse('2026-03-01T12:00:00Z')
const times: EndingTimes = {
  nowMs: NOW_MS,
  // The service has a clock of its own.
  serviceNowMs: 5_000,
  nextJobMs: NOW_MS + 3_600_000,
  lockedDelayMs: 60_000,
}

test('a job comes again at the time of the next file, and never at or after the next job', () => {
  fc.assert(
    fc.property(fc.integer({ min: -10_000, max: 10_000_000 }), inMs => {
      const ending = endingOf({ failed: [], nextAt: new Date(5_000 + inMs) }, times)
      const untilMs = NOW_MS + Math.max(0, inMs)
      expect(ending).toEqual(
        untilMs < NOW_MS + 3_600_000 ? { kind: 'delayed', untilMs } : { kind: 'completed' },
      )
    }),
  )
})

test('a category that is not scheduled, or has no file to come, is completed', () => {
  const soon = { failed: [], nextAt: new Date(6_000) }
  expect(endingOf(soon, { ...times, nextJobMs: undefined })).toEqual({ kind: 'completed' })
  expect(endingOf({ failed: [], nextAt: undefined }, times)).toEqual({ kind: 'completed' })
})

test('a failed file fails the job', () => {
  const error = new FeedError('SYNC_FILE_FAILED', 'it failed', { file: 'x', attempts: 1 })
  const file = {
    feed: 'item',
    marketplace: 'MKT_US',
    categoryId: '220',
    scope: 'ALL_ACTIVE',
  } as const
  expect(endingOf({ failed: [{ file, error }], nextAt: undefined }, times)).toEqual({
    kind: 'failed',
    error,
  })
})

test('a locked category and a used-up day come again, and other errors fail', () => {
  const locked = new FeedError('STATE_LOCKED', 'another writes', { path: 'x' })
  expect(endingOfError(locked, times)).toEqual({
    kind: 'delayed',
    untilMs: NOW_MS + 60_000,
    error: locked,
  })
  const until = new Date(NOW_MS + 1_000).toISOString()
  const daily = new FeedError('QUEUE_DAILY_LIMIT', 'used up', { queue: 'q', perDay: 3, until })
  expect(endingOfError(daily, times)).toMatchObject({ kind: 'delayed', untilMs: NOW_MS + 1_000 })
  expect(endingOfError(daily, { ...times, nextJobMs: NOW_MS + 500 })).toEqual({ kind: 'completed' })
  const foreign = new RangeError('password=hunter2')
  const ending = endingOfError(foreign, times)
  expect(ending).toMatchObject({ kind: 'failed', error: { code: 'STAGE_FAILED' } })
  if (ending.kind !== 'failed') return
  expect(storableError(ending.error).message).not.toContain('hunter2')
  expect(storableError(ending.error).cause).toBe(ending.error)
})
