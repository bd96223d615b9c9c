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
import { effectOf } from '../runs/judge-runs'
import {
  compareStandings,
  mergeRuns,
  type PlacedStanding,
  placedAt,
  type SequencedRun,
} from '../runs/merge-runs'
import { compareHeads, keyOf, newHeads } from '../runs/row-heads'
import type { BlockSource } from '../runs/run-reader'
import { RunTable } from '../runs/run-table'
import type { ScratchFolder } from '../spill/scratch-folder'
import { SpilledRows } from '../spill/spilled-rows'
import {
  type Arrived,
  BatchRow,
  type Change,
  type ChangeOptions,
  MadeChange,
  Reporter,
  type Stood,
} from './row-change'

export interface PartRowsOptions<Part extends string, C extends Columns> {
  readonly part: Part
  /** The schema for kept rows. */
  readonly schema: FeedSchema<C>
  readonly versionOf: VersionOf | undefined
  readonly changes: ChangeOptions
}

/** Rows that do not stand any more are dropped when they take this part of those that do. */
const WASTE_PART = 1 / 4
const LEAST_WASTE = 1 << 20

export class PartRows<Part extends string, C extends Columns> {
  readonly #rules: KeyRules
  readonly #reporter: Reporter<Part, C>
  readonly #folder: ScratchFolder
  #rows: SpilledRows
  /** The place of what stands under each key, while all rows are in memory. */
  #places: Map<string, number> | undefined = new Map()
  /** What stood when the rows moved to the disk. */
  #standing: readonly SequencedRun[] = []

  constructor(
    { part, schema, versionOf, changes }: PartRowsOptions<Part, C>,
    folder: ScratchFolder,
  ) {
    const own: KeyRules['versionOf'] = (row, key) =>
      findVersion(row, versionOf) ?? versionMissing(row, key)
    this.#rules = { key: 'itemId', ...(versionOf && { versionOf: own }) }
    this.#reporter = new Reporter(part, schema, changes)
    this.#folder = folder
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
   * @returns the change of each row in order; none where the rows are judged at the end
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
      this.#rows = new SpilledRows(this.#folder)
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
          const isKept = stood === undefined || compareStandings(row, stood) > 0
          if (arriving.has(block.run)) {
            const { kind } = effectOf(row, stood)
            if (this.#reporter.options.isWanted(kind)) {
              if (block.read === undefined) await block.lines()
              if (stood && stood.block.read === undefined) await stood.block.lines()
            }
            changes.push(new MadeChange(this.#reporter, kind, this.#arrived(row), isKept, stood))
          }
          if (isKept) stood = row
        }
      yield changes
    }
  }

  /** Frees the memory. */
  clear(): void {
    this.#places?.clear()
    this.#rows.clear()
  }

  /** Returns a row of the disk, as it arrived. */
  #arrived({ block, n, version }: PlacedStanding): Arrived {
    const reporter = this.#reporter
    return {
      version,
      get key() {
        return keyOf(block.heads, n)
      },
      get row() {
        return reporter.source(block, n)
      },
    }
  }

  #judge(rows: KeyedRows, places: Map<string, number>): Change<Part, C>[] {
    const { sorter } = this.#rows
    const first = sorter.rows
    sorter.add(rows)
    const reporter = this.#reporter
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
      let isKept = true
      let stood: Stood | undefined
      if (old !== undefined) {
        const arrival = sorter.standingAt(place)
        const standing = sorter.standingAt(old)
        kind = effectOf(arrival, standing).kind
        isKept = compareStandings(arrival, standing) > 0
        unkept.push(isKept ? old : place)
        const { version } = standing
        stood = { version, block: undefined, n: placesRead.length }
        if (reporter.readsStood(kind, isKept, version)) {
          read.push(stood)
          placesRead.push(old)
        }
      }
      if (isKept) places.set(key, place)
      changes.push(new MadeChange(reporter, kind, new BatchRow(rows, n, key), isKept, stood))
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
