// Which categories a queue has: one job scheduler for each. A scheduler has one next job at a time,
// so a category has no heap of waiting jobs, however long no worker runs.

import { randomUUID } from 'node:crypto'
import { is, type OptionTable, optionInvalid, pause, readOptions } from '../../engine/index'
import { type FeedSource, OWN } from '../../sync/index'
import { namesOf } from './category-job'
import {
  type CategoryQueue,
  feedNames,
  identifier,
  type JobData,
  jobsIn,
  KEY_PREFIX,
  type QueueOptions,
  type QueueSettings,
  queueSettings,
  type Redis,
  schedulerId,
  someIdentifiers,
  withQueue,
} from './redis-connection'

export interface UnscheduleOptions {
  /** Where the queue is. */
  readonly queue: QueueOptions
  /** The marketplace of the categories. */
  readonly marketplace: string
  /** Top-level categories, by their identifiers. */
  readonly categories: readonly string[]
}

export interface ScheduleOptions extends UnscheduleOptions {
  /**
   * The name of the target that the categories are for (`SyncTarget.name`, which has no password).
   * Workers with another target leave the jobs to those with this one. A category that is scheduled
   * for another target, or for one where none is given here, is refused: unschedule it first.
   * Default: any target.
   */
  readonly target?: string
  /**
   * Milliseconds between two jobs of a category. Between them the job comes again when a file is
   * due, so this is the time after which a job is made anew in any case. Default 3,600,000.
   */
  readonly everyMs?: number
  /** Attempts of one job, before the category waits for the next one. Default 5. */
  readonly attempts?: number
  /**
   * Milliseconds before the second attempt. Each further delay is twice as long, and a random part
   * of up to one half is taken off. Default 30,000.
   */
  readonly backoffMs?: number
}

/** The options that remove feeds of your own from a queue, in place of categories. */
export interface FeedUnscheduleOptions extends Pick<UnscheduleOptions, 'queue'> {
  /** The feeds, of which only the names are used. */
  readonly sources: readonly Pick<FeedSource, 'name'>[]
}

/** The options that schedule feeds of your own, in place of categories. */
export interface FeedScheduleOptions
  extends Omit<ScheduleOptions, 'marketplace' | 'categories'>,
    FeedUnscheduleOptions {}

/** The default of `everyMs`. */
export const EVERY_MS = 3_600_000

const UNSCHEDULE = {
  queue: (_option, queue) => queueSettings(queue),
  marketplace: identifier,
  categories: someIdentifiers,
} satisfies OptionTable<UnscheduleOptions>

const UNSCHEDULE_FEEDS = {
  queue: UNSCHEDULE.queue,
  sources: feedNames,
} satisfies OptionTable<FeedUnscheduleOptions>

const TIMES = {
  target: [targetName],
  everyMs: [is.durationMs(), EVERY_MS],
  attempts: [is.wholeNumber(1, 1_000), 5],
  backoffMs: [is.durationMs(), 30_000],
} satisfies OptionTable<Omit<ScheduleOptions, keyof UnscheduleOptions>>

const SCHEDULE = { ...UNSCHEDULE, ...TIMES } satisfies OptionTable<ScheduleOptions>
const SCHEDULE_FEEDS = { ...UNSCHEDULE_FEEDS, ...TIMES } satisfies OptionTable<FeedScheduleOptions>

function isOfFeeds(options: object): options is FeedUnscheduleOptions {
  return 'sources' in is.anObject('options', options)
}

/** A feed is the category of its name. */
function asCategories<O>({ sources, ...options }: O & { readonly sources: readonly string[] }) {
  return { ...options, marketplace: OWN, categories: sources }
}

/** Number of completed and of failed jobs that the server keeps for a queue. */
const JOBS_KEPT = 1_000

/**
 * Puts a job scheduler for each category, or for each feed of your own, into a queue. A repeated call
 * changes nothing, and a call with other options replaces those of the categories, but not their target. A new category is due
 * at once. Redis gets the marketplace, the category and the name of the target, and no credential.
 * @throws FeedError OPTION_INVALID, QUEUE_FAILED, DEPENDENCY_MISSING
 */
export async function scheduleCategories(options: ScheduleOptions): Promise<void>
export async function scheduleCategories(options: FeedScheduleOptions): Promise<void>
export async function scheduleCategories(
  options: ScheduleOptions | FeedScheduleOptions,
): Promise<void> {
  const read = isOfFeeds(options)
    ? asCategories(readOptions(options, SCHEDULE_FEEDS))
    : readOptions(options, SCHEDULE)
  const { queue: settings, marketplace, categories, target, ...times } = read
  const opts = jobOptions(times.attempts, times.backoffMs)
  await withQueue(settings, 'schedule', (queue, redis) =>
    inTurn(redis, settings, async () => {
      await refuseOtherTargets(queue, marketplace, categories, target)
      for (const categoryId of categories) {
        const data: JobData = { marketplace, categoryId, ...(target !== undefined && { target }) }
        const template = { name: 'category', data, opts }
        const id = schedulerId(marketplace, categoryId)
        await queue.upsertJobScheduler(id, { every: times.everyMs }, template)
      }
    }),
  )
}

