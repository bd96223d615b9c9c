// Makes the state of a category at an earlier time from the kept files, in a store of its own: the
// newest bootstraps before that time, and all later files up to it. The current state does not
// change.

import { type DurableFile, FeedError, withFile } from '../../engine/index'
import type { KeyedStore } from '../../state/index'
import { applyFile } from '../file/apply-file'
import { type Category, type FileId, fileIdKey, isBootstrap } from '../file-id'
import { CategoryState } from '../folder/category-state'
import { type LedgerEntry, NOTHING_APPLIED } from '../folder/ledger'
import { planCategory } from '../plan/calendar'
import { calendarLimits, HOUR_MS, hourStart, windowOf } from '../plan/calendar-files'
import type { StateView } from './state-view'

export interface HistoryOptions {
  readonly asOf: Date
  /** An empty store for the whole state. The caller closes it. */
  readonly store: KeyedStore
  /** Bytes of rows that are gathered before a write to the store. */
  readonly commitBytes: number
  readonly signal: AbortSignal
}

/** @throws FeedError STATE_HISTORY_MISSING, STATE_IO, GZIP_* where a kept file was changed since */
export async function stateAsOf(
  view: StateView,
  { category, ledger }: CategoryState,
  options: HistoryOptions,
) {
  const kept = await keptFiles(view, ledger.entries)
  const isKept = ({ id, totalBytes }: LedgerEntry) =>
    totalBytes === 0 || kept.has(view.paths.keptFile(id))
  const query = { category, asOf: options.asOf, entries: ledger.entries, isKept }
  const { entries, at } = filesAsOf(query)
  const state = await CategoryState.open(category, options.store)
  for (const entry of entries) await applyKept(view, state, entry, options)
  return { state, at }
}

/** Returns the paths of the kept files that have their full size. */
async function keptFiles(
  { files, paths }: StateView,
  entries: readonly LedgerEntry[],
): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  for (const { id, totalBytes } of entries) {
    const path = paths.keptFile(id)
    if ((await files.size(path)) === totalBytes) found.add(path)
  }
  return found
}

async function applyKept(
  { files, paths }: StateView,
  state: CategoryState,
  entry: LedgerEntry,
  { asOf, commitBytes, signal }: HistoryOptions,
): Promise<void> {
  const again: LedgerEntry = { ...entry, ...NOTHING_APPLIED }
  const apply = (data?: DurableFile) =>
    applyFile({ state, entry: again, data, commitBytes, signal })
  await state.commit(again)
  if (entry.totalBytes === 0) return void (await apply())
  const data = await files.open(paths.keptFile(entry.id))
  // A run may remove files meanwhile.
  if (data === undefined)
    throw historyMissing(
      { category: state.category, asOf },
      `${fileIdKey(entry.id)} is not kept any more`,
    )
  await withFile(data, () => apply(data))
}

export interface HistoryQuery {
  readonly category: Category
  readonly asOf: Date
  /** The ledger of the state as it is now. */
  readonly entries: readonly LedgerEntry[]
  /** Returns true for a file that is kept on the disk. */
  readonly isKept: (entry: LedgerEntry) => boolean
}

/**
 * Returns the files in the order in which they were applied, and the time of the state: that of the
 * bootstrap, or the end of the last full hour up to `asOf`.
 * @throws FeedError STATE_HISTORY_MISSING
 */
export function filesAsOf(query: HistoryQuery) {
  const { category, asOf, isKept } = query
  const done = query.entries.filter(({ state }) => state === 'done')
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
  const at =
    planCategory({ ...category, now: asOf, until: asOf, done: entries.map(({ id }) => id) })
      .watermark ?? asOf
  if (hourStart(at.getTime()) + HOUR_MS <= asOf.getTime())
    throw historyMissing(query, `without a gap the files lead to ${at.toISOString()}`)
  return { entries, at }
}

function newestBootstrap(
  entries: readonly LedgerEntry[],
  feed: FileId['feed'],
  asOf: Date,
): LedgerEntry | undefined {
  const isBefore = ({ id }: LedgerEntry) =>
    isBootstrap(id) && id.feed === feed && generatedMs(id) <= asOf.getTime()
  return entries.filter(isBefore).reduce<LedgerEntry | undefined>((newest, entry) => {
    return newest === undefined || generatedMs(entry.id) > generatedMs(newest.id) ? entry : newest
  }, undefined)
}

/** Returns true for a file that covers time after a bootstrap and none after `asOf`. */
function follows(id: FileId, base: LedgerEntry | undefined, asOf: Date): boolean {
  if (isBootstrap(id) || base === undefined) return false
  const { coversToMs } = windowOf(id, calendarLimits())
  return coversToMs > generatedMs(base.id) && coversToMs <= asOf.getTime()
}

function generatedMs(id: FileId): number {
  return isBootstrap(id) ? Date.parse(id.generation ?? '') : Number.NaN
}

export function historyMissing(
  { category, asOf }: Pick<HistoryQuery, 'category' | 'asOf'>,
  reason: string,
): FeedError<'STATE_HISTORY_MISSING'> {
  const text = asOf.toISOString()
  const context = { category: category.categoryId, asOf: text, reason }
  return new FeedError(
    'STATE_HISTORY_MISSING',
    `category ${category.categoryId} as of ${text}: ${reason}; ask for a later time, and let runs keep more files (keepFileBytes)`,
    context,
  )
}
