// The rows of one part of all items: the item rows, or the priority rows. They are in memory at first,
// with the place of the newest row of every key, or of the row that removed it. Once they have moved
// to the disk, rows that arrive are sorted, and are judged when the input has ended: in the order of
// their keys, and those of one key in the order of their arrival, so that each does what it would
// have done in memory.

import {
  type ChangeKind,
  type Columns,
  type FeedError,
  type FeedSchema,
  findVersion,
  type RowBatch,
  type VersionOf,
  versionMissing,
} from '../../engine/index'
import { type KeyedRows, type KeyRules, keyedRows } from '../keyed-rows'
import type { BlockSource } from '../runs/block-lines'
import { effectOf } from '../runs/judge-runs'
import { mergeRuns, type PlacedStanding, placedAt, type SequencedRun } from '../runs/merge-runs'
import { compareHeads, keyOf, newHeads } from '../runs/row-heads'
import { RunTable } from '../runs/run-table'
import type { ScratchFolder } from '../spill/scratch-folder'
import { SpilledRows } from '../spill/spilled-rows'
import { type Arrived, BatchRow, type Change, MadeChange, Reporter, type Stood } from './row-change'

export interface PartRowsOptions {
  readonly versionOf: VersionOf | undefined
  /** True where changes have the row that was kept before. */
  readonly before: boolean
  /** Tells whether changes of a kind are given, and not only counted. */
  readonly isWanted: (kind: ChangeKind) => boolean
  readonly folder: ScratchFolder
}

/** Rows that do not stand any more are dropped when they take this part of those that do. */
const WASTE_PART = 1 / 4
const LEAST_WASTE = 1 << 20

export class PartRows<Part extends string, C extends Columns> {
  /** The number of rows by what they did. */
  readonly tally = { inserted: 0, updated: 0, deleted: 0, unchanged: 0, stale: 0 }
  readonly #options: PartRowsOptions
  readonly #rules: KeyRules
  readonly #reporter: Reporter<Part, C>
  #rows: SpilledRows
  /** The place of what stands under each key, while all rows are in memory. */
  #places: Map<string, number> | undefined = new Map()
  /** What stood when the rows moved to the disk. */
  #standing: readonly SequencedRun[] = []

  /** @param schema for kept rows */
  constructor(part: Part, schema: FeedSchema<C>, options: PartRowsOptions) {
    const { versionOf, before, folder } = options
    const own: KeyRules['versionOf'] = (row, key) =>
      findVersion(row, versionOf) ?? versionMissing(row, key)
    this.#options = options
    this.#rules = { key: 'itemId', ...(versionOf && { versionOf: own }) }
    this.#reporter = new Reporter(part, schema, before)
    this.#rows = new SpilledRows(folder)
  }

  /** Bytes of memory, about; infinite where no further batch has room. */
  get byteLength(): number {
    return this.#rows.byteLength
  }