/** Removes the lock, unless it has expired and another call has it. */
const END_TURN = `if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end`

/**
 * Does the work of a call while no other call for the queue does its own. Two calls that both compare
 * the targets before either of them replaces schedulers would both believe that they have the
 * category. A lock in Redis gives each call its turn, and expires where a process has died.
 */
async function inTurn(
  redis: Redis,
  { name, timeoutMs }: QueueSettings,
  work: () => Promise<void>,
): Promise<void> {
  const key = `${KEY_PREFIX}:${name}:scheduling`
  const turn = randomUUID()
  const limit = AbortSignal.timeout(timeoutMs)
  const longestMs = Math.ceil(timeoutMs / 2)
  while ((await redis.set(key, turn, 'PX', longestMs, 'NX')) === null) await pause(20, limit)
  try {
    await work()
  } finally {
    await redis.eval(END_TURN, 1, key, turn)
  }
}

function targetName(option: string, name: string): string {
  const isAddress = URL.canParse(is.filledText(option, name))
  if (!isAddress || !/[?]|:[^/]+@/.test(name.replace(/^[^:]+:/, ''))) return name
  const expected = 'a name without a password and parameters, such as SyncTarget.name'
  throw optionInvalid(option, expected, undefined)
}

/** The options of each job. */
export function jobOptions(attempts = 5, delay = 30_000) {
  return {
    attempts,
    backoff: { type: 'exponential', delay, jitter: 0.5 },
    removeOnComplete: { count: JOBS_KEPT },
    removeOnFail: { count: JOBS_KEPT },
    // A stack trace could hold text of any package.
    stackTraceLimit: 0,
  }
}

/** A scheduler that cannot be read holds its category for nobody. */
async function refuseOtherTargets(
  queue: CategoryQueue,
  marketplace: string,
  categories: readonly string[],
  target: string | undefined,
): Promise<void> {
  for (const categoryId of categories) {
    const id = schedulerId(marketplace, categoryId)
    const scheduler = await queue.getJobScheduler(id).catch(() => undefined)
    const { target: held } = namesOf(scheduler?.template?.data)
    if (held === undefined || held === target) continue
    const cure = 'unschedule it first, or use a queue of another name'
    const expected = `${held}, for which ${marketplace} ${categoryId} is scheduled: ${cure}`
    throw optionInvalid('target', expected, target)
  }
}

/**
 * Removes the job schedulers of categories, or of feeds, and their jobs that no worker has taken yet.
 * A job that is under way ends and does not come again.
 * @returns the categories, or the names of the feeds, that were scheduled
 * @throws FeedError OPTION_INVALID, QUEUE_FAILED, DEPENDENCY_MISSING
 */
export async function unscheduleCategories(options: UnscheduleOptions): Promise<string[]>
export async function unscheduleCategories(options: FeedUnscheduleOptions): Promise<string[]>
export async function unscheduleCategories(
  options: UnscheduleOptions | FeedUnscheduleOptions,
): Promise<string[]> {
  const read = isOfFeeds(options)
    ? asCategories(readOptions(options, UNSCHEDULE_FEEDS))
    : readOptions(options, UNSCHEDULE)
  const { queue: settings, marketplace, categories } = read
  return withQueue(settings, 'unschedule', async queue => {
    const removed: string[] = []
    for (const categoryId of categories) {
      const id = schedulerId(marketplace, categoryId)
      if (await queue.removeJobScheduler(id)) removed.push(categoryId)
    }
    const ids = new Set(categories.map(each => schedulerId(marketplace, each)))
    await removeJobs(queue, ids)
    return removed
  })
}

/** Removing a scheduler removes its next job only where that job is delayed. */
async function removeJobs(queue: CategoryQueue, schedulers: ReadonlySet<string>): Promise<void> {
  const jobs = [...(await jobsIn(queue, 'waiting')), ...(await jobsIn(queue, 'delayed'))]
  for (const { job } of jobs) {
    if (job === undefined || !schedulers.has(job.repeatJobKey ?? '')) continue
    // A worker may have taken the job in the meantime. It ends then, and does not come again.
    await job.remove().catch(() => {})
  }
}
