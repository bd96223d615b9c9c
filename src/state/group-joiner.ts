// GroupJoiner: joins items with their item groups. The primaryItemGroupId of an item is the
// itemGroupId of its group. This file owns the order of reading and the counts; join/ has the
// shapes of the output, and keeps the groups and the collected items. Follows item-feeds.md,
// section 3.8.

import type { Columns, ItemColumns, ItemGroupColumns, Row, RowBatch } from '../engine/index'
import {
  is,
  isIterable,
  type OptionTable,
  type Outputs,
  optionInvalid,
  readOptions,
  rowsInput,
  SideInput,
  type SideSource,
  Stage,
} from '../engine/index'
import { Clusters } from './join/clusters'
import { Groups } from './join/groups'
import {
  type JoinedGroup,
  type JoinedItem,
  type JoinMode,
  type JoinOutput,
  joinedGroup,
  joinedItem,
} from './join/joined'
import { keyOfRow, optionalKeyOfRow } from './row-key'
import { ScratchFolder } from './spill/scratch-folder'

export interface GroupJoinerOptions<T, C extends Columns, G extends Columns, M extends JoinMode> {
  /**
   * All batches of the groups, for example the `batches()` of a pipeline. The stage reads them to
   * the end before it takes the first item, and destroys or returns the source when the stage ends.
   */
  readonly groups: SideSource<RowBatch<G>>
  /**
   * `items-with-group` gives each item with its group, in the order of the items, as they come.
   * `group-with-items` gives each group with its items, in the order of group ids, at the end.
   * Default: `items-with-group`.
   */
  readonly mode?: M
  /**
   * Returns the row of an input element, where the element is not the row itself: `entry =>
   * entry.row` for the blocks of the merger. Default: the element is the row.
   */
  readonly row?: (input: T) => Row<C>
  /**
   * Bytes of memory that the joiner takes for groups and, in group-with-items mode, items, about.
   * Beyond them it sorts both by the ids of the groups in a temporary folder on disk. The output and
   * its order are the same. In items-with-group mode it then reads a group from the disk where an
   * item names it, so that items whose groups lie close together are joined faster. Default: 64
   * MiB. Bounds: 0 or more.
   */
  readonly memoryBytes?: number
  /**
   * The most items of one group in group-with-items mode. One more fails with STATE_LIMIT. Default:
   * 100,000.
   */
  readonly maxGroupItems?: number
}

const OPTIONS = {
  groups: iterableOfBatches,
  mode: [is.choice('items-with-group', 'group-with-items'), 'items-with-group'],
  row: [is.callback],
  memoryBytes: [is.wholeNumber(0), 64 * 2 ** 20],
  maxGroupItems: [is.wholeNumber(), 100_000],
} satisfies OptionTable<GroupJoinerOptions<never, Columns, Columns, JoinMode>>

function iterableOfBatches<T>(option: string, batches: T): T {
  if (isIterable(batches)) return batches
  throw optionInvalid(option, 'an iterable of row batches', batches)
}

/** The number of items of each kind, and of groups. */
export interface JoinTally {
  /** The number of items that were joined with their group. */
  joined: number
  /** The number of items that name no group. */
  ungrouped: number
  /** The number of items whose group has no record. */
  itemOrphans: number
  /** The number of groups without items. */
  groupOrphans: number
  /** The number of different groups that were read. */
  groups: number
  /**
   * Records of groups that replaced an earlier record: the last record in the order of the files
   * counts.
   */
  replacedGroups: number
}

/** The number of groups with their items in one output. */
const OUTPUT_GROUPS = 64

