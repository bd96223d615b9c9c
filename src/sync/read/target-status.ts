// Reads the ledger of a target and computes the progress of its categories: what `openState` says
// of a state folder.

import { type Clock, is, type OptionTable, optionInvalid, readOptions } from '../../engine/index'
import { type Category, OWN } from '../file-id'
import { type CategoryPlan, planCategory } from '../plan/calendar'
import { calendarLimits } from '../plan/calendar-files'
import { planOwn } from '../source/own-source'
import type { SyncOptions } from '../sync-options'
import type { AppliedFile, SyncTarget } from '../target/target'

export interface TargetStatusOptions extends Pick<SyncOptions, 'limits'> {
  /** The time for which the plans are made. Default: the system's clock. */
  readonly now?: Clock
}

const OPTIONS = {
  now: is.clockMs,
  limits: (_option, limits) => calendarLimits(limits),
} satisfies OptionTable<TargetStatusOptions>

export interface TargetStatus {
  /** Base address of the service that the rows are from. */
  readonly service: string
  readonly categories: readonly {
    readonly category: Category
    readonly files: readonly AppliedFile[]
    readonly plan: CategoryPlan
  }[]
}

/**
 * Reads the ledger of a target and computes each category's watermark, the files that it lacks and
 * the next ones. It changes nothing.
 * @throws FeedError OPTION_INVALID for a target without the method `contents`, and every error of it
 */
export async function targetStatus(
  target: SyncTarget,
  options: TargetStatusOptions = {},
): Promise<TargetStatus> {
  is.withMethods<SyncTarget>('open')('target', target)
  const { now, limits } = readOptions(options, OPTIONS)
  if (typeof target.contents !== 'function')
    throw optionInvalid('target', 'a target with the method contents', target.name)
  const at = { now: new Date(now()), limits }
  const { service, categories } = await target.contents()
  return {
    service,
    categories: categories.map(({ category, files }) => {
      const done = files.map(({ id }) => id)
      const isOfFeed = category.marketplace === OWN
      // Only the list of a feed of one's own says which of its files are due.
      const plan = isOfFeed ? planOwn([], done, []) : planCategory({ ...category, ...at, done })
      return { category, files, plan }
    }),
  }
}
