// The differences of two lists of rows by a key: both are sorted, in memory or on the disk, and then
// read in step. Nothing is compared before both were read to their ends, so that no difference comes
// out of a file that proves damaged.

import {
  type Columns,
  FeedError,
  is,
  isIterable,
  type OptionTable,
  optionInvalid,
  type Row,
  readOptions,
  rowsInput,
  SideInput,
  type SideSource,
} from '../engine/index'
import { DiffSide } from './diff/diff-side'
import { type CellDifference, differingCells } from './diff/differing-cells'
import { isRowError } from './row-key'
import { comparePlaces } from './runs/run-table'
import { ScratchFolder } from './spill/scratch-folder'

export interface DiffOptions {
  /** The columns whose cells together name a row. */
  readonly key: readonly string[]
  /**
   * Bytes of memory for the rows of both sides, about. What exceeds them is sorted in a temporary
   * folder on disk. Default: 64 MiB. Bounds: 0 or more.
   */
  readonly memoryBytes?: number
  /**
   * Takes the error of a row whose key is empty or too long, and leaves the row out. Default: the
   * error is thrown.
   */
  readonly onBadRow?: (error: FeedError, side: 'before' | 'after') => void
  /** Ends the call, and the reading of its result, with its reason. Default: none. */
  readonly signal?: AbortSignal
}

const OPTIONS = {
  key(option: string, names: readonly string[]) {
    if (is.texts(option, names).length > 0) return names
    throw optionInvalid(option, 'the name of a column at least', names)
  },
  memoryBytes: [is.wholeNumber(0), 64 * 2 ** 20],
  onBadRow: [is.callback],
  signal: [is.withMethods<AbortSignal>('addEventListener', 'throwIfAborted')],
} satisfies OptionTable<DiffOptions>

type Sides<C extends Columns> = readonly [before: DiffSide<C>, after: DiffSide<C>]

/** A key whose rows differ. */
export interface RowDifference<C extends Columns = Columns> {
  readonly kind: 'inserted' | 'updated' | 'deleted'
  /** The cells of the key, as `key` names their columns. */
  readonly key: readonly string[]
  /** Null where the row was inserted. */
  readonly before: Row<C> | null
  /** Null where the row was deleted. */
  readonly after: Row<C> | null
  /** The cells of an updated row that differ; of another row none. */
  readonly cells: readonly CellDifference[]
}

/** The differences that {@link diffRows} finds. They are read once, which frees the rows. */
export class RowDiff<C extends Columns = Columns> implements AsyncIterable<RowDifference<C>[]> {
  /** The columns that only the rows before have; none where one side has no rows. */
  readonly removedColumns: readonly string[]
  /** The columns that only the rows after have; none where one side has no rows. */
  readonly addedColumns: readonly string[]
  /** Rows whose key a later row of their side has; known once the differences are read. */
  readonly repeated = { before: 0, after: 0 }
  /** The number of keys of each kind; whole once the differences are read. */
  readonly tally = { inserted: 0, updated: 0, deleted: 0, unchanged: 0 }
  readonly #sides: Sides<C>
  readonly #folder: ScratchFolder
  readonly #options: DiffOptions
  #isTaken = false

  /** @internal See {@link diffRows}. */
  constructor(sides: Sides<C>, folder: ScratchFolder, options: DiffOptions) {
    this.#sides = sides
    this.#folder = folder
    this.#options = options
    const [{ columns: before }, { columns: after }] = sides
    this.removedColumns = after.size === 0 ? [] : [...before].filter(name => !after.has(name))
    this.addedColumns = before.size === 0 ? [] : [...after].filter(name => !before.has(name))
  }