/**
 * Joins items with their groups. Input: row batches, or iterables whose elements hold a row each.
 * Output: arrays of {@link JoinedItem} or of {@link JoinedGroup}.
 *
 * The call `pipeline(merger.blocks()).to(joiner)` joins the merged items, each item once, where
 * `joiner` is `new GroupJoiner({ groups, row: (entry: MergedItem) => entry.row })`. Joining before
 * merging works too, but then an item has the group that was known when its row passed.
 *
 * A joined item is the element of the input itself. It, the groups, and the items of
 * group-with-items mode keep the memory of the batch or of the block of up to 256 KiB that they refer
 * to: see {@link Row.detach}. Rows that were kept are read with the schema of the first batch.
 *
 * The stage holds `memoryBytes` of rows, one batch, in group-with-items mode up to 64 groups with
 * their items, and for groups on disk one id for every 32 KiB of them. Input may end after any
 * batch.
 *
 * @throws FeedError KEY_MISSING, KEY_TOO_LONG (more than 4,096 bytes), STATE_LIMIT, STATE_IO,
 * STATE_CORRUPT, COLUMN_UNKNOWN and the failures of the groups' source, while it runs
 * @example
 * ```ts
 * import { GroupJoiner, itemGroupSchema, itemSchema, pipeline, TsvRowParser } from 'feedmill'
 *
 * const groups = pipeline([Buffer.from('itemGroupId\ttitle\ng1\tShirts\n')])
 *   .to(new TsvRowParser({ schema: itemGroupSchema }))
 *   .batches()
 * const joined = pipeline([Buffer.from('itemId\tprimaryItemGroupId\nv1|1|0\tg1\nv1|2|0\t\n')])
 *   .to(new TsvRowParser({ schema: itemSchema }))
 *   .to(new GroupJoiner({ groups }))
 * for await (const { kind, group } of joined) console.log(kind, group?.get('title'))
 * // => joined Shirts
 * // => ungrouped undefined
 * ```
 */
export class GroupJoiner<
  T = Row<ItemColumns>,
  G extends Columns = ItemGroupColumns,
  M extends JoinMode = 'items-with-group',
  C extends Columns = ItemColumns,
