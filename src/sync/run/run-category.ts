// The run of one category, or of a feed of one's own, as a unit of work for an engine that runs jobs:
// a queue, a cron job, a workflow. It is `sync` with mode `once`, and a result that says when to call
// it again. Nothing here knows an engine.

import { type Columns, is } from '../../engine/index'
import type { FeedSource } from '../source/feed-source'
import type { FeedSyncOptions, SyncOptions } from '../sync-options'
import { sync } from './sync'
import type { CategoryProgress, SyncSummary } from './sync-events'

/**
 * What a run of one category did, and how the category then stands. `nextAt`, by the clock of the
 * service, is when to call again; it is undefined where `until` is reached. A feed of your own is a
 * category of the marketplace `own`, and has a `nextAt` where a file of its list could not be had.
 */
export interface CategoryResult
  extends Omit<CategoryProgress, 'done' | 'ready'>,
    Pick<SyncSummary, 'files' | 'rows' | 'failed'> {}

/**
 * Brings one category up to date with the service, or a feed of your own with its list, once. A call
 * is idempotent: the ledger of its
 * place says which files are applied, so a repeated call, a call after a crash and, with a target,
 * a call on another machine only do what is left. `options` are those of `sync`.
 *
 * Throws STATE_LOCKED where another run writes the category: an engine calls again later. Other
 * errors are those of `sync`; `retryable` says that the same call may succeed later. A file that
 * the service cannot give does not fail the call: it is in `failed` or `missing`.
 * @throws FeedError OPTION_INVALID, STATE_LOCKED, STATE_FOREIGN, TOKEN_REFUSED, ABORTED, and the
 * errors of the target
 * @example
 * ```ts
 * import { runCategory, type SyncOptions } from 'feedmill/sync'
 *
 * // For an engine that calls a function, and asks when to call it again.
 * const work = async (categoryId: string, options: SyncOptions): Promise<Date | undefined> => {
 *   const { nextAt, failed } = await runCategory(categoryId, options)
 *   if (failed[0] !== undefined) throw failed[0].error
 *   return nextAt
 * }
 * console.log(typeof work)
 * // => function
 * ```
 */
export async function runCategory(
  categoryId: string,
  options: Omit<SyncOptions, 'categories' | 'mode' | 'strict'>,
): Promise<CategoryResult>
export async function runCategory<C extends Columns = Columns>(
  source: FeedSource<C>,
  options: Omit<FeedSyncOptions, 'source' | 'mode' | 'strict'>,
): Promise<CategoryResult>
export async function runCategory(
  what: string | FeedSource,
  options: object,
): Promise<CategoryResult> {
  const chosen = typeof what === 'object' ? { source: what } : { categories: [what] }
  const once = { ...is.anObject('options', options), ...chosen, mode: 'once', strict: false }
  const { categories, files, rows, failed } = await sync(once as SyncOptions | FeedSyncOptions)
    .summary
  const { marketplace, categoryId, watermark, missing, gone, nextAt } = categories[0]!
  return { marketplace, categoryId, watermark, files, rows, failed, missing, gone, nextAt }
}
