// The options of a worker, checked, and what it reports of its jobs.

import {
  callback,
  type DiagnosticsMessages,
  durationMs,
  type FeedError,
  knownOptions,
  type OptionNames,
  wholeNumber,
  withMethods,
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

const NAMES: OptionNames<WorkerOptions> = {
  service: true,
  target: true,
  spoolFolder: true,
  until: true,
  memoryBytes: true,
  parallelFiles: true,
  ranges: true,
  maxRemovedShare: true,
  quarantine: true,
  pollMs: true,
  limits: true,
  now: true,
  retry: true,
  shares: true,
  queue: true,
  concurrency: true,
  lockMs: true,
  drainMs: true,
  onJob: true,
}

/** @throws FeedError OPTION_INVALID */
export function workerSettings(options: WorkerOptions) {
  const given = knownOptions(options, NAMES)
  const { queue, concurrency = 1, lockMs = 60_000, drainMs = 30_000, onJob, ...job } = given
  withMethods('service', job.service, ['withClock', 'close'])
  withMethods('target', job.target, ['open'])
  if (onJob !== undefined) callback('onJob', onJob)
  // Each job names its category; a wrong option of all jobs is refused here already.
  syncSettings({ ...job, marketplace: 'MKT_US', categories: ['1'] })
  const limits = {
    concurrency: wholeNumber('concurrency', concurrency, 1, 1_000),
    lockMs: durationMs('lockMs', lockMs, 100),
    drainMs: durationMs('drainMs', drainMs),
  }
  return { queue: queueSettings(queue), job, limits, onJob }
}