> extends Stage<Iterable<T>, readonly JoinOutput<M, T, C, G>[]> {
  readonly tally: JoinTally = {
    joined: 0,
    ungrouped: 0,
    itemOrphans: 0,
    groupOrphans: 0,
    groups: 0,
    replacedGroups: 0,
  }
  readonly #mode: JoinMode
  readonly #source: SideInput<RowBatch<G>>
  readonly #folder = new ScratchFolder()
  readonly #groups: Groups<G>
  readonly #clusters: Clusters<G, C>
  readonly #areRows: boolean
  readonly #rowOf: (input: T) => Row<C>
  readonly #maxGroupItems: number
  #loaded = false

  /** @throws FeedError OPTION_INVALID */
  constructor(options: GroupJoinerOptions<T, C, G, M>) {
    super('GroupJoiner')
    const given = options as GroupJoinerOptions<never, Columns, Columns, JoinMode>
    const { mode, maxGroupItems, memoryBytes } = readOptions(given, OPTIONS)
    this.#mode = mode
    this.#maxGroupItems = maxGroupItems
    this.#source = new SideInput(options.groups)
    this.#groups = new Groups(this.#folder, memoryBytes)
    this.#clusters = new Clusters(this.#folder, memoryBytes)
    // Without `row` the elements are rows, as the default of T says.
    this.#areRows = options.row === undefined
    this.#rowOf = options.row ?? (input => input as unknown as Row<C>)
  }

  protected override transform(items: Iterable<T>): Outputs<readonly JoinOutput<M, T, C, G>[]> {
    rowsInput(this.name, items, this.#areRows)
    return this.#typed(this.#mode === 'items-with-group' ? this.#join(items) : this.#gather(items))
  }

  protected override flush(): Outputs<readonly JoinOutput<M, T, C, G>[]> {
    return this.#typed(this.#mode === 'items-with-group' ? this.#groupOrphans() : this.#gathered())
  }

  /** The run waits until the temporary folder is removed. */
  protected override release(): Promise<void> {
    this.#source.close()
    this.#groups.clear()
    this.#clusters.clear()
    return this.#folder.close().catch(() => {})
  }

  /** Destroys the stage if it has not ended, and waits until its temporary folder is removed. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.destroy()
    await this.#folder.close()
  }

  /** The mode decides the shape of the output at run time, as M does for the compiler. */
  #typed(
    outputs: Outputs<readonly (JoinedItem<T, G> | JoinedGroup<C, G>)[]>,
  ): Outputs<readonly JoinOutput<M, T, C, G>[]> {
    return outputs as Outputs<readonly JoinOutput<M, T, C, G>[]>
  }

  async #load(): Promise<void> {
    if (this.#loaded) return
    this.#loaded = true
    for await (const batch of this.#source.read()) await this.#addGroups(batch)
    if (this.#mode !== 'items-with-group') return
    await this.#groups.end()
    this.#countGroups(this.#groups)
  }

  async #addGroups(batch: RowBatch<G>): Promise<void> {
    if (this.#mode === 'items-with-group') return this.#groups.add(batch)
    for (const row of batch) this.#clusters.addGroup(keyOfRow(row, 'itemGroupId'), row)
    return this.#clusters.spillIfFull()
  }

  #countGroups({ records, groups }: Groups<G> | Clusters<G, C>): void {
    this.tally.groups = groups
    this.tally.replacedGroups = records - groups
  }

  /** Joins at once where the groups are in memory. */
  #join(items: Iterable<T>): Outputs<readonly JoinedItem<T, G>[]> {
    if (!this.#loaded || this.#groups.isOnDisk) return this.#joinLater(items)
    const all = [...items]
    const ids = this.#groupIdsOf(all)
    return this.#joined(all, ids, this.#groups.takeNow(new Set(ids)))
  }

  async *#joinLater(items: Iterable<T>): AsyncGenerator<readonly JoinedItem<T, G>[], void, void> {
    await this.#load()
    const all = [...items]
    const ids = this.#groupIdsOf(all)
    yield* this.#joined(all, ids, await this.#groups.take(new Set(ids)))
  }

  #groupIdsOf(items: readonly T[]): string[] {
    return items.map(item => optionalKeyOfRow(this.#rowOf(item), 'primaryItemGroupId'))
  }

  /** Counts items, and returns them as no more than one output. */
  #joined(
    items: readonly T[],
    groupIds: readonly string[],
    groups: ReadonlyMap<string, Row<G>>,
  ): readonly (readonly JoinedItem<T, G>[])[] {
    const joined = items.map((item, n) => joinedItem(item, groupIds[n]!, groups.get(groupIds[n]!)))
    for (const { kind } of joined) this.#count(kind, 1)
    return joined.length > 0 ? [joined] : []
  }

  async *#groupOrphans(): AsyncGenerator<readonly JoinedItem<T, G>[], void, void> {
    await this.#load()
    for await (const groups of this.#groups.unused()) {
      this.#count('group-orphan', groups.length)
      yield groups.map(group => ({ kind: 'group-orphan', item: null, group }) as const)
    }
  }

  /** Keeps items that name a group until the end, and passes the others on at once. */
  async *#gather(items: Iterable<T>): AsyncGenerator<readonly JoinedGroup<C, G>[], void, void> {
    await this.#load()
    const ungrouped: Row<C>[] = []
    for (const item of items) {
      const row = this.#rowOf(item)
      const groupId = optionalKeyOfRow(row, 'primaryItemGroupId')
      if (groupId === '') ungrouped.push(row)
      else this.#clusters.addItem(groupId, row)
    }
    await this.#clusters.spillIfFull()
    this.#count('ungrouped', ungrouped.length)
    if (ungrouped.length > 0)
      yield [{ kind: 'ungrouped', groupId: null, group: null, items: ungrouped }]
  }

  async *#gathered(): AsyncGenerator<readonly JoinedGroup<C, G>[], void, void> {
    await this.#load()
    let block: JoinedGroup<C, G>[] = []
    for await (const cluster of this.#clusters.clusters(this.#maxGroupItems)) {
      const group = joinedGroup(cluster)
      this.#count(group.kind, Math.max(1, group.items.length))
      block.push(group)
      if (block.length < OUTPUT_GROUPS) continue
      yield block
      block = []
    }
    this.#countGroups(this.#clusters)
    if (block.length > 0) yield block
  }

  #count(kind: JoinedItem<T, G>['kind'], by: number): void {
    this.tally[TALLIES[kind]] += by
  }
}

const TALLIES = {
  joined: 'joined',
  ungrouped: 'ungrouped',
  'item-orphan': 'itemOrphans',
  'group-orphan': 'groupOrphans',
} as const
