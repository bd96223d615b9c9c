// Plans the next files of one category from the clock, the limits (item-feeds.md, section 6) and
// the applied files: which files can be applied, which are still to come, and which are lost.
// Planning is a pure function.
//
//   bootstrap   at first; and again where an hour (for groups: a day) is lost
//   snapshots   every hour from that of the bootstrap on, one after the other
//   dailies     every day that ends after the bootstrap, once the hours have come up to its end
//   priority    every day that the service has, those before the bootstrap too, once that day's
//               items and groups are done, by a daily file or by the bootstrap
//
// No file is applied past a missing hour. So the state always equals the true state at the
// watermark.

import {
  type BootstrapId,
  type Category,
  type FileId,
  fileIdKey,
  type PriorityId,
} from '../file-id'
import {
  type CalendarLimits,
  type CategoryFiles,
  calendarLimits,
  categoryFiles,
  type DatedFile,
  type Standing,
} from './calendar-files'

export interface CalendarQuery extends Category {
  readonly now: Date
  /**
   * The applied files: bootstraps with their generation, and all files since the newest one. Files
   * of other categories are ignored.
   */
  readonly done: Iterable<FileId>
  /**
   * Files that are due and that the service does not have, and a bootstrap whose latest generation
   * is not new enough. They are not `ready`.
   */
  readonly missing?: Iterable<FileId>
  /**
   * Files that cover a later time are left out. A bootstrap is listed, because its time is not
   * known before the request. Default: no end.
   */
  readonly until?: Date | undefined
  readonly limits?: Partial<CalendarLimits> | undefined
}

export interface WaitingFile {
  /** The file that the service does not have yet. */
  readonly id: FileId
  /**
   * The time of its publication; undefined for a file that is overdue, which can only be requested
   * again.
   */
  readonly from: Date | undefined
}

export interface BootstrapNeed {
  /** The feed of the bootstrap. */
  readonly feed: BootstrapId['feed']
  /** The bootstrap must be newer than this time; undefined where the state has none yet. */
  readonly newerThan: Date | undefined
}

export interface CategoryPlan {
  /**
   * Files to fetch and apply, in this order. The caller makes a new plan after a bootstrap, and
   * after a file that the service could not give.
   */
  readonly ready: readonly FileId[]
  /** Files that can be fetched, and that can be applied only after a file that is missing. */
  readonly held: readonly FileId[]
  /** Files that the service does not have, although the time that they cover has begun. */
  readonly waiting: readonly WaitingFile[]
  /** Files that were needed and not applied, and that the service no longer keeps. */
  readonly gone: readonly FileId[]
  /** The state equals the true state at this time; undefined before the first bootstrap. */
  readonly watermark: Date | undefined
  /** Bootstraps that the category needs before it can continue. */
  readonly needsBootstrap: readonly BootstrapNeed[]
}

/** @throws FeedError OPTION_INVALID */
export function planCategory({
  marketplace,
  categoryId,
  now,
  done,
  missing = [],
  until,
  limits,
}: CalendarQuery): CategoryPlan {
  const category = { marketplace, categoryId }
  const untilMs = until?.getTime() ?? Number.POSITIVE_INFINITY
  const known = categoryFiles({
    category,
    nowMs: now.getTime(),
    untilMs,
    limits: calendarLimits(limits),
    done,
    missing,
  })
  const { needed, applicable, watermarkMs, needsBootstrap } = progressOf(known)
  const bootstraps = needsBootstrap.map(
    ({ feed }): BootstrapId => ({ feed, ...category, scope: 'ALL_ACTIVE' }),
  )
  const isOverdue = (id: FileId) => known.isMissing(id)
  return {
    ready: [...bootstraps.filter(id => !isOverdue(id)), ...applicable.map(idOf)],
    held: needed.filter(file => file.standing === 'there' && !applicable.includes(file)).map(idOf),
    waiting: [
      ...bootstraps.filter(isOverdue).map(id => ({ id, from: undefined })),
      ...needed.flatMap(waitingFor),
    ],
    gone: needed.filter(isGone).map(idOf),
    watermark: watermarkMs === undefined ? undefined : new Date(watermarkMs),
    needsBootstrap,
  }
}

