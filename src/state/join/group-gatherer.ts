// Groups and items, sorted by the ids of their groups, in memory or on disk. All groups are added
// before the first item, so that the records of one id are those of the group and then its items.
//
//   record: 0 for a group, 1 for an item · row image

import {
  type AnyRow,
  type Columns,
  excerpt,
  FeedError,
  type FeedSchema,
  type Row,
  writeRowImage,
} from '../../engine/index'
import { COMPLETE, Origins } from '../origins'
import type { ScratchFolder } from '../spill/scratch-folder'
import { SortedRecords } from '../spill/sorted-records'

/** A row of a group or of an item, with the id of its group. */
export interface GroupedRow<R extends AnyRow> {
  readonly groupId: string
  readonly row: R
}

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
  #groupOrigins: Origins<G> | undefined
  #itemOrigins: Origins<C> | undefined

  constructor(folder: ScratchFolder) {
    this.#records = new SortedRecords(folder)
  }

  /** Bytes of memory, about. */
  get byteLength(): number {
    return this.#records.byteLength
  }

  addGroups(groups: readonly GroupedRow<Row<G>>[]): void {
    for (const { groupId, row } of groups) {
      this.#groupOrigins ??= new Origins(row.batch.header.schema as FeedSchema<G>)
      this.#add(groupId, GROUP, row, this.#groupOrigins.numberOf(row.batch))
    }
  }

  async endGroups(): Promise<void> {}

  addItems(items: readonly GroupedRow<Row<C>>[]): void {
    for (const { groupId, row } of items) {
      this.#itemOrigins ??= new Origins(row.batch.header.schema as FeedSchema<C>)
      this.#add(groupId, ITEM, row, this.#itemOrigins.numberOf(row.batch))
    }
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
          cluster.group = this.#groupOrigins!.row(record, 1, COMPLETE)
        } else {
          cluster.items.push(this.#itemOrigins!.row(record, 1, COMPLETE))
          checkSize(groupId, cluster.items.length, maxGroupItems)
        }
      }
    if (cluster !== undefined) yield cluster
  }

  clear(): void {
    this.#records.clear()
  }

  #add(groupId: string, kind: typeof GROUP | typeof ITEM, row: AnyRow, origin: number): void {
    const { writer } = this.#records
    writer.byte(kind)
    writeRowImage(row, origin, writer)
    this.#records.add(groupId)
  }
}

function checkSize(groupId: string, items: number, limit: number): void {
  if (items <= limit) return
  const message = `group ${excerpt(groupId)} has more than ${limit} items: raise maxGroupItems, or join with mode 'items-with-group'`
  throw new FeedError('STATE_LIMIT', message, { option: 'maxGroupItems', limit })
}
