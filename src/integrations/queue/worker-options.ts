// The options of a worker, checked, and what it reports of its jobs.

import {
  type DiagnosticsMessages,
  FeedError,
  is,
  type OptionTable,
  readOptions,
} from '../../engine/index'
import {
  type Category,
  type CategoryResult,
  type FeedSource,
  type FeedSyncOptions,
  OWN,
  runCategory,
  type SyncOptions,
  type SyncTarget,
  syncSettings,
} from '../../sync/index'
import { feedNames, type QueueOptions, queueSettings } from './redis-connection'

/**
 * The options of a worker. Those of `runCategory` hold for each job, so that `memoryBytes` is for
 * each job that runs at the same time.
 */
export interface WorkerOptions
  extends Pick<
    SyncOptions,
    | 'service'
    | 'spoolFolder'
    | 'until'
    | 'memoryBytes'
    | 'parallelFiles'
    | 'ranges'
    | 'accept'
    | 'maxRemovedShare'
    | 'quarantine'
    | 'pollMs'
    | 'limits'
    | 'now'
    | 'retry'
    | 'shares'
  > {
  /** Where the rows go. */
  readonly target: SyncTarget
  /** Where the queue is. */
  readonly queue: QueueOptions
  /** Number of categories that this worker runs at the same time. Default: 1. */
  readonly concurrency?: number
  /**
   * Milliseconds for which a job belongs to a worker that gives no sign. The worker renews the lock
   * of each job at half of this time; after it the job goes to another worker. Default: 60,000.
   */
  readonly lockMs?: number
  /** Milliseconds that `close` waits for jobs to stop. Default: 30,000. */
  readonly drainMs?: number
  /**
   * Called with each message of the channel `feedmill:job`, and the error or result of the job.
   * Default: none.
   */
  readonly onJob?: (report: JobReport) => void
}

/**
 * The options of a worker that follows feeds of your own in place of the categories of a service.
 * Those of `runCategory` with a `FeedSource` hold for each job.
 */
export interface FeedWorkerOptions
  extends Omit<WorkerOptions, 'service' | 'until' | 'limits' | 'now'>,
    Pick<FeedSyncOptions, 'maxBadShare'> {
  /**
   * The feeds of this worker, each with another name: a job has the name of one. Give all workers of a
   * queue the same ones.
   */
  readonly sources: readonly AnyFeed[]
}

/** A feed of whatever columns: the compiler compares the parts of a mapped type one by one. */
type AnyFeed = Pick<FeedSource, keyof FeedSource>

/** A message of `feedmill:job` with what the job has given. */
export interface JobReport {
  readonly message: DiagnosticsMessages['feedmill:job']
  /** Left out where the job has no error. */
  readonly error?: FeedError
  /** Left out for a run that gave no result. */
  readonly result?: CategoryResult
}

const SHARED = {
  target: is.withMethods<SyncTarget>('open'),
  spoolFolder: is.any,
  memoryBytes: is.any,
  parallelFiles: is.any,
  ranges: is.any,
  accept: is.any,
  maxRemovedShare: is.any,
  quarantine: is.any,
  pollMs: is.any,
  retry: is.any,
  shares: is.any,
  queue: (_option, queue) => queueSettings(queue),
  concurrency: [is.wholeNumber(1, 1_000), 1],
  lockMs: [is.durationMs(100), 60_000],
  drainMs: [is.durationMs(), 30_000],
  onJob: [is.callback],
} satisfies OptionTable<Omit<FeedWorkerOptions, 'sources' | 'maxBadShare'>>
const OF_SERVICE = {
  ...SHARED,
  service: is.withMethods<WorkerOptions['service']>('withClock', 'close'),
  until: is.any,
  limits: is.any,
  now: is.any,
} satisfies OptionTable<WorkerOptions>
const OF_FEEDS = {
  ...SHARED,
  sources: someSources,
  maxBadShare: is.any,
} satisfies OptionTable<FeedWorkerOptions>

/** The options that no run has. */
type OfWorker = 'queue' | 'concurrency' | 'lockMs' | 'drainMs' | 'onJob'
type ServiceJob = Omit<WorkerOptions, OfWorker>
type FeedJob = Omit<FeedWorkerOptions, OfWorker>

/** What a worker does with its jobs. */
interface Work {
  /** The clock of what the jobs follow. */
  readonly now: () => number
  /** Begins the run of a job. Returns undefined where the worker does not have what it names. */
  run(category: Category, signal: AbortSignal): Promise<CategoryResult> | undefined
}

/** @throws FeedError OPTION_INVALID */
export function workerSettings(options: WorkerOptions | FeedWorkerOptions) {
  const { queue, concurrency, lockMs, drainMs, onJob, ...job } =
    'sources' in is.anObject('options', options)
      ? readOptions(options, OF_FEEDS)
      : readOptions(options, OF_SERVICE)
  const work = 'sources' in job ? workOfFeeds(job as FeedJob) : workOfService(job as ServiceJob)
  const limits = { concurrency, lockMs, drainMs }
  return { queue, target: job.target.name, limits, onJob, ...work }
}

function workOfService(job: ServiceJob): Work {
  const { now } = syncSettings({ ...job, marketplace: 'MKT_US', categories: ['1'] })
  return {
    now,
    run: ({ marketplace, categoryId }, signal) =>
      marketplace === OWN ? undefined : runCategory(categoryId, { ...job, marketplace, signal }),
  }
}

function workOfFeeds({ sources, ...job }: FeedJob): Work {
  for (const [n, source] of sources.entries()) {
    try {
      syncSettings({ ...job, source })
    } catch (error) {
      throw placed(error, `sources[${n}]`)
    }
  }
  return {
    now: Date.now,
    run: ({ marketplace, categoryId }, signal) => {
      const source = sources.find(({ name }) => marketplace === OWN && name === categoryId)
      return source && runCategory(source, { ...job, signal })
    },
  }
}

/** Says which of several feeds an error is about. */
function placed(error: unknown, place: string): unknown {
  if (!FeedError.is(error) || error.code !== 'OPTION_INVALID') return error
  const { expected, received, option: inFeed } = error.context
  const option = inFeed.replace(/^source\b/, place)
  const message = error.message.replace(inFeed, () => option)
  return new FeedError('OPTION_INVALID', message, { option, expected, received })
}

function someSources(option: string, sources: readonly AnyFeed[]): readonly AnyFeed[] {
  feedNames(option, sources)
  return sources
}
