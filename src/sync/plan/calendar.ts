// What to do next for one category: from the clock, the limits (item-feeds.md, section 6) and the
// files already done, which files can be had and applied, which are still to come, and which are
// lost. Pure: the same question has the same answer, and nothing is asked or kept here.
//
//   bootstrap   at first; and again where an hour (for groups: a day) is lost
//   snapshots   every hour from that of the bootstrap on, one after the other
//   dailies     every day that ends after the bootstrap, once the hours have come up to its end
//   priority    a day's, once that day's item and group files are done
//
// Nothing is applied past a missing hour: so the state is at any time what it truly was at the
// watermark.

import {
  type BootstrapId,
  type Category,
  type FileId,
  fileIdKey,
  type PriorityId,
} from '../file-id'
import { CategoryFiles, type DatedFile, type Standing } from './calendar-files'
import { type CalendarLimits, calendarLimits } from './calendar-windows'

export interface CalendarQuery extends Category {
  readonly now: Date
  /**
   * The files that the state is made of: bootstraps with their generation, and all others since the
   * newest. Those of other categories do not matter.
   */
  readonly done: Iterable<FileId>
  /**
   * Files that are due but that the service does not have yet, and the bootstrap where the latest
   * is not newer than needed: these are not `ready`.
   */
  readonly missing?: Iterable<FileId>
  /**
   * Files that cover a later time are left out; a bootstrap cannot tell before it is asked for.
   * Default: no end.
   */
  readonly until?: Date
  readonly limits?: Partial<CalendarLimits>
}

export interface WaitingFile {
  readonly id: FileId
  /**
   * When the service will have it; undefined for one that is overdue and can only be asked for
   * again.
   */
  readonly from: Date | undefined
}

export interface BootstrapNeed {
  readonly feed: BootstrapId['feed']
  /** One generated at this time or before would not help; undefined where there is none yet. */
  readonly newerThan: Date | undefined
}

export interface CategoryPlan {
  /**
   * Files to fetch and to apply, in this order. Behind a bootstrap, and behind a file that could
   * not be had, comes what the next plan says: ask again then.
   */
  readonly ready: readonly FileId[]
  /** Files that are there and may be fetched, but not applied before one that is missing. */
  readonly held: readonly FileId[]
  /** Files that are not there, though what they cover has begun. */
  readonly waiting: readonly WaitingFile[]
  /** Files that are needed, are not done, and are no longer kept by the service. */
  readonly gone: readonly FileId[]
  /**
   * The time whose true state the item files done so far make up; undefined before the first
   * bootstrap.
   */
  readonly watermark: Date | undefined
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
  const known = new CategoryFiles({
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
  /** Every file after the bootstraps, in the order of time. */
  readonly needed: readonly DatedFile[]
  /** Those of them that can be applied now, one after the other. */
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
  const needed = [...hours, ...dailies, ...known.daysFrom(itemsMs, 'item_priority')].sort(byTime)
  const reachMs = endOfRun(itemsMs, hours, ['done', 'there'])
  return {
    needed,
    applicable: applicableOf(needed, reachMs, groupsMs),
    watermarkMs: endOfRun(itemsMs, hours, ['done']),
    needsBootstrap: [
      ...lossOf('item', hours, itemsMs),
      ...lossOf('item_group', groups, groupsMs ?? 0),
      ...needsGroups,
    ],
  }
}

/** @param reachMs up to here all hours are done or applicable themselves */
function applicableOf(
  needed: readonly DatedFile[],
  reachMs: number,
  groupsMs = Number.NEGATIVE_INFINITY,
): DatedFile[] {
  const inState = new Set<string>()
  const isPrepared = ({ id, window }: DatedFile) =>
    id.feed !== 'item_priority' ||
    (inState.has(dayKey('item', id)) &&
      (inState.has(dayKey('item_group', id)) || window.coversToMs <= groupsMs))
  return needed.filter(file => {
    const isApplicable =
      file.standing === 'there' && file.window.coversToMs <= reachMs && isPrepared(file)
    if (isApplicable || file.standing === 'done') inState.add(fileIdKey(file.id))
    return isApplicable
  })
}

function dayKey(
  feed: 'item' | 'item_group',
  { marketplace, categoryId, date }: PriorityId,
): string {
  return fileIdKey({ feed, marketplace, categoryId, scope: 'NEWLY_LISTED', date })
}

/**
 * The end of the last hour up to which every hour stands as it should; the bootstrap's own time
 * where the first does not.
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

/** The need of a new bootstrap where one of the files after the old one is lost. */
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
 * By the end of what they cover. Of the files of one day the hours come first and priority last.
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