  /**
   * Yields the differences in the order of the bytes of the keys, in blocks. The rows keep the memory
   * of their blocks.
   * @throws FeedError STAGE_DESTROYED where they were read or freed before, STATE_IO, STATE_CORRUPT
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<RowDifference<C>[], void, void> {
    if (this.#isTaken) {
      const message = 'the differences were read or freed before: a RowDiff gives them once'
      throw new FeedError('STAGE_DESTROYED', message, { stage: 'RowDiff' })
    }
    this.#isTaken = true
    const [a, b] = this.#sides
    const shared = [...a.columns].filter(name => b.columns.has(name))
    try {
      let found: RowDifference<C>[] = []
      await Promise.all([a.next(), b.next()])
      while (a.place !== undefined || b.place !== undefined) {
        const order = a.place === undefined ? 1 : b.place ? comparePlaces(a.place, b.place) : -1
        const before = order <= 0 ? a.row : null
        const after = order >= 0 ? b.row : null
        const difference = this.#compared(before, after, shared)
        this.tally[difference?.kind ?? 'unchanged']++
        if (difference !== undefined) found.push(difference)
        const waits = [before && a.next(), after && b.next()]
        if (!waits[0] && !waits[1]) continue
        // What is found keeps the blocks that are spent, so it goes before others are read.
        if (found.length > 0) yield found
        found = []
        await Promise.all(waits)
        this.#options.signal?.throwIfAborted()
      }
    } finally {
      this.repeated.before = a.repeated
      this.repeated.after = b.repeated
      await this.close()
    }
  }

  /** Frees the rows, also where the differences were not read. */
  close(): Promise<void> {
    this.#isTaken = true
    for (const { rows } of this.#sides) rows.clear()
    return this.#folder.close()
  }

  #compared(
    before: Row<C> | null,
    after: Row<C> | null,
    shared: readonly string[],
  ): RowDifference<C> | undefined {
    const cells = before && after ? differingCells(before, after, shared) : []
    if (before && after && cells.length === 0) return undefined
    const kind = before === null ? 'inserted' : after === null ? 'deleted' : 'updated'
    const key = this.#options.key.map(name => (after ?? before)!.text(name))
    return { kind, key, before, after, cells }
  }
}

/**
 * Reads two lists of rows to their ends, and returns what differs by a key: rows that only one has,
 * and rows whose cells differ in a column that both have. Texts of cells are compared, and where they
 * differ the values that the schema of the rows gives them: `12.50` is `12.5` as a decimal. Of several
 * rows of one key the last counts. Neither side is changed, and nothing is left on the disk.
 *
 * @param before the batches of a pipeline, or other blocks of rows of one schema; a source that is
 * not read to its end is destroyed or returned
 * @throws FeedError OPTION_INVALID, KEY_MISSING where all cells of a key are empty, KEY_TOO_LONG (a cell of
 * more than 4,096 bytes), COLUMN_UNKNOWN, STATE_IO, STATE_CORRUPT, and the failures of the sources
 * @example
 * ```ts
 * import { diffRows, pipeline, TsvRowParser } from 'feedmill'
 *
 * const batches = (text: string) => pipeline([Buffer.from(text)]).to(new TsvRowParser()).batches()
 * const before = batches('sku\tprice\na\t1\nb\t2\n')
 * const after = batches('sku\tprice\nb\t3\nc\t4\n')
 * for await (const differences of await diffRows(before, after, { key: ['sku'] }))
 *   for (const { kind, key, cells } of differences) console.log(kind, key, cells)
 * // => deleted [ 'a' ] []
 * // => updated [ 'b' ] [ { column: 'price', before: '2', after: '3' } ]
 * // => inserted [ 'c' ] []
 * ```
 */
export async function diffRows<C extends Columns = Columns>(
  before: SideSource<Iterable<Row<C>>>,
  after: SideSource<Iterable<Row<C>>>,
  options: DiffOptions,
): Promise<RowDiff<C>> {
  const { key, memoryBytes, onBadRow, signal } = readOptions(options, OPTIONS)
  for (const [name, rows] of Object.entries({ before, after }))
    if (!isIterable(rows)) throw optionInvalid(name, 'an iterable of blocks of rows', rows)
  const folder = new ScratchFolder()
  const sides: Sides<C> = [new DiffSide<C>(folder), new DiffSide<C>(folder)]
  const inputs = { before: new SideInput(before), after: new SideInput(after) }
  try {
    for (const name of ['before', 'after'] as const)
      for await (const rows of inputs[name].read()) {
        signal?.throwIfAborted()
        rowsInput('diffRows', rows, true)
        for (const row of rows) {
          try {
            sides[name === 'before' ? 0 : 1].add(row, key)
          } catch (error) {
            if (onBadRow === undefined || !isRowError(error)) throw error
            onBadRow(error, name)
          }
        }
        if (sides[0].rows.byteLength + sides[1].rows.byteLength <= memoryBytes) continue
        for (const { rows: kept, schema } of sides) if (schema) await kept.spill(schema)
      }
    return new RowDiff(sides, folder, options)
  } catch (error) {
    await folder.close()
    throw error
  } finally {
    inputs.before.close()
    inputs.after.close()
  }
}
