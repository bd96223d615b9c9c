// What a run follows: which files are due, how each is fetched, and what its rows are. The run, the
// spool and the state are the same for all sources: the service (service-source.ts), and the files of
// a list (own-source.ts).

import type { ExpectedFile } from '../../engine/index'
import type { RowRules } from '../file/row-rules'
import type { Category, FileDownload, FileId } from '../file-id'
import type { CategoryPlan } from '../plan/calendar'
import type { AppliedFile, StateOrigin } from '../target/target'

export interface SyncSource {
  readonly origin: StateOrigin
  readonly categories: readonly Category[]
  /** What the rows of a feed of one's own are; undefined for the service. */
  readonly own: RowRules | undefined
  /** The time for which removals are kept; undefined where none is forgotten. */
  readonly removalsKeptMs: number | undefined
  /**
   * Looks for new files, where that is a question of its own. The run calls it before its plans.
   * @param applied the ledger
   */
  refresh?(signal: AbortSignal, applied: readonly AppliedFile[]): Promise<void>
  /**
   * Returns the files to fetch and apply, by the ledger of a category.
   * @param missing the files that the source could not give since the last look
   */
  plan(category: Category, done: readonly FileId[], missing: readonly FileId[]): CategoryPlan
  download(id: FileId): FileDownload
  /** Names the file in messages: by the path or the address that the caller has given. */
  nameOf(id: FileId): string
  /** The size and the hash of a file, where its publisher states them. */
  expected?(id: FileId): ExpectedFile | undefined
  /** Tells whether a refused file has another address by now. */
  renewsAddress?(id: FileId): boolean
  /** Frees what the source has opened. */
  close?(): Promise<void>
}
