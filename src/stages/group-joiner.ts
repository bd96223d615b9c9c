// The stage that brings items and their item groups together: primaryItemGroupId of an item is
// itemGroupId of its group. It owns the order of reading, the forms of the output and the counts;
// groups and gathered items are kept by state/join/group-table.ts. Follows item-feeds.md, section
// 3.8.

import type { Row } from '../codec/row'
import type { RowBatch } from '../codec/row-batch'
import {
  callback,
  choice,
  knownOptions,
  type OptionNames,
  optionInvalid,
  wholeNumber,
} from '../options'
import type { Columns } from '../schema/feed-schema'
import type { ItemColumns, ItemGroupColumns } from '../schema/feed-schemas'
import { type Cluster, type GroupedRow, GroupTable } from '../state/join/group-table'
import { checkedStore, type KeyedStore } from '../state/keyed-store'
import { keyOfRow, optionalKeyOfRow } from '../state/row-key'
import { SpillingStore } from '../state/spilling-store'
import { SideInput, type SideSource } from './side-input'
import { type Outputs, Stage } from './stage'

export type JoinMode = 'items-with-group' | 'group-with-items'

/** One item with its group, or one of the two alone. */
export type JoinedItem<T, G extends Columns> =
  | { readonly kind: 'joined'; readonly item: T; readonly group: Row<G> }
  /** The item names no group. */
  | { readonly kind: 'ungrouped'; readonly item: T; readonly group: null }
  /** The item names a group that is not there. */
  | { readonly kind: 'item-orphan'; readonly item: T; readonly group: null }
  /** No item names the group. */
  | { readonly kind: 'group-orphan'; readonly item: null; readonly group: Row<G> }

/**
 * One group with its items in order of arrival, or one of the two alone; the kinds are those of
 * {@link JoinedItem}.
 */
export type JoinedGroup<C extends Columns, G extends Columns> =
  | {
      readonly kind: 'joined' | 'group-orphan'
      readonly groupId: string
      readonly group: Row<G>
      readonly items: readonly Row<C>[]
    }
  | {
      readonly kind: 'item-orphan'
      readonly groupId: string
      readonly group: null
      readonly items: readonly Row<C>[]
    }
  | {
      readonly kind: 'ungrouped'
      readonly groupId: null
      readonly group: null
      readonly items: readonly Row<C>[]
    }

export type JoinOutput<
  M extends JoinMode,
  T,
  C extends Columns,
  G extends Columns,
> = M extends 'items-with-group' ? JoinedItem<T, G> : JoinedGroup<C, G>

export interface GroupJoinerOptions<T, C extends Columns, G extends Columns, M extends JoinMode> {
  /**
   * All batches of the groups (of a pipeline its `batches()`), read to the end before the first
   * item is taken. Destroyed, or returned, with the stage.
   */
  readonly groups: SideSource<RowBatch<G>>
  /**
   * Every item with its group, in the order of items, as they come; or every group with its items,
   * in the order of group ids, at the end.
   */
  readonly mode?: M
  /**
   * The row of an input's element, where the element is not the row itself: `entry => entry.row`
   * for the merger's blocks.
   */
  readonly row?: (input: T) => Row<C>
  /**
   * Where groups, and in group-with-items mode items, are kept: an empty store, the caller's to
   * close. Unless given, a {@link SpillingStore} of the joiner's own.
   */
  readonly store?: KeyedStore
  /** Bytes of memory of the joiner's own store before it goes to disk; 64 MiB unless set. */
  readonly memoryBytes?: number
  /** Items of one group at the most, in group-with-items mode; 100,000 unless set. */
  readonly maxGroupItems?: number
}

const NAMES: OptionNames<GroupJoinerOptions<unknown, Columns, Columns, JoinMode>> = {
  groups: true,
  mode: true,
  row: true,
  store: true,
  memoryBytes: true,
  maxGroupItems: true,
}

/** Items in each kind, and groups. */
export interface JoinTally {
  joined: number
  ungrouped: number
  itemOrphans: number
  groupOrphans: number
  /** Different groups that were read. */
  groups: number
  /**
   * Records of groups that an earlier record had brought already: the last of the files' order
   * counts.
   */
  replacedGroups: number
}

/** Groups with items in one output. */
const OUTPUT_GROUPS = 64

