// The stage that merges bootstrap, daily, snapshot and priority rows into one state, the newest row
// of each item. It owns the stage's options, its output and its counts; what is newer is decided in
// codec/merge, kept by state/. Follows item-feeds.md, sections 2.7 and 2.8, and service-notes.md,
// section 7.

import type { ChangeKind } from '../codec/merge/register'
import type { VersionOf } from '../codec/merge/version-order'
import type { AnyBatch } from '../codec/row-image'
import { FeedError } from '../errors'
import { callback, choice, flag, knownOptions, type OptionNames, optionInvalid } from '../options'
import type { Columns, FeedSchema } from '../schema/feed-schema'
import { type ItemSnapshotColumns, itemSnapshotSchema } from '../schema/feed-schemas'
import { checkedStore, type KeyedStore } from '../state/keyed-store'
import { type MergeChange, type MergedItem, MergeState } from '../state/merge/merge-state'
import { SpillingStore } from '../state/spilling-store'
import { Stage } from './stage'

const EFFECTIVE: ReadonlySet<ChangeKind> = new Set(['inserted', 'updated', 'deleted'])
const OUTPUTS = {
  all: () => true,
  effective: (kind: ChangeKind) => EFFECTIVE.has(kind),
  none: () => false,
}

export type ChangeTally = Record<ChangeKind, number>

export interface SnapshotMergerOptions<C extends Columns = ItemSnapshotColumns> {
  /**
   * Where the state is kept; the caller's to close; mergers may follow each other on it. Without
   * it, a {@link SpillingStore} of the merger's own.
   */
  readonly store?: KeyedStore
  /** Bytes of memory of the merger's own store before it goes to disk; 64 MiB unless set. */
  readonly memoryBytes?: number
  /**
   * What merged rows are read with, whichever feed they came from; the snapshot feed's schema,
   * which has all columns of the item feed.
   */
  readonly schema?: FeedSchema<C>
  /**
   * Another time for rows than that of codec/merge/version-order.ts. It must not depend on anything
   * but the row and its file.
   */
  readonly versionOf?: VersionOf
  /**
   * Which changes come out: all, only `inserted`, `updated` and `deleted`, or none where only the
   * state is wanted.
   */
  readonly changes?: 'all' | 'effective' | 'none'
  /** Changes tell what was kept before, too. */
  readonly before?: boolean
}

const NAMES: OptionNames<SnapshotMergerOptions> = {
  store: true,
  memoryBytes: true,
  schema: true,
  versionOf: true,
  changes: true,
  before: true,
}

/**
 * In: batches of the item, snapshot and priority feeds, in any order. Out: for each batch the
 * changes that it made, one a row.
 *
 * The state does not depend on the order of rows and files nor on repeats; which changes tell of it
 * does. Removals are remembered, so that an older row that comes late cannot bring an item back.
 * Rows are kept as the file's bytes: what a stage before has decoded is decoded again when a kept
 * row is read. An item that is missing from a newer bootstrap stays: only a snapshot row removes
 * it.
 *
 * Memory: the store's (in memory about 170 bytes an item beside the row's own) and one batch. A
 * store of its own, which may have gone to a temporary folder, is freed when {@link blocks} was
 * read or left, by `destroy()`, and by `await using`. Codes: KEY_MISSING, KEY_TOO_LONG (past 4,096
 * bytes), VERSION_MISSING, CELL_INVALID (itemSnapshotDate), STATE_LIMIT, STATE_IO, STATE_CORRUPT.
 */
export class SnapshotMerger<C extends Columns = ItemSnapshotColumns> extends Stage<
  AnyBatch,
  readonly MergeChange<C>[]
