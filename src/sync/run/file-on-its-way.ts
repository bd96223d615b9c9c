// One file on its way to the state: it is fetched, and fetched again where its rows prove that it is
// damaged. Its retries count for both.

import {
  closing,
  type FeedError,
  familyOf,
  Retries,
  type Retry,
  type Semaphore,
} from '../../engine/index'
import { type Fetched, type FetchOptions, fetchFile } from '../file/fetch-file'
import { FileRows } from '../file/file-rows'
import type { FileId } from '../file-id'
import { rangesOf, type SyncSettings } from '../sync-options'
import type { SpoolFolder } from '../target/spool-folder'
import type { SyncEvent } from './sync-events'

/** What all categories of a run share. */
export interface SharedRun {
  readonly settings: SyncSettings
  readonly spools: SpoolFolder
  readonly downloads: Semaphore
  readonly applying: Semaphore
  readonly signal: AbortSignal
  /** What the run has received and merged. A file that is read again takes its rows back. */
  readonly counts: { bytes: number; rows: number }
  report(event: SyncEvent): void
  /** Ends the whole run. */
  fail(error: unknown): void
}

export class FileOnItsWay {
  /** The file, once it is fetched as a whole. */
  whole: FileRows | undefined
  isSettled = false
  /** Settles with the download, and never rejects. */
  settled: Promise<void> = Promise.resolve()
  readonly #id: FileId
  readonly #shared: SharedRun
  readonly #options: FetchOptions
  readonly #onFetched: (fetched: Fetched) => void
  #damage: FeedError | undefined

  /**
   * @param newerThan a bootstrap from this time or before counts as missing
   * @param onFetched called with what a download gave
   */
  constructor(
    id: FileId,
    shared: SharedRun,
    newerThan: Date | undefined,
    onFetched: (fetched: Fetched) => void,
  ) {
    const { settings, signal, counts, report } = shared
    const { source, now, until } = settings
    const retry = {
      ...settings.retry,
      onRetry: (failure: Retry) => {
        report({ type: 'retry', file: id, ...failure })
        settings.retry.onRetry?.(failure)
      },
    }
    this.#id = id
    this.#shared = shared
    this.#onFetched = onFetched
    this.#options = {
      source,
      ranges: rangesOf(settings, retry),
      now,
      signal,
      retry,
      spoilt: new Retries(retry, signal),
      newerThan,
      until,
      onBytes: bytes => {
        counts.bytes += bytes
      },
    }
  }

  /** @param damage why the file is fetched again */
  fetch(damage?: FeedError): void {
    const { downloads, signal, fail } = this.#shared
    this.whole = undefined
    this.isSettled = false
    this.settled = downloads
      .run(signal, () => this.#fetch(damage))
      .then(fetched => {
        this.isSettled = true
        if (fetched.kind === 'whole') this.whole = this.#rowsOf(fetched)
        this.#onFetched(fetched)
      }, fail)
  }

  async #fetch(damage: FeedError | undefined): Promise<Fetched> {
    const { spools, settings, report } = this.#shared
    if (damage === undefined) report({ type: 'fetching', file: this.#id })
    // A file that has the same fault in the same place when it comes again lies so on its server.
    const isSame =
      damage !== undefined &&
      familyOf(damage.code) !== 'gzip' &&
      !damage.retryable &&
      damage.message === this.#damage?.message
    this.#damage = damage
    return closing(await spools.open(this.#id, settings.shares.pieceBytes), spool =>
      fetchFile(this.#id, spool, this.#options, damage, isSame),
    )
  }

  #rowsOf({ file }: Extract<Fetched, { kind: 'whole' }>): FileRows {
    const { settings, spools, signal, counts, report } = this.#shared
    return new FileRows(file, {
      ...settings,
      own: settings.source.own,
      name: settings.source.nameOf(this.#id),
      open: id => spools.data(id),
      signal,
      onRows: rows => {
        counts.rows += rows
      },
      onProven: id => report({ type: 'proven', file: id }),
    })
  }
}
