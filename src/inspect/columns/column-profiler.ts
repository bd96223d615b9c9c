// Profiles one column, a batch of rows at a time. It reads the bytes of texts where they are and
// makes values only of cells that may be bad, and text only of bad ones. Its memory does not depend
// on the number of rows: 4 KiB of registers and at most 13 KiB of frequent values.

import type { BoundColumn, ProfiledCells, RowBatch } from '../../engine/index'
import { excerpt, isBadCell, PLACE_WORDS } from '../../engine/index'
import type { ColumnProfile, InvalidCell } from '../report'
import type { KindFinder } from '../schema/kind-finder'
import { DistinctSketch } from './distinct-sketch'
import { BAD, FrequentValues, GOOD } from './frequent-values'
import { RangeOfValues } from './value-range'

/** The invalid cells of a column whose positions are kept. */
const SHOWN_INVALID_CELLS = 3
/** The frequent values of a column that a report has. */
const SHOWN_VALUES = 12
/** More bytes than any cell has: a small integer, as Infinity would be slow to compare. */
const MOST_BYTES = 2 ** 31 - 1

export class ColumnProfiler {
  readonly #column: BoundColumn
  readonly #at: number
  readonly #notNull: boolean
  readonly #kinds: KindFinder | undefined
  readonly #values: RangeOfValues
  readonly #distinct = new DistinctSketch()
  readonly #frequent = new FrequentValues()
  #empty = 0
  #filled = 0
  #invalid = 0
  readonly #invalidCells: InvalidCell[] = []
  #minBytes = MOST_BYTES
  #maxBytes = 0
  #totalBytes = 0
  /** Bytes of the current batch, apart from the total, so that it is a small integer. */
  #batchBytes = 0
  #cells: ProfiledCells | undefined
  /** True where no cell of the current batch is a bad one; undefined until a cell needs to know. */
  #areGood: boolean | undefined

  /**
   * @param at the index of the column in the file
   * @param notNull true where an empty cell is a bad one
   * @param kinds sees each text of the column at least once, where it has to decide about it
   */
  constructor(column: BoundColumn, at: number, notNull: boolean, kinds?: KindFinder) {
    this.#column = column
    this.#at = at
    this.#notNull = notNull
    this.#kinds = kinds
    this.#values = new RangeOfValues(column.spec)
  }

  /** Takes the cells of the rows that are in view. */
  take(batch: RowBatch, cells: ProfiledCells): void {
    this.#cells = cells
    this.#areGood = undefined
    const { places, view } = cells.texts
    const step = PLACE_WORDS * batch.index.columns
    for (let n = 0, at = PLACE_WORDS * this.#at; n < batch.length; n++, at += step) {
      const start = places[at]!
      const end = places[at + 1]!
      if (start === end) this.#takeEmpty(batch, n)
      else this.#takeText(view, start, end, places[at + 2]!, batch, n)
    }
    this.#totalBytes += this.#batchBytes
    this.#batchBytes = 0
  }

  profile(): ColumnProfile {
    const { name, heading, known, spec } = this.#column
    const frequent = this.#frequent
    const mean = this.#totalBytes / this.#filled
    const bytes = { min: this.#minBytes, max: this.#maxBytes, mean }
    return {
      name,
      heading,
      type: spec.type,
      known,
      empty: this.#empty,
      filled: this.#filled,
      invalid: this.#invalid,
      invalidCells: this.#invalidCells,
      distinct: frequent.isExact
        ? frequent.size
        : Math.min(this.#distinct.estimate(), this.#filled),
      distinctIsExact: frequent.isExact,
      bytes: this.#filled === 0 ? null : bytes,
      range: this.#values.range,
      frequent: frequent.isCounting ? this.#shownValues() : null,
    }
  }

  #shownValues(): ColumnProfile['frequent'] {
    const { isExact, lacking, tooLong } = this.#frequent
    const values = this.#frequent
      .top(SHOWN_VALUES)
      .map(({ bytes, count }) => ({ value: Buffer.from(bytes).toString(), count }))
    return { values, isExact, lacking, tooLong }
  }

  #takeEmpty(batch: RowBatch, n: number): void {
    this.#empty++
    if (!this.#notNull) return
    this.#invalid++
    this.#showInvalid(batch, n, 'the cell is empty, and the column is notNull', '')
  }

  /** Takes the text `bytes[start, end)` of the cell of the n-th row. */
  #takeText(
    bytes: DataView,
    start: number,
    end: number,
    hash: number,
    batch: RowBatch,
    n: number,
  ): void {
    this.#filled++
    this.#batchBytes += end - start
    const frequent = this.#frequent
    const known = frequent.isCounting ? frequent.count(hash, bytes, start, end) : -1
    if (known < 0) this.#takeNew(bytes, start, end, hash, batch, n)
    else if (frequent.validity[known] !== GOOD) this.#takeKnownInvalid(batch, n)
  }

  /** Takes a text that is not counted yet: only such a text can change more than counts. */
  #takeNew(
    bytes: DataView,
    start: number,
    end: number,
    hash: number,
    batch: RowBatch,
    n: number,
  ): void {
    const length = end - start
    if (length < this.#minBytes) this.#minBytes = length
    if (length > this.#maxBytes) this.#maxBytes = length
    this.#distinct.add(hash)
    const kinds = this.#kinds
    if (kinds?.needs(bytes, start, end)) kinds.take(batch, n, this.#at)
    const validity = this.#isGood(batch, n) ? GOOD : BAD
    const frequent = this.#frequent
    if (frequent.isCounting) frequent.add(hash, bytes, start, end, validity, this.#filled)
  }

  /** The error of an invalid cell is made only where it is shown. */
  #takeKnownInvalid(batch: RowBatch, n: number): void {
    if (this.#invalidCells.length === SHOWN_INVALID_CELLS) this.#invalid++
    else this.#readValue(batch, n)
  }

  /** Checks the cell of the n-th row, and all cells of the batch where that is quick. */
  #isGood(batch: RowBatch, n: number): boolean {
    if (this.#areGood === undefined) {
      const extremes = this.#cells!.extremes(this.#at)
      this.#areGood = extremes !== undefined
      for (const row of extremes ?? []) this.#readValue(batch, row)
    }
    return this.#areGood || this.#readValue(batch, n)
  }

  /** Reads the cell of the n-th row for the range. Returns false for a bad one, and counts it. */
  #readValue(batch: RowBatch, n: number): boolean {
    const { slot } = batch.row(n)
    const { cells, projections } = batch
    try {
      this.#values.take(cells.value(slot, this.#at, projections.readers[this.#at]!))
      return true
    } catch (error) {
      if (!isBadCell(error)) throw error
      this.#invalid++
      const { reason, excerpt: shown = cells.text(slot, this.#at) } = error.context
      this.#showInvalid(batch, n, reason, shown)
      return false
    }
  }

  #showInvalid(batch: RowBatch, n: number, reason: string, text: string): void {
    if (this.#invalidCells.length === SHOWN_INVALID_CELLS) return
    const { position } = batch.row(n)
    this.#invalidCells.push({ ...position, reason, excerpt: excerpt(text) })
  }
}
