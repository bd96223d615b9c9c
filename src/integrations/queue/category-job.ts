// What becomes of a job after the run of its category. Nothing here knows the packages of the
// queue: worker.ts turns an ending into their calls.

import { asFeedError, FeedError, optionInvalid } from '../../engine/index'
import type { CategoryResult } from '../../sync/index'
import type { JobData } from './redis-connection'

/** How a job ends. Times are by the clock of the system, in milliseconds since 1970. */
export type Ending =
  | { readonly kind: 'completed' }
  | { readonly kind: 'delayed'; readonly untilMs: number; readonly error?: FeedError }
  | { readonly kind: 'failed'; readonly error: FeedError }

export interface EndingTimes {
  readonly nowMs: number
  /** The clock of the service. It differs from the system's where a service has a fixed time. */
  readonly serviceNowMs: number
  /** When the scheduler's next job is due; undefined where the category is not scheduled. */
  readonly nextJobMs: number | undefined
  /** The delay of a job whose category another worker runs. */
  readonly lockedDelayMs: number
}

/**
 * The delay of a job that is for another target. A worker of that target may take the job then, or
 * this one takes it again: a queue gives its jobs to any worker.
 */
const OTHER_TARGET_MS = 1_000

/** No marketplace, category or target has a longer name. */
const MOST_CHARS = 1_000

/** Returns the texts of a job's data, which anybody with access to Redis may have written. */
export function namesOf(data: unknown): Partial<Record<keyof JobData, string>> {
  const { marketplace, categoryId, target } = Object(data) as Readonly<Record<string, unknown>>
  const texts = Object.entries({ marketplace, categoryId, target }).flatMap(([name, value]) =>
    typeof value === 'string' && value.length <= MOST_CHARS ? [[name, value]] : [],
  )
  return Object.fromEntries(texts)
}

/** What is known of a job before its run. */
export interface GivenJob {
  readonly data: unknown
  /** The identifier of the scheduler that made it. */
  readonly repeatJobKey?: string | undefined
}

/** Returns the category of a job: that of its scheduler, and otherwise what its data says. */
export function categoryOf({ data, repeatJobKey }: GivenJob) {
  const given = namesOf(data)
  const [marketplace = given.marketplace ?? '', categoryId = given.categoryId ?? ''] =
    repeatJobKey?.split('/') ?? []
  return { marketplace, categoryId, target: given.target }
}

/** Says whether the data of a job is what a scheduler writes. */
export function isDamaged(data: unknown): boolean {
  const { marketplace, categoryId, target } = namesOf(data)
  return !marketplace || !categoryId || target !== Object(data).target
}

/** Returns the end of a job that is for another target than `own`; otherwise undefined. */
export function endingOfOther(job: GivenJob, own: string, times: EndingTimes): Ending | undefined {
  const { target = own } = namesOf(job.data)
  if (target === own) return undefined
  const error = optionInvalid('target', `${target}, for which the category is scheduled`, own)
  const untilMs = times.nowMs + OTHER_TARGET_MS
  // A job without a scheduler has no next job that would do its work.
  if (job.repeatJobKey === undefined) return { kind: 'delayed', untilMs, error }
  return delayedUntil(untilMs, times, error)
}

/** Returns the end of a job whose run has given a result. */
export function endingOf(
  { failed: [first], nextAt }: Pick<CategoryResult, 'failed' | 'nextAt'>,
  times: EndingTimes,
): Ending {
  if (first !== undefined) return { kind: 'failed', error: first.error }
  if (nextAt === undefined) return { kind: 'completed' }
  const delayMs = Math.max(0, nextAt.getTime() - times.serviceNowMs)
  return delayedUntil(times.nowMs + delayMs, times)
}

/** Returns the end of a job whose run has thrown. */
export function endingOfError(cause: unknown, times: EndingTimes): Ending {
  const error = asFeedError(cause, 'job')
  if (error.code === 'STATE_LOCKED')
    return delayedUntil(times.nowMs + times.lockedDelayMs, times, error)
  if (error.code === 'QUEUE_DAILY_LIMIT')
    return delayedUntil(Date.parse(error.context.until), times, error)
  return { kind: 'failed', error }
}

/**
 * A job is delayed only up to the next job of its scheduler, which does the same work. So a
 * category never has more than these two jobs.
 */
function delayedUntil(untilMs: number, { nextJobMs }: EndingTimes, error?: FeedError): Ending {
  if (nextJobMs === undefined || untilMs >= nextJobMs) return { kind: 'completed' }
  return { kind: 'delayed', untilMs, ...(error && { error }) }
}

/**
 * Returns the error as Redis may keep it. The text of an error of another package is left out,
 * because nobody knows what it has.
 */
export function storableError(error: FeedError): FeedError {
  const text =
    error.code === 'STAGE_FAILED'
      ? 'a failure outside of feedmill: see the output of the worker'
      : error.message
  return new FeedError(error.code, `${error.code}: ${text}`, error.context, {
    cause: error,
    retryable: error.retryable,
  })
}
