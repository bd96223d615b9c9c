// Where a synchronisation puts rows: the interface between a fetched file, and its rows that are
// visible together with the entry of the ledger that says so. A state folder is a target
// (runs/state-folder.ts), and so is a database. A target owns its ledger, so that rows and entry
// are written in one transaction. It knows neither the service nor the calendar.
//
// If you change a promise of a target, also change test/sync/target/target-laws.ts, which every
// target is tested with.

import type { ChangeKind, FileIdentity } from '../../engine/index'
import type { KeyedRows as TargetRows } from '../../state/index'
import type { RowRules } from '../file/row-rules'
import type { Category, FileId } from '../file-id'

export type { TargetRows }

/** The service and the marketplace of the rows in a target. */
export interface StateOrigin {
  /** The marketplace of the run. */
  readonly marketplace: string
  /** Base address of the service; `own` for a feed of one's own. */
  readonly service: string
  /** @internal What the rows of a feed of one's own are: their schema, the key and the version. */
  readonly own?: RowRules | undefined
}

/** The number of rows of a file by their effect. */
export type RowTally = Readonly<Record<ChangeKind, number>>

export const NO_ROWS: RowTally = { inserted: 0, updated: 0, deleted: 0, unchanged: 0, stale: 0 }

/** The cells of merged rows that are not of their column's type. Their rows are kept with the text. */
export interface BadCellCount {
  /** Their number. */
  readonly badCells?: number
  /** The first of them: its item or group, its row in the file, its column, and its text, cut. */
  readonly firstBadCell?:
    | {
        readonly key: string
        readonly row: number
        readonly column: string
        readonly excerpt: string
      }
    | undefined
}

/** A file whose rows are in a target, as the ledger of the target has it. */
export interface AppliedFile extends FileIdentity, BadCellCount {
  /** The file that the entry is about. */
  readonly id: FileId
  /** Number of the file in the order in which the category's files were applied, from 1. */
  readonly sequence: number
  /** Size of the compressed file in bytes. */
  readonly totalBytes: number
  /** Size of the inflated content in bytes. */
  readonly rawBytes: number
  /**
   * Number of merged rows by their effect. A bootstrap also counts the rows that it removed because
   * it lacks them.
   */
  readonly rows: RowTally
  /**
   * Number of rows that were left out because they could not be read, or had no key or no date. In a
   * full file of a feed of your own, those with a key stand for it all the same.
   */
  readonly badRows: number
  /**
   * Number of keys that a full file of a feed of your own has removed and that its bad rows may have
   * had: at most as many as bad rows have no key that can be read. Absent where it is 0.
   */
  readonly removedByBadRows?: number
  /** Number of rows that were read, `badRows` included. A ledger may leave it out. */
  readonly rowsRead?: number
}

/**
 * A file that was fetched as a whole, and whose rows a target takes. It is verified while its rows
 * are read.
 */
export interface TargetFile {
  readonly id: FileId
  readonly identity: FileIdentity & { readonly totalBytes: number }
  /** Size of the inflated content in bytes. It is complete when {@link rows} has ended. */
  readonly rawBytes: number
  /**
   * The time of a bootstrap: every older row that the file lacks is removed with this time as its
   * version. Undefined for other files.
   */
  readonly generated: Date | undefined
  /** Aborted where the run is stopped. */
  readonly signal: AbortSignal
  /** Number of rows that {@link rows} has left out. It is complete when `rows` has ended. */
  readonly badRows: number
  /** Number of them whose keys cannot be read. Default: all of them. */
  readonly keylessRows?: number
  /** What else {@link rows} has counted, for a ledger that has it. */
  readonly counts: Pick<AppliedFile, 'rowsRead' | keyof BadCellCount>
  /**
   * Reads the rows from the first one on. A second call reads them again. Where the file proves
   * damaged the rows end with an error, and the target keeps none of them: the run fetches the file
   * again.
   * @throws FeedError GZIP_*, TSV_*, STATE_CORRUPT, STATE_IO; the reason of `signal`
   */
  rows(): AsyncGenerator<TargetRows, void, void>
  /**
   * Refuses a file that removes too many rows (the option `maxRemovedShare` of the run): a bootstrap,
   * or any file of a feed of one's own. The target calls it before it commits, and rolls back where it
   * throws.
   * @param rowsBefore number of rows of the feed before the file
   * @param rowsRemoved number of them that the file lacks, or that it marks as removed
   * @throws FeedError SYNC_REMOVAL_REFUSED
   */
  checkRemoval(rowsBefore: number, rowsRemoved: number): void
  /**
   * Asks the caller of the run about the file (the option `accept`). The target calls it as
   * {@link checkRemoval}, with the entry that its ledger is to have and the entries before it.
   * @throws FeedError SYNC_FILE_REFUSED
   */
  accept(entry: AppliedFile, applied: readonly AppliedFile[]): Promise<void>
}

