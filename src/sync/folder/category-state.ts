// One category of a state folder: its merged items and priorities, its groups and its ledger. All
// of them are under one prefix of the folder's store. This class owns their keys, and decides what
// is written together. Rows are read and written with whole keys: a view of the store would make
// another text of each key.
//
//   i… p… o…   merged rows and their origins (state/)
//   g… og…     groups and their origins
//   f/…        ledger
//   t          time up to which removals were forgotten
//   r          length of the log of the changes of replays

import type { AnyBatch } from '../../engine/index'
import {
  type ItemGroupColumns,
  type ItemSnapshotColumns,
  itemGroupSchema,
  itemSnapshotSchema,
} from '../../engine/index'
import type { Change, KeyedStore, StoreOp, WriteOptions } from '../../state/index'
import {
  type KeptHead,
  type MergeChange,
  type MergeOptions,
  MergeState,
  prefixedStore,
  RegisterSet,
  type RegisterSetOptions,
} from '../../state/index'
import type { Category } from '../file-id'
import { Ledger, type LedgerEntry } from './ledger'
import { WriteGroup } from './write-group'

const COMPACTED_KEY = 't'
const REPLAYED_KEY = 'r'

export type CategoryChange = MergeChange<ItemSnapshotColumns> | Change<'group', ItemGroupColumns>

/** The newest log of the changes that replays made. */
export interface ReplayedChanges {
  /** The number of the last file that was applied before the replay. */
  readonly after: number
  /** Bytes of the log that belong to the merged rows. */
  readonly bytes: number
}

export interface CategoryOptions {
  /** Text before all keys of the category in the store. Default: none. */
  readonly prefix?: string
  /**
   * True where changes have the row that was kept before. They have it too while a file is half
   * applied whose entry says so. Default: false.
   */
  readonly before?: boolean
}

interface CommitOptions extends WriteOptions {
  /** The log of a replay that has the changes of the rows. */
  readonly replayed?: ReplayedChanges | undefined
}

export class CategoryState {
  readonly category: Category
  readonly ledger: Ledger
  readonly items: MergeState<ItemSnapshotColumns>
  readonly groups: RegisterSet<'group', ItemGroupColumns>
  /** The category's view of the folder's store. */
  readonly #store: KeyedStore
  readonly #prefix: string
  readonly #group: WriteGroup