  /** Reads the rows that stand in the order of their keys. */
  get table(): RunTable<C> {
    const { schema } = this.#reporter
    return new RunTable(schema, [...this.#standing, ...this.#rows.runs], [])
  }

  /**
   * Takes the rows of a batch.
   * @returns their changes in order; none where the rows are judged at the end
   * @throws FeedError KEY_MISSING, KEY_TOO_LONG, VERSION_MISSING, CELL_INVALID
   */
  add(batch: RowBatch<Columns>): readonly Change<Part, C>[] {
    const heads = newHeads(batch.length, batch.length * 32)
    const rows = keyedRows(batch, this.#rules, refuse, heads)
    const changes = this.#places && this.#judge(rows, this.#places)
    if (changes === undefined) {
      this.#rows.sorter.add(rows)
      this.#reporter.remember(batch)
    } else this.#compactIfWasted(this.#places!)
    return changes ?? []
  }

  /** Moves everything to the disk. */
  async spill(): Promise<void> {
    const { schema } = this.#reporter
    if (this.#places !== undefined) {
      this.#places = undefined
      await this.#rows.spill(schema)
      this.#standing = this.#rows.runs
      this.#rows = new SpilledRows(this.#options.folder)
    } else await this.#rows.spill(schema)
  }

  /** Yields the changes of the rows that are judged at the end, in blocks. */
  async *changes(): AsyncGenerator<readonly Change<Part, C>[], void, void> {
    if (this.#places !== undefined) return
    const arrived = this.#rows.runs
    const arriving = new Set<BlockSource>(arrived.map(({ run }) => run))
    let stood: PlacedStanding | undefined
    for await (const parts of mergeRuns([...this.#standing, ...arrived], [], false, 'all')) {
      const changes: Change<Part, C>[] = []
      for (const { block, from, to } of parts)
        for (let n = from; n < to; n++) {
          const row = placedAt(block, n, 0)
          if (stood && compareHeads(stood.block.heads, stood.n, block.heads, n) !== 0)
            stood = undefined
          const { kind, writes } = effectOf(row, stood)
          if (arriving.has(block.run) && this.#counts(kind)) {
            if (block.read === undefined) await block.lines()
            if (stood && stood.block.read === undefined) await stood.block.lines()
            const arrived = this.#arrived(row)
            const key = keyOf(block.heads, n)
            changes.push(new MadeChange(this.#reporter, kind, key, arrived, stood, writes))
          }
          if (writes) stood = row
        }
      yield changes
    }
  }

  /** Frees the memory. */
  clear(): void {
    this.#places?.clear()
    this.#rows.clear()
  }

  /** Counts a change. Returns true where it is given. */
  #counts(kind: ChangeKind): boolean {
    this.tally[kind]++
    return this.#options.isWanted(kind)
  }

  #arrived({ version, block, n }: PlacedStanding): Arrived {
    const reporter = this.#reporter
    return {
      version,
      get row() {
        return reporter.source(block, n)
      },
    }
  }

  #judge(rows: KeyedRows, places: Map<string, number>): Change<Part, C>[] {
    const { sorter } = this.#rows
    const first = sorter.rows
    sorter.add(rows)
    const changes: Change<Part, C>[] = []
    /** The rows that stood and that changes read, and their places. */
    const read: Stood[] = []
    const placesRead: number[] = []
    const unkept: number[] = []
    for (let n = 0; n < rows.length; n++) {
      const key = rows.key(n)
      const place = first + n
      const old = places.get(key)
      let kind: ChangeKind = rows.isRemoval(n) ? 'unchanged' : 'inserted'
      let writes = true
      let stood: Stood | undefined
      if (old !== undefined) {
        const standing = sorter.standingAt(old)
        ;({ kind, writes } = effectOf(sorter.standingAt(place), standing))
        const { version } = standing
        stood = { version, block: undefined, n: read.length }
        unkept.push(writes ? old : place)
        const isRead = !version.removed && (this.#options.before || !writes)
        if (isRead && this.#options.isWanted(kind)) {
          read.push(stood)
          placesRead.push(old)
        }
      }
      if (writes) places.set(key, place)
      if (!this.#counts(kind)) continue
      const arrived = new BatchRow(rows, n)
      changes.push(new MadeChange(this.#reporter, kind, key, arrived, stood, writes))
    }
    if (read.length > 0) {
      const block = sorter.blockOf(placesRead)
      for (const stood of read) stood.block = block
    }
    for (const place of unkept) sorter.drop(place)
    return changes
  }

  #compactIfWasted(places: Map<string, number>): void {
    const { sorter } = this.#rows
    if (sorter.droppedBytes < sorter.byteLength * WASTE_PART + LEAST_WASTE) return
    const moved = sorter.compact()
    for (const [key, place] of places) places.set(key, moved[place]!)
  }
}

function refuse(_: unknown, error: FeedError): never {
  throw error
}
