// Makes the state of a category at an earlier time from the kept files, in a store of its own. The
// current state does not change.

import type { DurableFile } from '../../engine/index'
import { withFile } from '../../engine/index'
import type { KeyedStore } from '../../state/index'
import { applyFile } from '../file/apply-file'
import { fileIdKey } from '../file-id'
import { CategoryState } from '../folder/category-state'
import { type LedgerEntry, NOTHING_APPLIED } from '../folder/ledger'
import { filesAsOf, historyMissing } from './history-files'
import type { StateView } from './state-view'

export interface HistoryOptions {
  readonly asOf: Date
  /** An empty store for the whole state. The caller closes it. */
  readonly store: KeyedStore
  /** Bytes of rows that are gathered before a write to the store. */
  readonly commitBytes: number
  readonly signal: AbortSignal
}

export interface PastState {
  readonly state: CategoryState
  readonly at: Date
}

/** @throws FeedError STATE_HISTORY_MISSING, STATE_IO, GZIP_* where a kept file was changed since */
export async function stateAsOf(
  view: StateView,
  { category, ledger }: CategoryState,
  options: HistoryOptions,
): Promise<PastState> {
  const kept = await keptFiles(view, ledger.entries)
  const isKept = ({ id, totalBytes }: LedgerEntry) =>
    totalBytes === 0 || kept.has(view.paths.keptFile(id))
  const { entries, at } = filesAsOf({
    category,
    asOf: options.asOf,
    entries: ledger.entries,
    isKept,
  })
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
