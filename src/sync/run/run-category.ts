// The run of one category as a unit of work for an engine that runs jobs: a queue, a cron job, a
// workflow. It is `sync` with one category and mode `once`, and a result that says when to call it
// again. Nothing here knows an engine.

import { knownOptions, type OptionNames, optionInvalid } from '../../engine/index'
import type { FileId } from '../file-id'
import type { SyncOptions } from '../sync-options'
import type { SyncTarget } from '../target/target'
import { sync } from './sync'
import type { FailedFile } from './sync-events'

/** The options of {@link runCategory}: those of `sync` that fit one category and a target. */
export interface CategoryJob
  extends Pick<
    SyncOptions,
    | 'service'
    | 'marketplace'
    | 'spoolFolder'
    | 'until'
    | 'memoryBytes'
    | 'parallelFiles'
    | 'filesAhead'
    | 'ranges'
    | 'maxRemovedShare'
    | 'pollMs'
    | 'limits'
    | 'now'
    | 'signal'
    | 'patienceMs'
    | 'backoffBaseMs'
    | 'backoffCapMs'
    | 'shares'
  > {
  /** The top-level category, by its identifier. */
  readonly categoryId: string
  /** Where the rows go. */
  readonly target: SyncTarget
}

/** The options of a {@link CategoryJob}, by their names. */
export const CATEGORY_JOB_NAMES: OptionNames<CategoryJob> = {
  service: true,
  marketplace: true,
  categoryId: true,
  target: true,
  spoolFolder: true,
  until: true,
  memoryBytes: true,
  parallelFiles: true,
  filesAhead: true,
  ranges: true,
  maxRemovedShare: true,
  pollMs: true,
  limits: true,
  now: true,
  signal: true,
  patienceMs: true,
  backoffBaseMs: true,
  backoffCapMs: true,
  shares: true,
}

export interface CategoryResult {
  readonly marketplace: string
  readonly categoryId: string
  /** The target equals the true state at this time; undefined before the first bootstrap. */
  readonly watermark: Date | undefined
  /** Number of files that this run has applied. */
  readonly files: number
  /** Number of rows that this run has merged. */
  readonly rows: number
  /** Files that this run could not fetch or apply. A later call tries them again. */
  readonly failed: readonly FailedFile[]
  /** Files that are due and that the service did not give. */
  readonly missing: readonly FileId[]
  /** Files that are lost: a newer bootstrap is needed. */
  readonly gone: readonly FileId[]
  /**
   * When to call again, by the clock of the service: the time at which the service publishes the
   * next file, or `pollMs` from now where a file is missing. Undefined where no file is to come,
   * because `until` is reached.
   */
  readonly nextAt: Date | undefined
}

/**
 * Brings one category in a target up to date with the service, once. A call is idempotent: the
 * target's ledger says which files are applied, so a repeated call, a call after a crash and a call
 * on another machine only do what is left.
 *
 * Throws STATE_LOCKED where another run writes the category: an engine calls again later. Other
 * errors are those of `sync`; `retryable` says that the same call may succeed later. A file that
 * the service cannot give does not fail the call: it is in `failed` or `missing`.
 * @throws FeedError OPTION_INVALID, STATE_LOCKED, STATE_FOREIGN, TOKEN_REFUSED, ABORTED, and the
 * errors of the target
 * @example
 * ```ts
 * import { type CategoryJob, runCategory } from 'feedmill/sync'
 *
 * // For an engine that calls a function, and asks when to call it again.
 * const work = async (job: CategoryJob): Promise<Date | undefined> => {
 *   const { nextAt, failed } = await runCategory(job)
 *   if (failed[0] !== undefined) throw failed[0].error
 *   return nextAt
 * }
 * console.log(typeof work)
 * // => function
 * ```
 */
export async function runCategory(job: CategoryJob): Promise<CategoryResult> {
  const { categoryId, ...options } = knownOptions(job, CATEGORY_JOB_NAMES, 'job')
  if (options.target === undefined) throw optionInvalid('target', 'a SyncTarget', options.target)
  const summary = await sync({ ...options, categories: [categoryId], strict: false }).summary
  const { watermark, missing, gone, nextAt } = summary.categories[0]!
  const { marketplace } = options
  const { files, rows, failed } = summary
  return { marketplace, categoryId, watermark, files, rows, failed, missing, gone, nextAt }
}
