// The rows of one side of a diff: first they are gathered and sorted, in memory or on the disk, and
// then listed, the last one of each key.

import type { Columns, FeedSchema, Row, RowBatch } from '../../engine/index'
import { keyOfRow, optionalKeyOfRow } from '../row-key'
import { mergeRuns } from '../runs/merge-runs'
import { comparePlaces, type StandingPlace } from '../runs/run-table'
import type { ScratchFolder } from '../spill/scratch-folder'
import { SpilledRows } from '../spill/spilled-rows'

/** The rows of one side in the order in which they come. */
export class DiffSide<C extends Columns> {
  readonly rows: SpilledRows
  /** The names of the columns of all its rows. */
  readonly columns = new Set<string>()
  schema: FeedSchema<C> | undefined
  /** Rows whose key a later row has, which counts in their place. */
  repeated = 0
  place: StandingPlace | undefined
  #header: RowBatch['header'] | undefined
  #places: readonly StandingPlace[] = []
  #at = 0
  #blocks: AsyncGenerator<StandingPlace[], void, void> | undefined

  constructor(folder: ScratchFolder) {
    this.rows = new SpilledRows(folder)
  }

  /** @throws FeedError KEY_MISSING, KEY_TOO_LONG, COLUMN_UNKNOWN */
  add(row: Row<C>, key: readonly string[]): void {
    const { header } = row.batch
    if (header !== this.#header) for (const { name } of header.columns) this.columns.add(name)
    this.#header = header
    this.schema ??= header.schema
    this.rows.sorter.addRow(row, keyText(row, key), 0)
  }

  /** The row of the current place. */
  get row(): Row<C> {
    return this.place!.lines.row(this.place!.n, this.schema!)
  }

  /** Moves to the next place. @returns what the caller has to wait for, behind which blocks are others */
  next(): Promise<void> | undefined {
    this.place = this.#places[++this.#at]
    return this.place === undefined ? this.#readOn() : undefined
  }

  async #readOn(): Promise<void> {
    this.#blocks ??= this.#lastRows()
    do {
      const { value, done } = await this.#blocks.next()
      if (done) return
      this.#places = value
    } while (this.#places.length === 0)
    this.#at = 0
    this.place = this.#places[0]
  }

  /** Lists the last row of each key. One key may have more rows than the memory, so none are gathered. */
  async *#lastRows(): AsyncGenerator<StandingPlace[], void, void> {
    let last: StandingPlace | undefined
    for await (const parts of mergeRuns(this.rows.runs, [], false, 'all')) {
      const places: StandingPlace[] = []
      for (const { block, from, to } of parts) {
        const lines = block.read ?? (await block.lines())
        for (let n = from; n < to; n++) {
          const place = { block, lines, n }
          if (last !== undefined && comparePlaces(last, place) === 0) this.repeated++
          else if (last !== undefined) places.push(last)
          last = place
        }
      }
      yield places
    }
    if (last !== undefined) yield [last]
  }
}

/** The key of a row as one text, from which the cells of several columns could be read again. */
function keyText(row: Row<Columns>, columns: readonly string[]): string {
  if (columns.length === 1) return keyOfRow(row, columns[0]!)
  const cells = columns.map(column => optionalKeyOfRow(row, column))
  return cells.some(cell => cell !== '') ? JSON.stringify(cells) : keyOfRow(row, columns[0]!)
}
