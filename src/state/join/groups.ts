// The groups of a join by their ids, the last record of each. They are in memory at first, as the rows
// that arrived. What exceeds it is sorted on disk into one run, whose blocks are read where items ask
// for groups.

import { type Columns, compareKeys, type FeedSchema, Row, type RowBatch } from '../../engine/index'
import { keyOfRow } from '../row-key'
import { BlockCache } from '../runs/block-cache'
import { MOST_ROWS } from '../runs/row-sorter'
import { asStored } from '../runs/run-origins'
import { RunTable } from '../runs/run-table'
import type { ScratchFolder } from '../spill/scratch-folder'
import { SpilledRows } from '../spill/spilled-rows'

/** Memory of a group beside its bytes and its cells: the object of its row, its id, and their places. */
const GROUP_BYTES = 150
const CELL_BYTES = 4
/** Groups that are given together at the end. */
const MOST_GROUPS = 128
/** A look-up reads a whole block, so the blocks are smaller than those of other runs. */
const BLOCK_BYTES = 1 << 15
/** Groups whose blocks are read at the same time. */
const MOST_AT_ONCE = 64

export class Groups<G extends Columns> {
  /** The number of records of groups. */
  records = 0
  /** The number of different groups; exact once they are ended. */
  groups = 0
  readonly #memoryBytes: number
  /** The number of the last record of each group, while all are in memory. */
  #numbers: Map<string, number> | undefined = new Map()
  /** The records that are in memory, by their numbers. */
  #rows: (Row<G> | undefined)[] = []
  #bytes = 0
  readonly #spilled: SpilledRows
  #schema: FeedSchema<G> | undefined
  #asStored: ((batch: RowBatch<G>) => RowBatch<G>) | undefined
  /** The groups on disk, once they are ended. The time of each is the number of its record. */
  #table: RunTable<G> | undefined
  /** One bit for each record, by its number: true where an item asked for the group. */
  #used = new Uint8Array()

  constructor(folder: ScratchFolder, memoryBytes: number) {
    this.#memoryBytes = memoryBytes
    this.#spilled = new SpilledRows(folder)
  }

  /**
   * Adds groups. A later record of a group replaces an earlier one.
   * @throws FeedError KEY_MISSING, KEY_TOO_LONG, STATE_IO
   */
  async add(batch: RowBatch<G>): Promise<void> {
    this.#schema ??= batch.header.schema
    this.#asStored ??= asStored(this.#schema)
    const stored = this.#asStored(batch)
    for (const row of batch) {
      const id = keyOfRow(row, 'itemGroupId')
      const number = this.records++
      if (this.#numbers === undefined) this.#spilled.sorter.addRow(row, id, number)
      else {
        this.#rows.push(new Row(stored, row.slot))
        const last = this.#numbers.get(id)
        if (last !== undefined) this.#rows[last] = undefined
        this.#numbers.set(id, number)
      }
    }
    const cellBytes = CELL_BYTES * batch.index.columns
    this.#bytes += batch.byteLength + batch.rowCount * (GROUP_BYTES + cellBytes)
    const isFull = this.#bytes > this.#memoryBytes || this.records >= MOST_ROWS
    if (this.#numbers !== undefined && isFull) await this.#moveAll()
    await this.#spillIfFull()
  }

  /** Ends the groups: {@link take} may be called. @throws FeedError STATE_IO, STATE_CORRUPT */
  async end(): Promise<void> {
    this.#used = new Uint8Array(Math.ceil(this.records / 8))
    this.groups = this.#numbers?.size ?? 0
    if (this.#numbers !== undefined) return
    const run = await this.#spilled.merge(this.#schema!, BLOCK_BYTES)
    this.groups = run.index.rows
    const runs = [{ run, sequence: 0 }]
    const atOnce = Math.max(
      1,
      Math.min(MOST_AT_ONCE, Math.floor(this.#memoryBytes / (2 * BLOCK_BYTES))),
    )
    const cache = new BlockCache(this.#memoryBytes / 2)
    this.#table = new RunTable(this.#schema!, runs, [], cache, atOnce)
  }

  /** True where {@link take} reads the disk. */
  get isOnDisk(): boolean {
    return this.#table !== undefined
  }

  /**
   * Returns the groups with these ids and marks them as used.
   * @throws FeedError STATE_IO, STATE_CORRUPT
   */
  async take(ids: ReadonlySet<string>): Promise<ReadonlyMap<string, Row<G>>> {
    if (this.#table === undefined) return this.takeNow(ids)
    const taken = new Map<string, Row<G>>()
    for (let rest = [...ids]; rest.length > 0; ) {
      const found = await this.#table.findSome(rest)
      for (const [n, group] of found.entries()) {
        if (group === undefined) continue
        this.#use(group.version.timeMs)
        taken.set(rest[n]!, group.row)
      }
      rest = rest.slice(found.length)
    }
    return taken
  }

  /** The same for groups in memory. */
  takeNow(ids: ReadonlySet<string>): ReadonlyMap<string, Row<G>> {
    const taken = new Map<string, Row<G>>()
    for (const id of ids) {
      const number = this.#numbers!.get(id)
      if (number === undefined) continue
      this.#use(number)
      taken.set(id, this.#rows[number]!)
    }
    return taken
  }

  /** Yields the groups that no item asked for, in key order, in blocks. */
  async *unused(): AsyncGenerator<Row<G>[], void, void> {
    const table = this.#table
    if (table === undefined) {
      const unused = [...this.#numbers!].filter(([, number]) => !this.#isUsed(number))
      unused.sort(([a], [b]) => compareKeys(a, b))
      for (let at = 0; at < unused.length; at += MOST_GROUPS)
        yield unused.slice(at, at + MOST_GROUPS).map(([, number]) => this.#rows[number]!)
    } else
      for await (const places of table.places()) {
        const unused = places.filter(({ block, n }) => !this.#isUsed(block.heads.timeMs[n]!))
        if (unused.length > 0) yield unused.map(place => table.rowAt(place))
      }
  }

  clear(): void {
    this.#numbers = new Map()
    this.#rows = []
    this.#table = undefined
    this.#spilled.clear()
  }

  /** Moves the groups in memory to the disk. */
  async #moveAll(): Promise<void> {
    this.#numbers = undefined
    for (const [number, row] of this.#rows.splice(0).entries()) {
      if (row === undefined) continue
      this.#spilled.sorter.addRow(row, keyOfRow(row, 'itemGroupId'), number)
      await this.#spillIfFull()
    }
  }

  async #spillIfFull(): Promise<void> {
    if (this.#spilled.byteLength > this.#memoryBytes) await this.#spilled.spill(this.#schema!)
  }

  #use(number: number): void {
    this.#used[number >> 3]! |= 1 << (number & 7)
  }

  #isUsed(number: number): boolean {
    return (this.#used[number >> 3]! & (1 << (number & 7))) !== 0
  }
}
