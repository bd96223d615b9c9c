// The groups of a join in a keyed store, with their items where the join gathers them. The caller
// says which item belongs to which group.
//
// The items of a group follow its record in key order, so that one pass over the store reads each
// group with its items:
//   g │ group id, escaped │ NUL                    ─▶ number of the group, row image
//   g │ group id, escaped │ NUL │ arrival number   ─▶ row image of an item

import type { Columns, FileProgress, Row } from '../../engine/index'
import {
  type AnyRow,
  ByteReader,
  ByteWriter,
  excerpt,
  FeedError,
  writeRowImage,
} from '../../engine/index'
import { type KeyedStore, prefixRange, type StoreOp } from '../keyed-store'
import { OriginBook } from '../origin-book'

/**
 * Digits of an arrival number. With leading zeros the key order is the order of arrival, up to
 * 2^53.
 */
const ARRIVAL_DIGITS = 16

/** Rows leave the table only after their files were read to the end. */
const COMPLETE: FileProgress = { complete: true }

/** A row of a group or of an item, with the id of its group. */
export interface GroupedRow<R extends AnyRow> {
  readonly groupId: string
  readonly row: R
}

/** A group with its items. At least one of the two is there. */
export interface Cluster<G extends Columns, C extends Columns> {
  readonly groupId: string
  readonly group: Row<G> | null
  /** The items in the order of arrival. */
  readonly items: Row<C>[]
}

export class GroupTable<G extends Columns, C extends Columns> {
  /** Number of groups in the table. */
  groups = 0
  /** Number of group records that replaced an earlier record of the same group. */
  replaced = 0
  readonly #store: KeyedStore
  #groupBook: OriginBook<G> | undefined
  #itemBook: OriginBook<C> | undefined
  /** One bit for each group, by its number: true where an item asked for the group. */
  #used = new Uint8Array(128)
  #items = 0

  /** @param store an empty store, which the table has for itself */
  constructor(store: KeyedStore) {
    this.#store = store
  }

  /**
   * Adds the groups of a batch. A later record of a group replaces an earlier one.
   * @throws FeedError STATE_LIMIT
   */
  async addGroups(groups: readonly GroupedRow<Row<G>>[]): Promise<void> {
    if (groups.length === 0) return
    const book = (this.#groupBook ??= new OriginBook(
      this.#store,
      'og',
      groups[0]!.row.batch.header.schema,
    ))
    const before = await this.#store.getMany(groups.map(({ groupId }) => groupKey(groupId)))
    const numbers = new Map<string, number>()
    const writer = new ByteWriter()
    const ops = groups.map(({ groupId, row }, n): StoreOp => {
      const known = numbers.get(groupId) ?? (before[n] && new ByteReader(before[n]).number())
      if (known !== undefined) this.replaced++
      const number = known ?? this.groups++
      numbers.set(groupId, number)
      writer.number(number)
      writeRowImage(row, book.numberOf(row.batch), writer)
      return { key: groupKey(groupId), value: writer.take() }
    })
    await this.#write(ops, book)
  }

  /**
   * Returns the groups with these ids and marks them as used. The rows keep only their own bytes in
   * memory.
   */
  async take(groupIds: ReadonlySet<string>): Promise<Map<string, Row<G>>> {
    const ids = [...groupIds]
    const records = await this.#store.getMany(ids.map(groupKey))
    const groups = new Map<string, Row<G>>()
    for (const [n, record] of records.entries()) {
      if (record === undefined) continue
      const { number, group } = this.#groupOf(record)
      this.#use(number)
      groups.set(ids[n]!, group)
    }
    return groups
  }

  /** Yields the groups that no item asked for, in key order, in blocks. */
  async *unused(): AsyncGenerator<Row<G>[], void, void> {
    for await (const block of this.#store.entries(prefixRange('g'))) {
      const groups: Row<G>[] = []
      for (const { value } of block) {
        const { number, group } = this.#groupOf(value)
        if (!this.#isUsed(number)) groups.push(group)
      }
      if (groups.length > 0) yield groups
    }
  }

  /** Keeps the items of a batch under their groups' ids. @throws FeedError STATE_LIMIT */
  async addItems(items: readonly GroupedRow<Row<C>>[]): Promise<void> {
    if (items.length === 0) return
    const book = (this.#itemBook ??= new OriginBook(
      this.#store,
      'om',
      items[0]!.row.batch.header.schema,
    ))
    const writer = new ByteWriter()
    const ops = items.map(({ groupId, row }): StoreOp => {
      writeRowImage(row, book.numberOf(row.batch), writer)
      return {
        key: groupKey(groupId) + String(this.#items++).padStart(ARRIVAL_DIGITS, '0'),
        value: writer.take(),
      }
    })
    await this.#write(ops, book)
  }

  /**
   * Yields all groups with their items, and the items of missing groups, in the order of group ids.
   * @throws FeedError STATE_LIMIT where a group has more than `maxGroupItems`
   */
  async *clusters(maxGroupItems: number): AsyncGenerator<Cluster<G, C>, void, void> {
    let cluster: Cluster<G, C> | undefined
    for await (const block of this.#store.entries(prefixRange('g'))) {
      for (const { key, value } of block) {
        const groupId = groupIdOf(key)
        if (cluster !== undefined && cluster.groupId !== groupId) yield cluster
        if (isGroupKey(key)) cluster = { groupId, group: this.#groupOf(value).group, items: [] }
        else {
          if (cluster?.groupId !== groupId) cluster = { groupId, group: null, items: [] }
          cluster.items.push(this.#itemBook!.row(value, 0, COMPLETE))
          checkSize(groupId, cluster.items.length, maxGroupItems)
        }
      }
    }
    if (cluster !== undefined) yield cluster
  }

  #groupOf(record: Uint8Array): { number: number; group: Row<G> } {
    const reader = new ByteReader(record)
    const number = reader.number()
    return { number, group: this.#groupBook!.row(record, reader.at, COMPLETE) }
  }

  async #write(ops: readonly StoreOp[], book: OriginBook<G> | OriginBook<C>): Promise<void> {
    const origins = book.unsaved
    await this.#store.write([...origins, ...ops])
    book.saved(origins)
  }

  #use(number: number): void {
    const at = number >> 3
    if (at >= this.#used.length) {
      const wider = new Uint8Array(Math.max(at + 1, this.#used.length * 2))
      wider.set(this.#used)
      this.#used = wider
    }
    this.#used[at]! |= 1 << (number & 7)
  }

  #isUsed(number: number): boolean {
    return ((this.#used[number >> 3] ?? 0) & (1 << (number & 7))) !== 0
  }
}

function checkSize(groupId: string, items: number, limit: number): void {
  if (items <= limit) return
  const message = `group ${excerpt(groupId)} has more than ${limit} items: raise maxGroupItems, or join with mode 'items-with-group'`
  throw new FeedError('STATE_LIMIT', message, { option: 'maxGroupItems', limit })
}

// A NUL inside an id gets U+00FF behind it, which sorts after the digits of an arrival number. So
// it differs from the NUL that ends the id, and an id sorts before every longer id that begins with
// it.
function groupKey(groupId: string): string {
  return `g${groupId.replaceAll('\0', '\0\u00ff')}\0`
}

function groupIdOf(key: string): string {
  return key.slice(1, key.lastIndexOf('\0')).replaceAll('\0\u00ff', '\0')
}

function isGroupKey(key: string): boolean {
  return key.endsWith('\0')
}
