// What a synchronisation tells while it runs, and the queue from which it is read: bounded, whether
// anybody reads or not.

import type { FeedError } from '../../errors'
import type { Retry } from '../../stages/range/retries'
import type { Category, FileId } from '../file-id'
import type { LedgerEntry } from '../folder/ledger'

/** A category at one moment. */
export interface CategoryProgress extends Category {
  /** The state is what was true at this time; undefined before the first bootstrap. */
  readonly watermark: Date | undefined
  /** Files that are in the state. */
  readonly done: number
  /** Files that can be had and are not in the state yet. */
  readonly ready: number
  /** Files that are due and that the service does not have, or could not give. */
  readonly missing: readonly FileId[]
  /** Files that are lost: a newer bootstrap is needed. */
  readonly gone: readonly FileId[]
}

export interface SyncProgress {
  readonly categories: readonly CategoryProgress[]
  /** Files that came into the state in this run. */
  readonly files: number
  /** Rows merged in this run. */
  readonly rows: number
  /** Compressed bytes received in this run. */
  readonly bytes: number
  readonly bytesPerSecond: number
  readonly seconds: number
  /** By the pace so far; undefined before the first file. */
  readonly secondsLeft: number | undefined
}

export type SyncEvent =
  | { readonly type: 'fetching' | 'proven' | 'missing'; readonly file: FileId }
  | { readonly type: 'applying' | 'done'; readonly file: FileId; readonly entry: LedgerEntry }
  | { readonly type: 'failed'; readonly file: FileId; readonly error: FeedError }
  /** A request for the file has failed and will be repeated. */
  | ({ readonly type: 'retry'; readonly file: FileId } & Retry)
  | { readonly type: 'watermark'; readonly category: Category; readonly watermark: Date }
  | ({ readonly type: 'progress' } & SyncProgress)

export interface FailedFile {
  readonly file: FileId
  readonly error: FeedError
}

/** How a run ended. */
export interface SyncSummary extends SyncProgress {
  /** Files that could not be had in this run. */
  readonly failed: readonly FailedFile[]
}

/** Events that wait for a reader at the most; then the oldest are dropped. */
const MOST_EVENTS = 10_000

export class EventQueue {
  readonly #events: SyncEvent[] = []
  #ended: { readonly error?: unknown } | undefined
  #wake = () => {}

  add(event: SyncEvent): void {
    if (this.#ended) return
    // Of two reports that nobody has read the later says it all.
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

  /** The next event; undefined at the end. Fails as the run did. One reader. */
  async next(): Promise<SyncEvent | undefined> {
    for (;;) {
      const event = this.#events.shift()
      if (event !== undefined) return event
      if (this.#ended) {
        if ('error' in this.#ended) throw this.#ended.error
        return undefined
      }
      await new Promise<void>(resolve => {
        this.#wake = resolve
      })
    }
  }
}