  private constructor({ category, store, view, ledger, prefix, before }: CategoryParts) {
    this.category = category
    this.ledger = ledger
    this.#store = view
    this.#prefix = prefix
    this.#group = new WriteGroup(store)
    // A synchronisation does not read rows without effect.
    const changes = { effectiveOnly: true, before }
    const options = { store: this.#group, within: prefix, changes }
    this.items = new MergeState({ ...options, schema: itemSnapshotSchema })
    this.groups = newGroups(options)
  }

  /** @param store the folder's store */
  static async open(
    category: Category,
    store: KeyedStore,
    { prefix = '', before = false }: CategoryOptions = {},
  ): Promise<CategoryState> {
    const view = prefix === '' ? store : prefixedStore(store, prefix)
    const ledger = await Ledger.read(view)
    const isWanted = before || ledger.applying?.changeRows === 'both'
    return new CategoryState({ category, store, view, ledger, prefix, before: isWanted })
  }

  /** Bytes of rows that wait for {@link commit}, about. */
  get gatheredBytes(): number {
    return this.#group.byteLength
  }

  /** Reads what {@link merge} needs, so that it then reads its batch before it returns. */
  async ready(): Promise<void> {
    await this.items.open()
    await this.groups.open()
  }

  /**
   * Merges rows, as {@link RegisterSet.merge}. The next {@link commit} writes them to the store.
   * @throws FeedError KEY_MISSING, KEY_TOO_LONG, VERSION_MISSING, CELL_INVALID
   */
  merge(
    batch: AnyBatch,
    options?: Pick<MergeOptions, 'leaveOut' | 'after' | 'memory' | 'winsTies'>,
  ): Promise<readonly CategoryChange[]> {
    const { feed } = batch.file
    return feed === 'item_group'
      ? this.groups.merge(batch, options)
      : this.items.merge(batch, options)
  }

  /**
   * Removes the rows that are older than a bootstrap, in blocks. The caller has merged and
   * committed the bootstrap's rows before. The next {@link commit} writes the removals to the
   * store.
   */
  sweep(feed: 'item' | 'item_group', generated: Date): AsyncIterable<readonly CategoryChange[]> {
    return feed === 'item' ? this.items.sweep(generated) : this.groups.sweep(generated)
  }

  /**
   * Forgets that a bootstrap has removed rows with these keys, because it has them after all. The
   * next {@link commit} writes that to the store, together with the rows.
   */
  unsweep(feed: 'item' | 'item_group', keys: readonly string[], generated: Date): Promise<void> {
    return feed === 'item'
      ? this.items.unsweep(keys, generated)
      : this.groups.unsweep(keys, generated)
  }

  /** Yields the keys and versions of the rows of a feed, removed rows included, in blocks. */
  heads(feed: 'item' | 'item_group'): AsyncIterable<readonly KeptHead[]> {
    return feed === 'item' ? this.items.heads() : this.groups.heads()
  }

  /**
   * Forgets removals from before a time, when no older row can arrive any more. The caller calls it
   * between two files.
   */
  async compact(before: Date): Promise<void> {
    // This writes to the store itself, so that the removals are not gathered in memory.
    await new MergeState({ store: this.#store, schema: itemSnapshotSchema }).compact(
      before.getTime(),
    )
    await newGroups({ store: this.#store }).compact(before.getTime())
    await this.#store.write([{ key: COMPACTED_KEY, value: Buffer.from(before.toISOString()) }])
  }

  /** Returns the time up to which removals have been forgotten. */
  async compacted(): Promise<Date | undefined> {
    const [bytes] = await this.#store.getMany([COMPACTED_KEY])
    return bytes && new Date(Buffer.from(bytes).toString())
  }

  /**
   * Writes the merged rows and the entry, which says how many rows of the file they are, in one
   * step.
   */
  async commit(entry: LedgerEntry, { replayed, ...options }: CommitOptions = {}): Promise<void> {
    const ops = [this.ledger.op(entry), ...(replayed === undefined ? [] : [replayedOp(replayed)])]
    await this.#group.commit(
      ops.map(({ key, value }) => ({ key: this.#prefix + key, value })),
      options,
    )
    this.ledger.took(entry)
  }

  /** Returns the log of the changes of the newest replay that made changes. */
  async replayed(): Promise<ReplayedChanges | undefined> {
    const [bytes] = await this.#store.getMany([REPLAYED_KEY])
    return bytes && JSON.parse(Buffer.from(bytes).toString())
  }

  /** Writes at once which log the replay uses, and none of the rows that wait for a commit. */
  async writeReplayed(replayed: ReplayedChanges): Promise<void> {
    await this.#store.write([replayedOp(replayed)], { sync: true })
  }
}

interface CategoryParts extends Required<CategoryOptions> {
  readonly category: Category
  readonly store: KeyedStore
  readonly view: KeyedStore
  readonly ledger: Ledger
}

function replayedOp(replayed: ReplayedChanges): StoreOp {
  return { key: REPLAYED_KEY, value: Buffer.from(JSON.stringify(replayed)) }
}

function newGroups(
  options: Pick<RegisterSetOptions<'group', ItemGroupColumns>, 'store' | 'within' | 'changes'>,
): RegisterSet<'group', ItemGroupColumns> {
  return new RegisterSet({
    part: 'group',
    prefix: 'g',
    schema: itemGroupSchema,
    keyColumn: 'itemGroupId',
    ...options,
  })
}
