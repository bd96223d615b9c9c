// Groups and items, sorted by the ids of their groups, in memory or on disk. All groups are added
// before the first item, so that the records of one id are those of the group and then its items.
//
//   record: 0 for a group, 1 for an item · row image

import { type Columns, excerpt, FeedError, type Row, writeRowImage } from '../../engine/index'
import { COMPLETE, Origins } from '../origins'
import type { ScratchFolder } from '../spill/scratch-folder'
import { SortedRecords } from '../spill/sorted-records'

/** A group with its items. At least one of the two is there. */
export interface Cluster<G extends Columns, C extends Columns> {
  readonly groupId: string
  group: Row<G> | null
  /** The items in the order of arrival. */
  readonly items: Row<C>[]
}

const GROUP = 0
const ITEM = 1

export class GroupGatherer<G extends Columns, C extends Columns> {
  /** The number of different groups in the clusters that were given. */
  groups = 0
  /** Records in these clusters that replaced an earlier record of the same group. */
  replaced = 0
  readonly #records: SortedRecords
  readonly #groupOrigins = new Origins<G>()
  readonly #itemOrigins = new Origins<C>()

  constructor(folder: ScratchFolder) {
    this.#records = new SortedRecords(folder)
  }

  /** Bytes of memory, about. */
  get byteLength(): number {
    return this.#records.byteLength
  }

  addGroup(groupId: string, row: Row<G>): void {
    this.#records.writer.byte(GROUP)
    writeRowImage(row, this.#groupOrigins.numberOf(row.batch), this.#records.writer)
    this.#records.add(groupId)
  }

  async endGroups(): Promise<void> {}

  addItem(groupId: string, row: Row<C>): void {
    this.#records.writer.byte(ITEM)
    writeRowImage(row, this.#itemOrigins.numberOf(row.batch), this.#records.writer)
    this.#records.add(groupId)
  }

  /** Moves everything to the disk. @throws FeedError STATE_IO */
  spill(): Promise<void> {
    return this.#records.spill()
  }

  /**
   * Yields all groups with their items, and the items of missing groups, in the order of group ids.
   * @throws FeedError STATE_LIMIT where a group has more than `maxGroupItems`, STATE_IO,
   * STATE_CORRUPT
   */
  async *clusters(maxGroupItems: number): AsyncGenerator<Cluster<G, C>, void, void> {
    let cluster: Cluster<G, C> | undefined
    for await (const block of this.#records.sorted())
      for (const { key: groupId, value } of block) {
        if (cluster !== undefined && cluster.groupId !== groupId) yield cluster
        if (cluster?.groupId !== groupId) cluster = { groupId, group: null, items: [] }
        // The row keeps only its own bytes in memory.
        const record = new Uint8Array(value)
        if (record[0] === GROUP) {
          if (cluster.group === null) this.groups++
          else this.replaced++
          cluster.group = this.#groupOrigins.row(record, 1, COMPLETE)
        } else {
          cluster.items.push(this.#itemOrigins.row(record, 1, COMPLETE))
          checkSize(groupId, cluster.items.length, maxGroupItems)
        }
      }
    if (cluster !== undefined) yield cluster
  }

  clear(): void {
    this.#records.clear()
  }
}

function checkSize(groupId: string, items: number, limit: number): void {
  if (items <= limit) return
  const message = `group ${excerpt(groupId)} has more than ${limit} items: raise maxGroupItems, or join with mode 'items-with-group'`
  throw new FeedError('STATE_LIMIT', message, { option: 'maxGroupItems', limit })
}