/**
 * In: row batches, or arrays whose elements hold a row each. Out: arrays of {@link JoinedItem}, or
 * of {@link JoinedGroup}.
 *
 * To join what the merger holds, each item once with its group: `pipeline(merger.blocks()).to(new
 * GroupJoiner({ groups, row: (entry: MergedItem) => entry.row }))`. Joining before merging works
 * too, but then an item's group is the one that was known when the row passed.
 *
 * Joined items are the input's own elements and pin what they pinned: see {@link Row.detach}.
 * Groups, and the items of group-with-items mode, hold their own bytes only; they are read with the
 * schema of the first batch.
 *
 * Memory: the store's; one batch; in group-with-items mode up to 64 groups with their items. Codes:
 * KEY_MISSING, KEY_TOO_LONG (past 4,096 bytes), STATE_LIMIT, STATE_IO, STATE_CORRUPT,
 * COLUMN_UNKNOWN, and whatever the groups' source fails with.
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
  readonly #groups: SideInput<RowBatch<G>>
  readonly #table: GroupTable<G, C>
  readonly #rowOf: (input: T) => Row<C>
  readonly #maxGroupItems: number
  readonly #ownStore: SpillingStore | undefined
  #loaded = false

  /** @throws FeedError OPTION_INVALID */
  constructor(options: GroupJoinerOptions<T, C, G, M>) {
    super('GroupJoiner')
    const {
      mode = 'items-with-group',
      maxGroupItems = 100_000,
      memoryBytes,
    } = knownOptions(options, NAMES)
    this.#mode = choice<JoinMode>('mode', mode, ['items-with-group', 'group-with-items'])
    this.#maxGroupItems = wholeNumber('maxGroupItems', maxGroupItems)
    if (options.row !== undefined) callback('row', options.row)
    this.#groups = new SideInput(checkedSource(options.groups))
    this.#ownStore =
      options.store === undefined
        ? new SpillingStore(memoryBytes === undefined ? {} : { memoryBytes })
        : undefined
    this.#table = new GroupTable(this.#ownStore ?? checkedStore('store', options.store!))
    // Without `row` the elements are rows: T's default says so.
    this.#rowOf = options.row ?? (input => input as unknown as Row<C>)
  }

  protected override transform(items: Iterable<T>): Outputs<readonly JoinOutput<M, T, C, G>[]> {
    return this.#typed(this.#mode === 'items-with-group' ? this.#join(items) : this.#gather(items))
  }

  protected override flush(): Outputs<readonly JoinOutput<M, T, C, G>[]> {
    return this.#typed(this.#mode === 'items-with-group' ? this.#groupOrphans() : this.#gathered())
  }

  protected override release(): void {
    this.#groups.close()
    this.#ownStore?.close().catch(() => {})
  }

  /** Destroys the stage where it has not ended, and waits until its own store is free. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.destroy()
    await this.#ownStore?.close()
  }

  /** The mode decides the form of the output, at run time as in M. */
  #typed(
    outputs: AsyncGenerator<readonly (JoinedItem<T, G> | JoinedGroup<C, G>)[]>,
  ): Outputs<readonly JoinOutput<M, T, C, G>[]> {
    return outputs as AsyncGenerator<readonly JoinOutput<M, T, C, G>[]>
  }

  async #load(): Promise<void> {
    if (this.#loaded) return
    this.#loaded = true
    for await (const batch of this.#groups.read()) {
      await this.#table.addGroups(
        Array.from(batch, row => ({ groupId: keyOfRow(row, 'itemGroupId'), row })),
      )
      this.tally.groups = this.#table.groups
      this.tally.replacedGroups = this.#table.replaced
    }
  }

  async *#join(items: Iterable<T>): AsyncGenerator<readonly JoinedItem<T, G>[], void, void> {
    await this.#load()
    const asked = Array.from(items, item => ({
      item,
      groupId: optionalKeyOfRow(this.#rowOf(item), 'primaryItemGroupId'),
    }))
    const groups = await this.#table.take(
      new Set(asked.map(({ groupId }) => groupId).filter(groupId => groupId !== '')),
    )
    const joined = asked.map(({ item, groupId }) => joinedItem(item, groupId, groups.get(groupId)))
    for (const { kind } of joined) this.#count(kind, 1)
    if (joined.length > 0) yield joined
  }

  async *#groupOrphans(): AsyncGenerator<readonly JoinedItem<T, G>[], void, void> {
    await this.#load()
    for await (const groups of this.#table.unused()) {
      this.#count('group-orphan', groups.length)
      yield groups.map(group => ({ kind: 'group-orphan', item: null, group }) as const)
    }
  }

  /** Items that name a group are kept for the end; the others go on at once. */
  async *#gather(items: Iterable<T>): AsyncGenerator<readonly JoinedGroup<C, G>[], void, void> {
    await this.#load()
    const grouped: GroupedRow<Row<C>>[] = []
    const ungrouped: Row<C>[] = []
    for (const item of items) {
      const row = this.#rowOf(item)
      const groupId = optionalKeyOfRow(row, 'primaryItemGroupId')
      if (groupId === '') ungrouped.push(row)
      else grouped.push({ groupId, row })
    }
    await this.#table.addItems(grouped)
    this.#count('ungrouped', ungrouped.length)
    if (ungrouped.length > 0)
      yield [{ kind: 'ungrouped', groupId: null, group: null, items: ungrouped }]
  }

  async *#gathered(): AsyncGenerator<readonly JoinedGroup<C, G>[], void, void> {
    await this.#load()
    let block: JoinedGroup<C, G>[] = []
    for await (const cluster of this.#table.clusters(this.#maxGroupItems)) {
      const group = joinedGroup(cluster)
      this.#count(group.kind, Math.max(1, group.items.length))
      block.push(group)
      if (block.length < OUTPUT_GROUPS) continue
      yield block
      block = []
    }
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

function joinedItem<T, G extends Columns>(
  item: T,
  groupId: string,
  group: Row<G> | undefined,
): JoinedItem<T, G> {
  if (group !== undefined) return { kind: 'joined', item, group }
  return { kind: groupId === '' ? 'ungrouped' : 'item-orphan', item, group: null }
}

function joinedGroup<C extends Columns, G extends Columns>({
  groupId,
  group,
  items,
}: Cluster<G, C>): JoinedGroup<C, G> {
  if (group === null) return { kind: 'item-orphan', groupId, group, items }
  return { kind: items.length === 0 ? 'group-orphan' : 'joined', groupId, group, items }
}

function checkedSource<S>(source: S): S {
  if (
    typeof source === 'object' &&
    source !== null &&
    (Symbol.asyncIterator in source || Symbol.iterator in source)
  )
    return source
  throw optionInvalid('groups', 'an iterable of row batches', source)
}
