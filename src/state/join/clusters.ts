// Groups and items, sorted by the ids of their groups, in memory or on disk. All groups are added
// before the first item.

import { type Columns, excerpt, FeedError, type FeedSchema, type Row } from '../../engine/index'
import type { BlockSource } from '../runs/block-lines'
import { mergeRuns } from '../runs/merge-runs'
import { keyOf } from '../runs/row-heads'
import type { ScratchFolder } from '../spill/scratch-folder'
import { SpilledRows } from '../spill/spilled-rows'

/** A group with its items. At least one of the two is there. */
export interface Cluster<G extends Columns, C extends Columns> {
  readonly groupId: string
  group: Row<G> | null
  /** The items in the order of arrival. */
  readonly items: Row<C>[]
}

export class Clusters<G extends Columns, C extends Columns> {
  /** The number of records of groups. */
  records = 0
  /** The number of different groups in the clusters that were given. */
  groups = 0
  readonly #memoryBytes: number
  readonly #groups: Gathered<G>
  readonly #items: Gathered<C>

  constructor(folder: ScratchFolder, memoryBytes: number) {
    this.#memoryBytes = memoryBytes
    this.#groups = { rows: new SpilledRows(folder), schema: undefined }
    this.#items = { rows: new SpilledRows(folder), schema: undefined }
  }

  addGroup(groupId: string, row: Row<G>): void {
    this.records++
    add(this.#groups, groupId, row)
  }

  addItem(groupId: string, row: Row<C>): void {
    add(this.#items, groupId, row)
  }

  /** Moves the rows to the disk where they exceed the memory. @throws FeedError STATE_IO */
  async spillIfFull(): Promise<void> {
    const [groups, items] = [this.#groups, this.#items]
    if (groups.rows.byteLength + items.rows.byteLength <= this.#memoryBytes) return
    for (const { rows, schema } of [groups, items]) if (schema) await rows.spill(schema)
  }

  /**
   * Yields all groups with their items, and the items of missing groups, in the order of group ids.
   * @throws FeedError STATE_LIMIT where a group has more than `maxGroupItems`, STATE_IO,
   * STATE_CORRUPT
   */
  async *clusters(maxGroupItems: number): AsyncGenerator<Cluster<G, C>, void, void> {
    const ofGroups = this.#groups.rows.runs
    const areGroups = new Set<BlockSource>(ofGroups.map(({ run }) => run))
    let cluster: Cluster<G, C> | undefined
    // The records of one id are those of the group and then its items.
    const runs = [...ofGroups, ...this.#items.rows.runs]
    for await (const parts of mergeRuns(runs, [], false, 'all'))
      for (const { block, from, to } of parts) {
        const lines = block.read ?? (await block.lines())
        for (let n = from; n < to; n++) {
          const groupId = keyOf(block.heads, n)
          if (cluster !== undefined && cluster.groupId !== groupId) yield cluster
          if (cluster?.groupId !== groupId) cluster = { groupId, group: null, items: [] }
          if (areGroups.has(block.run)) {
            if (cluster.group === null) this.groups++
            cluster.group = lines.row(n, this.#groups.schema!)
          } else {
            cluster.items.push(lines.row(n, this.#items.schema!))
            checkSize(groupId, cluster.items.length, maxGroupItems)
          }
        }
      }
    if (cluster !== undefined) yield cluster
  }

  clear(): void {
    this.#groups.rows.clear()
    this.#items.rows.clear()
  }
}

/** Rows with the schema of the first one. */
interface Gathered<C extends Columns> {
  readonly rows: SpilledRows
  schema: FeedSchema<C> | undefined
}

function add<C extends Columns>(to: Gathered<C>, groupId: string, row: Row<C>): void {
  to.schema ??= row.batch.header.schema
  to.rows.sorter.addRow(row, groupId, 0)
}

function checkSize(groupId: string, items: number, limit: number): void {
  if (items <= limit) return
  const message = `group ${excerpt(groupId)} has more than ${limit} items: raise maxGroupItems, or join with mode 'items-with-group'`
  throw new FeedError('STATE_LIMIT', message, { option: 'maxGroupItems', limit })
}
