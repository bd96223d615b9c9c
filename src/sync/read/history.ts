// The kept files that make the state of a category at an earlier time: the newest bootstraps before
// that time, and all later files up to it.

import { type DurableFile, FeedError } from '../../engine/index'
import type { KeptPlaces } from '../file/kept-files'
import {
  type Category,
  type FileId,
  fileIdKey,
  isBootstrap,
  isOwn,
  OWN,
  type OwnId,
  readDate,
} from '../file-id'
import { planCategory } from '../plan/calendar'
import { calendarLimits, HOUR_MS, hourStart, windowOf } from '../plan/calendar-files'
import { compareFiles } from '../source/feed-source'
import type { AppliedFile } from '../target/target'

type HistoryPlaces = Pick<KeptPlaces, 'files' | 'paths'>

/**
 * Returns what {@link filesAsOf} returns of the files that are kept on the disk.
 * @throws FeedError STATE_HISTORY_MISSING, STATE_IO
 */
export async function keptAsOf(
  { files, paths }: HistoryPlaces,
  category: Category,
  entries: readonly AppliedFile[],
  asOf: Date,
) {
  const kept = new Set<AppliedFile>()
  for (const entry of entries) {
    const { id, totalBytes } = entry
    if (totalBytes === 0 || (await files.size(paths.keptFile(id))) === totalBytes) kept.add(entry)
  }
  const query = { category, asOf, entries, isKept: (entry: AppliedFile) => kept.has(entry) }
  return category.marketplace === OWN ? ownFilesAsOf(query) : filesAsOf(query)
}

/**
 * Opens a kept file.
 * @throws FeedError STATE_HISTORY_MISSING, STATE_IO
 */
export async function openKept(
  { files, paths }: HistoryPlaces,
  id: FileId,
  query: Pick<HistoryQuery, 'category' | 'asOf'>,
): Promise<DurableFile> {
  const data = await files.open(paths.keptFile(id))
  // A synchronisation may remove files meanwhile.
  if (data === undefined) throw historyMissing(query, `${fileIdKey(id)} is not kept any more`)
  return data
}

export interface HistoryQuery {
  readonly category: Category
  readonly asOf: Date
  /** The ledger of the state as it is now. */
  readonly entries: readonly AppliedFile[]
  /** Returns true for a file that is kept on the disk. */
  readonly isKept: (entry: AppliedFile) => boolean
}

/**
 * Returns the files in the order in which they were applied, and the time of the state: that of the
 * bootstrap, or the end of the last full hour up to `asOf`.
 * @throws FeedError STATE_HISTORY_MISSING
 */
export function filesAsOf(query: HistoryQuery) {
  const { category, asOf, isKept, entries: done } = query
  const items = newestBootstrap(done.filter(isKept), 'item', asOf)
  const groups = newestBootstrap(done.filter(isKept), 'item_group', asOf)
  if (items === undefined)
    throw historyMissing(query, 'no bootstrap of that time or of before it is kept')
  if (groups === undefined && done.some(({ id }) => isBootstrap(id) && id.feed === 'item_group')) {
    throw historyMissing(query, 'no bootstrap of the groups of that time or of before it is kept')
  }
  const followers = done.filter(({ id }) =>
    follows(id, id.feed === 'item_group' ? groups : items, asOf),
  )
  const dropped = followers.find(entry => !isKept(entry))
  if (dropped !== undefined) throw historyMissing(query, `${fileIdKey(dropped.id)} is not kept`)
  const entries = [items, ...(groups === undefined ? [] : [groups]), ...followers]
  const lastMs = Math.max(...entries.map(({ id }) => endMs(id)))
  // A calendar of the years behind the last file says no more than that of the first days.
  const now = new Date(Math.min(asOf.getTime(), lastMs + DAYS_BEHIND_MS))
  const at =
    planCategory({ ...category, now, until: now, done: entries.map(({ id }) => id) }).watermark ??
    asOf
  if (hourStart(at.getTime()) + HOUR_MS <= asOf.getTime())
    throw historyMissing(query, `without a gap the files lead to ${at.toISOString()}`)
  return { entries, at }
}

/**
 * Returns the files of a feed of one's own in the order of their times: the newest full file that is
 * kept and all later ones up to `asOf`, or all of them where there was none. The time of the state is
 * that of the last one.
 * @throws FeedError STATE_HISTORY_MISSING
 */
export function ownFilesAsOf(query: HistoryQuery) {
  const asOf = query.asOf.toISOString()
  const isBefore = ({ id }: AppliedFile) => isOwn(id) && id.time <= asOf
  const done = query.entries.filter(isBefore) as readonly (AppliedFile & { id: OwnId })[]
  const byTime = done.toSorted((a, b) => compareFiles(a.id, b.id))
  const base = byTime.findLastIndex(entry => entry.id.kind === 'full' && query.isKept(entry))
  const needed = byTime.slice(Math.max(0, base))
  const dropped = needed.find(entry => !query.isKept(entry))
  if (dropped !== undefined) throw historyMissing(query, `${fileIdKey(dropped.id)} is not kept`)
  const last = needed.at(-1)
  if (last === undefined) throw historyMissing(query, 'no file is of that time or of before it')
  return { entries: needed, at: new Date(last.id.time) }
}

const DAYS_BEHIND_MS = 30 * 24 * HOUR_MS

function endMs(id: FileId): number {
  if (isOwn(id)) return 0
  return isBootstrap(id) ? generatedMs(id) : windowOf(id, calendarLimits()).coversToMs
}

function newestBootstrap(
  entries: readonly AppliedFile[],
  feed: FileId['feed'],
  asOf: Date,
): AppliedFile | undefined {
  const isBefore = ({ id }: AppliedFile) =>
    isBootstrap(id) && id.feed === feed && generatedMs(id) <= asOf.getTime()
  return entries.filter(isBefore).reduce<AppliedFile | undefined>((newest, entry) => {
    return newest === undefined || generatedMs(entry.id) > generatedMs(newest.id) ? entry : newest
  }, undefined)
}

/** Returns true for a file that covers time after a bootstrap and none after `asOf`. */
function follows(id: FileId, base: AppliedFile | undefined, asOf: Date): boolean {
  if (isBootstrap(id) || isOwn(id) || base === undefined) return false
  const { coversToMs } = windowOf(id, calendarLimits())
  return coversToMs > generatedMs(base.id) && coversToMs <= asOf.getTime()
}

function generatedMs(id: FileId): number {
  return readDate(isBootstrap(id) ? id.generation : undefined)?.getTime() ?? Number.NaN
}

function historyMissing(
  { category, asOf }: Pick<HistoryQuery, 'category' | 'asOf'>,
  reason: string,
): FeedError<'STATE_HISTORY_MISSING'> {
  const text = asOf.toISOString()
  const context = { category: category.categoryId, asOf: text, reason }
  const message = `category ${category.categoryId} as of ${text}: ${reason}; ask for a later time, and let runs keep more files (keepFileBytes)`
  return new FeedError('STATE_HISTORY_MISSING', message, context)
}