/** One category in an open target, which this process alone writes. */
export interface TargetCategory {
  readonly category: Category
  /** The ledger, in the order in which the files were applied. */
  readonly files: readonly AppliedFile[]
  /**
   * Makes the rows of a file visible together with its entry of the ledger, or changes nothing. Of
   * two rows of one key the newer version stays, in whatever order files arrive; of equal versions
   * any total order of the checksums decides. A row that removes an item keeps its version, so that
   * an older row cannot bring the item back.
   * @throws FeedError SYNC_REMOVAL_REFUSED, SYNC_BAD_ROWS_REFUSED and SYNC_FILE_REFUSED, which fail the
   * file and not the run; any other error ends the run
   */
  apply(file: TargetFile): Promise<AppliedFile>
  /**
   * Does the same with several files at once, in their order. A target without this method takes one
   * file after the other.
   */
  applyAll?(files: readonly TargetFile[]): Promise<readonly AppliedFile[]>
  /** True where these may be of several feeds and full ones. Default: they are of one, and not full. */
  readonly takesAllFeeds?: boolean
  /** Returns the time up to which {@link forgetRemovals} has forgotten. */
  removalsForgotten(): Promise<Date | undefined>
  /** Forgets the versions of rows that were removed before a time: no older row can arrive. */
  forgetRemovals(before: Date): Promise<void>
  /**
   * Saves space and makes reading faster. A run that follows calls it before it waits for new files.
   * What is visible stays as it is.
   * @param signal ends the work with its reason, and leaves the rows as they are
   */
  compact?(signal: AbortSignal): Promise<void>
  /**
   * Begins a replay of rows that were mended. A target without this method takes no such rows.
   */
  replay?(): Promise<CategoryReplay>
}

/** Mended rows of applied files on their way into a category. */
export interface CategoryReplay {
  /**
   * Merges rows of a file by the versions that they had in it, so that a late row replaces no newer
   * one and a repeated row changes nothing.
   */
  merge(file: AppliedFile, rows: TargetRows): Promise<ReplayedRows>
  /** Makes durable what was merged. */
  commit(): Promise<void>
  /** Ends the replay, also after a failure. */
  close(): Promise<void>
}

/** What became of replayed rows. */
export interface ReplayedRows {
  /** Number of rows that changed the target. */
  readonly merged: number
  /** Number of rows that changed nothing: the target has them, or something newer. */
  readonly stale: number
  /** The numbers of the rows from before the time up to which removals are forgotten. */
  readonly tooOld: readonly number[]
}

/** A target that a run has opened. */
export interface OpenTarget {
  /**
   * Opens a category, and makes a missing one. It takes the lock of the category.
   * @throws FeedError STATE_LOCKED where another process writes the category
   */
  category(category: Category): Promise<TargetCategory>
  /** Frees locks and connections. The run calls it once, also after a failure. */
  close(): Promise<void>
}

export interface TargetOptions {
  readonly origin: StateOrigin
  /** The memory that the target may use in this process, in bytes. */
  readonly memoryBytes: number
  readonly signal: AbortSignal
}

/** What a target holds, as its ledger says. */
export interface TargetContents {
  /** Base address of the service that the rows are from. */
  readonly service: string
  /** The files of each category, in the order in which they were applied. */
  readonly categories: readonly {
    readonly category: Category
    readonly files: readonly AppliedFile[]
  }[]
}

/**
 * A place for the rows of `sync`, as its option `target`.
 */
export interface SyncTarget {
  /** The name in messages. It has no password. */
  readonly name: string
  /**
   * @throws FeedError STATE_FOREIGN where the target has rows of another service, DEPENDENCY_MISSING
   */
  open(options: TargetOptions): Promise<OpenTarget>
  /** Reads the ledger, and changes nothing. `targetStatus` needs this method, and `sync` does not. */
  contents?(): Promise<TargetContents>
}
