// SnapshotMerger: merges the rows of bootstrap, daily, snapshot and priority files into one state
// with the newest row of each item. An item has two registers, because a priority row does not
// replace the item's row. This file owns the options, the output and the counts. codec/merge decides
// which row is newer, and merge/ keeps the rows. Follows item-feeds.md, sections 2.7 and 2.8, and
// service-notes.md, section 7.

import type { ChangeKind, Columns, FeedSchema, Outputs, RowBatch, VersionOf } from '../engine/index'
import {
  FeedError,
  type ItemPriorityColumns,
  type ItemSnapshotColumns,
  is,
  itemPrioritySchema,
  itemSnapshotSchema,
  type OptionTable,
  optionInvalid,
  readOptions,
  rowBatch,
  Stage,
} from '../engine/index'
import { inStep } from './in-step'
import type { MergeChange, MergedItem } from './merge/merged-item'
import { PartRows } from './merge/part-rows'
import { isEffective } from './runs/changed-rows'
import { versionAt } from './runs/merge-runs'
import { keyOf } from './runs/row-heads'
import { comparePlaces } from './runs/run-table'
import { ScratchFolder } from './spill/scratch-folder'

const DEFAULT_MEMORY_BYTES = 64 * 2 ** 20
const OUTPUTS = {
  all: () => true,
  effective: isEffective,
  none: () => false,
}

export type ChangeTally = Record<ChangeKind, number>

export interface SnapshotMergerOptions<C extends Columns = ItemSnapshotColumns> {
  /**
   * Bytes of memory that the merger takes for rows, about. The batch that exceeds them moves all
   * kept rows to a temporary folder on disk. Rows that arrive after it are sorted there, within the
   * same memory, and their changes come when the input has ended: in the order of the items' keys,
   * those of item rows before those of priority rows. Default: 64 MiB. Bounds: 0 or more.
   */
  readonly memoryBytes?: number
  /**
   * The schema that merged rows are read with, whichever feed they came from. Default: the schema
   * of the snapshot feed, which has all columns of the item feed.
   */
  readonly schema?: FeedSchema<C>
  /**
   * Returns the version time of a row. The result must depend only on the row and its file.
   * Default: its `itemSnapshotDate`; without one, the hour, the day or the `Last-Modified` of the file.
   */
  readonly versionOf?: VersionOf
  /**
   * Which changes the stage gives: `all`; `effective`, which means only `inserted`, `updated` and
   * `deleted`; or `none` where only the state is wanted. Default: `all`.
   */
  readonly changes?: 'all' | 'effective' | 'none'
  /** True where changes also hold the row that was kept before. Default: false. */
  readonly before?: boolean
}

const OPTIONS = {
  memoryBytes: [is.wholeNumber(0), DEFAULT_MEMORY_BYTES],
  schema: [definedSchema],
  versionOf: [is.callback],
  changes: [is.choice('all', 'effective', 'none'), 'all'],
  before: [is.flag, false],
} satisfies OptionTable<SnapshotMergerOptions>

function definedSchema(option: string, schema: FeedSchema): FeedSchema {
  if (typeof schema?.columns === 'object') return schema
  throw optionInvalid(option, 'a schema, as defineSchema makes it', schema)
}

/**
 * Merges feeds. Input: batches of the item, snapshot and priority feeds, in any order. Output: for
 * each batch an array of the changes of its rows, at most one a row, as the option `changes`
 * selects them.
 *
 * The state does not depend on the order of rows and files, nor on repeats; the changes that are
 * given do. The state remembers removals, so that an older row that comes late cannot bring an item
 * back. Rows are kept as the bytes of the file: a value that a stage before has decoded is decoded
 * again when a kept row is read. An item that is missing from a newer bootstrap stays: only a
 * snapshot row removes an item.
 *
 * The stage holds its rows up to `memoryBytes` (about 170 bytes for each item beside the bytes of
 * its row), and one batch; beyond that it reads and writes a temporary folder, from the start of its
 * files to their end only. Memory and folder are freed when {@link blocks} was read or left, by
 * `destroy()`, and by `await using`. Input may end after any batch.
 *
 * @throws FeedError KEY_MISSING, KEY_TOO_LONG (more than 4,096 bytes), VERSION_MISSING,
 * CELL_INVALID (itemSnapshotDate), STATE_IO, STATE_CORRUPT while it runs
 * @example
 * ```ts
 * import { SnapshotMerger } from 'feedmill'
 * // given: bootstrap
 *
 * const merger = new SnapshotMerger()
 * const changes = await bootstrap.to(merger).toArray()
 * let items = 0
 * for await (const block of merger.blocks()) items += block.length
 * console.log(changes[0]?.kind, items === changes.length)
 * // => inserted true
 * ```
 */
export class SnapshotMerger<C extends Columns = ItemSnapshotColumns> extends Stage<
  RowBatch<Columns>,
  readonly MergeChange<C>[]