interface Progress {
  /** All files after the bootstraps, in the order of time. */
  readonly needed: readonly DatedFile[]
  /** The files of `needed` that can be applied now, in sequence. */
  readonly applicable: readonly DatedFile[]
  readonly watermarkMs: number | undefined
  readonly needsBootstrap: readonly BootstrapNeed[]
}

function progressOf(known: CategoryFiles): Progress {
  const itemsMs = known.generationMs('item')
  const groupsMs = known.generationMs('item_group')
  const needsGroups =
    groupsMs === undefined ? [{ feed: 'item_group', newerThan: undefined } as const] : []
  if (itemsMs === undefined) {
    return {
      needed: [],
      applicable: [],
      watermarkMs: undefined,
      needsBootstrap: [{ feed: 'item', newerThan: undefined }, ...needsGroups],
    }
  }
  const hours = known.hoursFrom(itemsMs)
  const groups = groupsMs === undefined ? [] : known.daysFrom(groupsMs, 'item_group')
  const dailies = [...groups, ...known.daysFrom(itemsMs, 'item')]
  const needed = [...hours, ...dailies, ...known.prioritiesFrom(itemsMs)].sort(byTime)
  const reachMs = endOfRun(itemsMs, hours, ['done', 'there'])
  return {
    needed,
    applicable: applicableOf(needed, reachMs, { item: itemsMs, item_group: groupsMs }),
    watermarkMs: endOfRun(itemsMs, hours, ['done']),
    needsBootstrap: [
      ...lossOf('item', hours, itemsMs),
      ...lossOf('item_group', groups, groupsMs ?? 0),
      ...needsGroups,
    ],
  }
}

/**
 * @param reachMs all hours up to this time are applied or can be applied
 * @param generationsMs the times of the applied bootstraps
 */
function applicableOf(
  needed: readonly DatedFile[],
  reachMs: number,
  generationsMs: Readonly<Record<BootstrapId['feed'], number | undefined>>,
): DatedFile[] {
  const inState = new Set<string>()
  const hasDay = (feed: BootstrapId['feed'], id: PriorityId, endMs: number) =>
    inState.has(fileIdKey({ ...id, feed, scope: 'NEWLY_LISTED' })) ||
    endMs <= (generationsMs[feed] ?? Number.NEGATIVE_INFINITY)
  const isPrepared = ({ id, window: { coversToMs } }: DatedFile) =>
    id.feed !== 'item_priority' ||
    (hasDay('item', id, coversToMs) && hasDay('item_group', id, coversToMs))
  return needed.filter(file => {
    const isApplicable =
      file.standing === 'there' && file.window.coversToMs <= reachMs && isPrepared(file)
    if (isApplicable || file.standing === 'done') inState.add(fileIdKey(file.id))
    return isApplicable
  })
}

/**
 * Returns the end of the last hour before the first one with another standing; the bootstrap's time
 * where the first hour has another standing.
 */
function endOfRun(
  bootstrapMs: number,
  hours: readonly DatedFile[],
  standings: readonly Standing[],
): number {
  const broken = hours.findIndex(({ standing }) => !standings.includes(standing))
  const last = hours.at(broken === -1 ? -1 : broken - 1)
  return broken === 0 || last === undefined ? bootstrapMs : last.window.coversToMs
}

/** Returns the need of a new bootstrap where a file after the old one is lost. */
function lossOf(
  feed: BootstrapId['feed'],
  files: readonly DatedFile[],
  generationMs: number,
): BootstrapNeed[] {
  const lost = files.find(isGone)
  return lost === undefined
    ? []
    : [{ feed, newerThan: new Date(Math.max(generationMs, lost.window.coversFromMs)) }]
}

/**
 * Sorts by the end of the covered time. Within one day snapshots come first and priority files
 * last.
 */
function byTime(a: DatedFile, b: DatedFile): number {
  return (
    a.window.coversToMs - b.window.coversToMs || ORDER.indexOf(a.id.feed) - ORDER.indexOf(b.id.feed)
  )
}

const ORDER: readonly FileId['feed'][] = ['item_snapshot', 'item_group', 'item', 'item_priority']

function waitingFor({ id, standing, window }: DatedFile): WaitingFile[] {
  if (standing === 'early') return [{ id, from: new Date(window.fromMs) }]
  return standing === 'missing' ? [{ id, from: undefined }] : []
}

function isGone({ standing }: DatedFile): boolean {
  return standing === 'gone'
}

function idOf({ id }: DatedFile): FileId {
  return id
}
