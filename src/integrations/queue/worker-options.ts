// The options of a worker, checked, and what it reports of its jobs.

import {
  type DiagnosticsMessages,
  type FeedError,
  is,
  type OptionTable,
  readOptions,
} from '../../engine/index'
import {
  type CategoryResult,
  type SyncOptions,
  type SyncTarget,
  syncSettings,
} from '../../sync/index'
import { type QueueOptions, queueSettings } from './redis-connection'

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

/** A message of `feedmill:job` with what the job has given. */
export interface JobReport {
  readonly message: DiagnosticsMessages['feedmill:job']
  /** Left out where the job has no error. */
  readonly error?: FeedError
  /** Left out for a run that gave no result. */
  readonly result?: CategoryResult
}

const OPTIONS = {
  service: is.withMethods<WorkerOptions['service']>('withClock', 'close'),
  target: is.withMethods<SyncTarget>('open'),
  spoolFolder: is.any,
  until: is.any,
  memoryBytes: is.any,
  parallelFiles: is.any,
  ranges: is.any,
  maxRemovedShare: is.any,
  quarantine: is.any,
  pollMs: is.any,
  limits: is.any,
  now: is.any,
  retry: is.any,
  shares: is.any,
  queue: (_option, queue) => queueSettings(queue),
  concurrency: [is.wholeNumber(1, 1_000), 1],
  lockMs: [is.durationMs(100), 60_000],
  drainMs: [is.durationMs(), 30_000],
  onJob: [is.callback],
} satisfies OptionTable<WorkerOptions>

/** @throws FeedError OPTION_INVALID */
export function workerSettings(options: WorkerOptions) {
  const { queue, concurrency, lockMs, drainMs, onJob, ...given } = readOptions(options, OPTIONS)
  const job = given as Omit<WorkerOptions, 'queue' | 'concurrency' | 'lockMs' | 'drainMs' | 'onJob'>
  syncSettings({ ...job, marketplace: 'MKT_US', categories: ['1'] })
  return { queue, job, limits: { concurrency, lockMs, drainMs }, onJob }
}