> {
  /** Rows so far by what they did, apart for item rows and priority rows. */
  readonly tally = { item: newTally(), priority: newTally() }
  readonly #state: MergeState<C>
  readonly #isWanted: (kind: ChangeKind) => boolean
  readonly #ownStore: SpillingStore | undefined
  /** Listings of the merged items that are being read. */
  #readers = 0
  #isClosed = false

  /** @throws FeedError OPTION_INVALID */
  constructor(options: SnapshotMergerOptions<C> = {}) {
    super('SnapshotMerger')
    const { versionOf, changes = 'all', before = false, memoryBytes } = knownOptions(options, NAMES)
    // C is the snapshot feed's columns unless a schema says otherwise.
    const { schema = itemSnapshotSchema as unknown as FeedSchema<C> } = options
    if (typeof schema?.columns !== 'object')
      throw optionInvalid('schema', 'a schema, as defineSchema makes it', schema)
    this.#isWanted = OUTPUTS[choice('changes', changes, ['all', 'effective', 'none'])]
    flag('before', before)
    if (versionOf !== undefined) callback('versionOf', versionOf)
    const store =
      options.store === undefined
        ? new SpillingStore(memoryBytes === undefined ? {} : { memoryBytes })
        : checkedStore('store', options.store)
    this.#ownStore = options.store === undefined ? (store as SpillingStore) : undefined
    this.#state = new MergeState({
      store,
      schema,
      versionOf,
      changes: { before, effectiveOnly: changes !== 'all' },
    })
  }

  /**
   * The merged items in key order, as {@link blocks}.
   * @throws FeedError STAGE_NOT_ENDED, STAGE_DESTROYED
   */
  async *entries(): AsyncGenerator<MergedItem<C>, void, void> {
    for await (const block of this.blocks()) yield* block
  }

  /**
   * The merged items in key order, once the stage has ended, in blocks of up to a few hundred: the
   * input of a stage or pipeline that goes on with them. A merger with a store of its own frees it
   * when a listing ends or is left, so its items can be listed once; with a store that was given,
   * as often as is wanted.
   * @throws FeedError STAGE_NOT_ENDED, STAGE_DESTROYED where the merger's own store is free
   * already, STATE_IO, STATE_CORRUPT
   */
  blocks(): AsyncGenerator<MergedItem<C>[], void, void> {
    // A pipeline that never gets to read its source destroys it: a generator that was not begun
    // would not know.
    const destroy = () => {
      if (this.#readers === 0) this.#free()
    }
    return Object.assign(this.#blocks(), { destroy })
  }

  async *#blocks(): AsyncGenerator<MergedItem<C>[], void, void> {
    if (!this.emittedEnd) {
      const message = `${this.name} has not ended: read it to its end before its merged items`
      throw new FeedError('STAGE_NOT_ENDED', message, { stage: this.name })
    }
    this.#readers++
    try {
      this.#refuseClosed()
      for await (const block of this.#state.entries()) {
        yield block
        this.#refuseClosed()
      }
      this.#refuseClosed()
    } finally {
      this.#readers--
      if (this.#readers === 0) await this.close()
    }
  }

  /** Frees the merger's own store. A store that was given stays open. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#ownStore?.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.destroy()
    await this.close()
  }

  /**
   * Frees the merger's own store, after the end too: the merged items cannot be listed any more.
   */
  override destroy(error?: unknown): this {
    super.destroy(error)
    this.#free()
    return this
  }

  #free(): void {
    this.close().catch(() => {})
  }

  #refuseClosed(): void {
    if (!this.#isClosed || this.#ownStore === undefined) return
    const message = `the items of ${this.name} were listed or dropped before: to list them again, give it a store that you close yourself`
    throw new FeedError('STAGE_DESTROYED', message, { stage: this.name })
  }

  protected override async *transform(
    batch: AnyBatch,
  ): AsyncGenerator<readonly MergeChange<C>[], void, void> {
    const changes = await this.#state.merge(batch)
    for (const { part, kind } of changes) this.tally[part][kind]++
    const wanted = changes.filter(({ kind }) => this.#isWanted(kind))
    if (wanted.length > 0) yield wanted
  }
}

function newTally(): ChangeTally {
  return { inserted: 0, updated: 0, deleted: 0, unchanged: 0, stale: 0 }
}