> {
  /**
   * The number of rows by the change that they made, separately for item rows and priority rows.
   */
  readonly tally: {
    /** The counts of item rows. */
    readonly item: ChangeTally
    /** The counts of priority rows. */
    readonly priority: ChangeTally
  }
  readonly #items: PartRows<'item', C>
  readonly #priorities: PartRows<'priority', ItemPriorityColumns>
  /** Both parts share the memory, and move to the disk together. */
  readonly #memoryBytes: number
  readonly #folder = new ScratchFolder()
  /** The number of listings of the merged items that are being read. */
  #readers = 0
  #isClosed = false

  /** @throws FeedError OPTION_INVALID */
  constructor(options: SnapshotMergerOptions<C> = {}) {
    super('SnapshotMerger')
    const { changes, before, memoryBytes } = readOptions(options, OPTIONS)
    // C is the columns of the snapshot feed unless a schema is given.
    const { schema = itemSnapshotSchema as unknown as FeedSchema<C>, versionOf } = options
    this.#memoryBytes = memoryBytes
    const shared = { versionOf, before, isWanted: OUTPUTS[changes], folder: this.#folder }
    this.#items = new PartRows('item', schema, shared)
    this.#priorities = new PartRows('priority', itemPrioritySchema, shared)
    this.tally = { item: this.#items.tally, priority: this.#priorities.tally }
  }

  /**
   * Lists the merged items one by one in key order, as {@link blocks} does.
   * @throws FeedError STAGE_NOT_ENDED, STAGE_DESTROYED, STATE_IO, STATE_CORRUPT
   */
  async *entries(): AsyncGenerator<MergedItem<C>, void, void> {
    for await (const block of this.blocks()) yield* block
  }

  /**
   * Lists the merged items in key order after the stage has ended, in blocks of up to a few
   * thousand: the input of a stage or pipeline that reads them. The merger frees them when a listing
   * ends or is left, so they can be listed once.
   * @throws FeedError STAGE_NOT_ENDED, STAGE_DESTROYED where the items were freed before, STATE_IO,
   * STATE_CORRUPT
   */
  blocks(): AsyncGenerator<MergedItem<C>[], void, void> {
    // A pipeline that fails before it reads its source destroys the source. A generator that was
    // not begun would not run its `finally`, so the listing has a `destroy` of its own.
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
    const [items, second] = [this.#items.table, this.#priorities.table]
    const priorities = inStep(second.places(), comparePlaces)
    try {
      this.#refuseClosed()
      for await (const places of items.places()) {
        const priorityOf = await priorities.of(places)
        yield places.map((place, n) => {
          const { block, n: at } = place
          const priority = priorityOf[n] ? second.rowAt(priorityOf[n]) : null
          const [itemId, version] = [keyOf(block.heads, at), versionAt(block, at)]
          return { itemId, row: items.rowAt(place), priority, version }
        })
        this.#refuseClosed()
      }
      this.#refuseClosed()
    } finally {
      await priorities.close()
      this.#readers--
      if (this.#readers === 0) await this.close()
    }
  }

  /** Frees the merged items. */
  close(): Promise<void> {
    this.#isClosed = true
    this.#items.clear()
    this.#priorities.clear()
    return this.#folder.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.destroy()
    await this.close()
  }

  /**
   * Frees the merged items, also after the end: they cannot be listed any more.
   */
  override destroy(error?: unknown): this {
    super.destroy(error)
    this.#free()
    return this
  }

  /** A stage that ends early has no items to list, and its run waits until they are freed. */
  protected override release(): Promise<void> | undefined {
    return this.signal.aborted ? this.close().catch(() => {}) : undefined
  }

  #free(): void {
    this.close().catch(() => {})
  }

  #refuseClosed(): void {
    if (!this.#isClosed) return
    const message = `the items of ${this.name} were listed or dropped before: a merger gives its items once`
    throw new FeedError('STAGE_DESTROYED', message, { stage: this.name })
  }

  protected override transform(batch: RowBatch<Columns>): Outputs<readonly MergeChange<C>[]> {
    const rows = rowBatch(this.name, batch)
    const part = rows.file.feed === 'item_priority' ? this.#priorities : this.#items
    const changes = part.add(rows)
    const outputs = changes.length > 0 ? [changes] : []
    const isFull = this.#items.byteLength + this.#priorities.byteLength > this.#memoryBytes
    return isFull ? this.#spilled(outputs) : outputs
  }

  protected override async *flush(): AsyncGenerator<readonly MergeChange<C>[], void, void> {
    for (const part of [this.#items, this.#priorities])
      for await (const changes of part.changes()) if (changes.length > 0) yield changes
  }

  async *#spilled(
    outputs: readonly (readonly MergeChange<C>[])[],
  ): AsyncGenerator<readonly MergeChange<C>[], void, void> {
    yield* outputs
    await this.#items.spill()
    await this.#priorities.spill()
  }
}
