// What a queue has at one moment: its categories, its jobs by their states, and its workers.

import { excerpt } from '../../engine/index'
import { categoryOf } from './category-job'
import {
  type CategoryQueue,
  type FoundJob,
  jobsIn,
  KEY_PREFIX,
  type QueueOptions,
  queueSettings,
  type Redis,
  withQueue,
} from './redis-connection'

export interface QueueStatus {
  /** The address without credentials, and the name of the queue. */
  readonly queue: string
  /** Number of jobs by their state. Completed and failed ones are kept up to 1,000 each. */
  readonly jobs: Readonly<Record<'waiting' | 'active' | 'delayed' | 'completed' | 'failed', number>>
  /** The scheduled categories in the order of their next jobs, at most 10,000. */
  readonly categories: readonly ScheduledCategory[]
  /** The newest failed jobs, at most 10. */
  readonly failures: readonly JobFailure[]
  /** The names of the workers that are connected, with host and process. */
  readonly workers: readonly string[]
}

export interface ScheduledCategory {
  readonly marketplace: string
  readonly categoryId: string
  /** The name of the target, where the category is scheduled for one. */
  readonly target: string | undefined
  /** When the category is due next: its delayed job, or the scheduler's next job. */
  readonly nextAt: Date | undefined
  /** The worker that runs the category now; undefined where none does. */
  readonly worker: string | undefined
}

export interface JobFailure {
  /** Empty for a damaged job. */
  readonly marketplace: string
  readonly categoryId: string
  readonly at: Date | undefined
  /** The code and the message of the error, or that the job is damaged. */
  readonly reason: string
}

const MOST_CATEGORIES = 10_000
const FAILURES_SHOWN = 10
const STATES = ['waiting', 'active', 'delayed', 'completed', 'failed'] as const

/** @throws FeedError OPTION_INVALID, QUEUE_FAILED, DEPENDENCY_MISSING */
export async function queueStatus(queue: QueueOptions): Promise<QueueStatus> {
  const settings = queueSettings(queue)
  return withQueue(settings, 'status', async (open, redis) => {
    const counts = await open.getJobCounts(...STATES)
    const jobs = STATES.map(state => [state, counts[state] ?? 0])
    const failed = await jobsIn(open, 'failed', FAILURES_SHOWN)
    const workers = await open.getWorkers()
    return {
      queue: settings.shown,
      jobs: Object.fromEntries(jobs) as QueueStatus['jobs'],
      categories: await categoriesOf(open, redis, settings.name),
      failures: failed.map(failureOf),
      workers: workers.map(({ rawname }) => workerName(rawname)).sort(),
    }
  })
}

async function categoriesOf(
  queue: CategoryQueue,
  redis: Redis,
  name: string,
): Promise<ScheduledCategory[]> {
  const last = String(MOST_CATEGORIES - 1)
  const keys = await redis.zrange(`${KEY_PREFIX}:${name}:repeat`, '0', last)
  const active = await jobsIn(queue, 'active', MOST_CATEGORIES)
  const due = dueTimes(await scoresOf(redis, name))
  const runners = new Map(active.map(({ job }) => [job?.repeatJobKey, job?.processedBy]))
  const schedulers = keys.map(async key => {
    // One that cannot be read has its category in its key.
    const scheduler = await queue.getJobScheduler(key).catch(() => undefined)
    const times = [due.get(key), scheduler?.next].filter(time => time !== undefined)
    return {
      ...categoryOf({ data: scheduler?.template?.data, repeatJobKey: key }),
      nextAt: times.length === 0 ? undefined : new Date(Math.min(...times)),
      worker: runners.get(key),
    }
  })
  return Promise.all(schedulers)
}

/** The delayed jobs with their scores. BullMQ tells the jobs only, and a job not when it is due. */
function scoresOf(redis: Redis, name: string): Promise<string[]> {
  const last = String(2 * MOST_CATEGORIES - 1)
  return redis.zrange(`${KEY_PREFIX}:${name}:delayed`, '0', last, 'WITHSCORES')
}

/** Returns when the earliest delayed job of each scheduler is due: a score is that time × 4,096. */
function dueTimes(scores: readonly string[]): Map<string, number> {
  const due = new Map<string, number>()
  for (let at = 0; at + 1 < scores.length; at += 2) {
    const scheduler = scores[at]!.replace(/^repeat:(.*):\d+$/, '$1')
    const dueMs = Math.floor(Number(scores[at + 1]) / 4096)
    due.set(scheduler, Math.min(dueMs, due.get(scheduler) ?? dueMs))
  }
  return due
}

function failureOf({ id, job }: FoundJob): JobFailure {
  const { marketplace, categoryId } = categoryOf(job ?? { data: undefined })
  const at = job?.finishedOn === undefined ? undefined : new Date(job.finishedOn)
  const isWhole = job !== undefined && marketplace !== '' && categoryId !== ''
  const reason = isWhole ? job.failedReason : `the job ${excerpt(id)} is damaged: remove it`
  return { marketplace, categoryId, at, reason }
}

/** The name of a connection ends with that of its worker. */
function workerName(connection = ''): string {
  return connection.split(':w:').at(-1) ?? connection
}
