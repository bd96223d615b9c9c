// What a synchronisation says of its work: its events with their bounded queue, and the messages of
// applied files on the channel of diagnostics.

import {
  type DiagnosticsMessages,
  type FeedError,
  fileTopic,
  ofRun,
  type Retry,
} from '../../engine/index'
import { type Category, type FileId, fileIdKey, isBootstrap, isOwn } from '../file-id'
import type { AppliedFile } from '../target/target'

/** The progress of a category at one moment. */
export interface CategoryProgress extends Category {
  /** The state equals the true state at this time; undefined before the first bootstrap. */
  readonly watermark: Date | undefined
  /** Number of files in the state. */
  readonly done: number
  /** Number of files that the service has and that are not in the state yet. */
  readonly ready: number
  /** Files that are due and that the service does not have or could not give. */
  readonly missing: readonly FileId[]
  /** Files that are lost: a newer bootstrap is needed. */
  readonly gone: readonly FileId[]
  /**
   * The time at which the service publishes the next file, or the time of the next request for a
   * missing one. Undefined where no file is to come.
   */
  readonly nextAt: Date | undefined
}

export interface SyncProgress {
  /** The progress of each category. */
  readonly categories: readonly CategoryProgress[]
  /** Number of files that this run has applied. */
  readonly files: number
  /** Number of rows that this run has merged. */
  readonly rows: number
  /** Number of rows of these files: `rowsKept + rowsLeftOut`. */
  readonly rowsRead: number
  /** Number of them that were merged. */
  readonly rowsKept: number
  /**
   * Number of them that cannot be read, or have no key or no date. With the option `quarantine`
   * they are all in quarantine.
   */
  readonly rowsLeftOut: number
  /**
   * Number of cells of kept rows that are not of their column's type. The rows are kept with the
   * text of these cells, and with the option `quarantine` they are in quarantine too.
   */
  readonly badCells: number
  /** Number of compressed bytes that this run has received. */
  readonly bytes: number
  /** Compressed bytes in a second, on average over the run. */
  readonly bytesPerSecond: number
  /** The time since the start of the run. */
  readonly seconds: number
  /** Estimate by the pace so far; undefined before the first file. */
  readonly secondsLeft: number | undefined
}

export type SyncEvent =
  /** The run begins to fetch the file. */
  | { readonly type: 'fetching'; readonly file: FileId }
  /** The whole file is fetched, and the run begins to read and merge its rows. */
  | { readonly type: 'applying'; readonly file: FileId }
  /** The file was read to its end: its checksums and its total are right. */
  | { readonly type: 'proven'; readonly file: FileId }
  /** The file is due, and the service does not have it yet. */
  | { readonly type: 'missing'; readonly file: FileId }
  /** All rows of the file are in the state. */
  | { readonly type: 'done'; readonly file: FileId; readonly entry: AppliedFile }
  /**
   * The full file is in the state, and has removed keys that its bad rows may have had: see
   * `removedByBadRows` of its entry.
   */
  | { readonly type: 'removedByBadRows'; readonly file: FileId; readonly entry: AppliedFile }
  /** The run could not fetch or apply the file. */
  | { readonly type: 'failed'; readonly file: FileId; readonly error: FeedError }
  /** A request for the file has failed and will be repeated. */
  | ({ readonly type: 'retry'; readonly file: FileId } & Retry)
  /** The watermark of a category is known for the first time in the run, or has moved. */
  | { readonly type: 'watermark'; readonly category: Category; readonly watermark: Date }
  /** The progress of the run, every `progressMs` and at its end. */
  | ({ readonly type: 'progress' } & SyncProgress)

export interface FailedFile {
  readonly file: FileId
  readonly error: FeedError
}

/** The result of a run. */
export interface SyncSummary extends SyncProgress {
  /** Files that this run could not fetch or apply. */
  readonly failed: readonly FailedFile[]
}

/** Limit of events that wait for a reader. Past it the oldest are dropped. */
const MOST_EVENTS = 10_000

export class EventQueue {
  readonly #events: SyncEvent[] = []
  #ended: { readonly error?: unknown } | undefined
  #wake = () => {}

  add(event: SyncEvent): void {
    if (this.#ended) return
    // A newer progress event replaces one that was not read yet.
    if (event.type === 'progress' && this.#events.at(-1)?.type === 'progress') this.#events.pop()
    this.#events.push(event)
    if (this.#events.length > MOST_EVENTS) this.#events.shift()
    this.#wake()
  }

  end(): void {
    this.#ended ??= {}
    this.#wake()
  }

  fail(error: unknown): void {
    this.#ended ??= { error }
    this.#wake()
  }

  /** Yields the events. Rejects with the error of the run. The queue has one reader. */
  async *events(): AsyncGenerator<SyncEvent, void, void> {
    for (;;) {
      const event = this.#events.shift()
      if (event !== undefined) yield event
      else if (this.#ended === undefined)
        await new Promise<void>(resolve => {
          this.#wake = resolve
        })
      else if ('error' in this.#ended) throw this.#ended.error
      else return
    }
  }
}

// An applied file on the channel feedmill:file.

type FileMessage = DiagnosticsMessages['feedmill:file']

/** @param watermark returns that of the category after the file */
export function publishFile(entry: AppliedFile, watermark: () => Date | undefined): void {
  if (fileTopic.hasSubscribers) fileTopic.publish(fileMessage(entry, watermark()))
}

function fileMessage(entry: AppliedFile, watermark: Date | undefined): FileMessage {
  const { id, rows, badRows, totalBytes } = entry
  return {
    ...ofRun(),
    marketplace: id.marketplace,
    categoryId: id.categoryId,
    feed: id.feed,
    kind: kindOf(id),
    file: fileIdKey(id),
    rows: { ...rows },
    badRows,
    bytes: totalBytes,
    ...(watermark && { watermark }),
  }
}

function kindOf(id: FileId): FileMessage['kind'] {
  if (isOwn(id)) return id.kind
  if (isBootstrap(id)) return 'bootstrap'
  return 'hour' in id ? 'hourly' : 'daily'
}
