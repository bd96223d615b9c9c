// Profiles one column, a batch of rows at a time. It reads the bytes of the cells where they are
// and makes text only of quoted and of invalid cells. Its memory does not depend on the number of
// rows: 4 KiB of registers and at most 13 KiB of frequent values.

import type { BatchHashes, BoundColumn, RowBatch } from '../../engine/index'
import { CELL_END, cellHash, excerpt, FeedError } from '../../engine/index'
import type { ColumnProfile, InvalidCell, ValueCount } from '../report'
import { DistinctSketch } from './distinct-sketch'
import { BAD, FrequentValues, GOOD } from './frequent-values'
import { type ValueCheck, valueCheck } from './value-check'

/** The invalid cells of a column whose positions are kept. */
const SHOWN_INVALID_CELLS = 3
/** The frequent values of a column that a report has. */
const SHOWN_VALUES = 12
const QUOTE = 0x22
/** More bytes than any cell has: a small integer, as Infinity would be slow to compare. */
const MOST_BYTES = 2 ** 31 - 1
/** Texts of quoted cells up to this size share one buffer. */
const SCRATCH_BYTES = 4096
const scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES)
const scratchView = new DataView(scratch.buffer)

export class ColumnProfiler {
  readonly #column: BoundColumn
  readonly #at: number
  readonly #check: ValueCheck | undefined
  readonly #notNull: boolean
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
  /** 1 for each row of the current batch whose cell is known as good. */
  #plain: Uint8Array | undefined

  /** @param at the index of the column in the file */
  constructor(column: BoundColumn, at: number) {
    const { required: _, notNull, ...spec } = column.spec
    this.#column = { ...column, spec }
    this.#at = at
    this.#check = valueCheck(spec)
    this.#notNull = notNull === true
  }

  /** Takes the cells of the rows that are in view. */
  take(batch: RowBatch, known: BatchHashes): void {
    const { hashes } = known
    const { cells, index, selection, length } = batch
    const { rowStarts, cellEnds, columns } = index
    const { bytes, view, escapedBy } = cells
    const at = this.#at
    this.#plain = this.#column.spec.type === 'aspects' ? known.plainAspects(at) : undefined
    for (let n = 0; n < length; n++) {
      const slot = selection === undefined ? n : selection[n]!
      const cell = slot * columns + at
      const start = at === 0 ? rowStarts[slot]! | 0 : (cellEnds[cell - 1]! & CELL_END) + 1
      const marked = cellEnds[cell]!
      const end = marked & CELL_END
      if (start === end) this.#takeEmpty(batch, slot)
      else if (marked < 0 && escapedBy >= 0 && bytes[start] === QUOTE)
        this.#takeQuoted(batch, slot, start, end)
      else this.#takeText(view, start, end, hashes[cell]!, batch, slot)
    }
    this.#totalBytes += this.#batchBytes
    this.#batchBytes = 0
  }

  profile(): ColumnProfile {
    const { name, heading, known, spec } = this.#column
    const frequent = this.#frequent
    const range = this.#check?.range
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
      bytes:
        this.#filled === 0
          ? null
          : {
              min: this.#minBytes,
              max: this.#maxBytes,
              mean: this.#totalBytes / this.#filled,
            },
      range: range ?? null,
      frequent: frequent.isCounting ? this.#shownValues() : null,
    }
  }

  #shownValues(): ColumnProfile['frequent'] {
    const { isExact, lacking, tooLong } = this.#frequent
    const values = this.#frequent.top(SHOWN_VALUES).map(
      ({ bytes, count }): ValueCount => ({
        value: Buffer.from(bytes).toString('utf8'),
        count,
      }),
    )
    return { values, isExact, lacking, tooLong }
  }

  #takeEmpty(batch: RowBatch, slot: number): void {
    this.#empty++
    if (!this.#notNull) return
    this.#invalid++
    this.#showInvalid(batch, slot, 'the cell is empty, and the column is notNull', '')
  }

  #takeQuoted(batch: RowBatch, slot: number, start: number, end: number): void {
    const text = batch.cells.ownText(start, end)
    if (text === '') {
      this.#takeEmpty(batch, slot)
      return
    }
    // The text has no more bytes than the cell.
    const isSmall = end - start <= SCRATCH_BYTES
    const view = isSmall ? scratchView : viewOf(Buffer.from(text))
    const length = isSmall ? scratch.write(text) : view.byteLength
    this.#takeText(view, 0, length, cellHash(view, 0, length), batch, slot)
  }

  /** Takes the text `bytes[start, end)` of the cell of a row. */
  #takeText(
    bytes: DataView,
    start: number,
    end: number,
    hash: number,
    batch: RowBatch,
    slot: number,
  ): void {
    this.#filled++
    this.#batchBytes += end - start
    const frequent = this.#frequent
    const known = frequent.isCounting ? frequent.count(hash, bytes, start, end) : -1
    if (known < 0) this.#takeNew(bytes, start, end, hash, batch, slot)
    else if (frequent.validity[known] !== GOOD) this.#takeKnownInvalid(batch, slot)
  }

  /** Takes a text that is not counted yet: only such a text can change more than counts. */
  #takeNew(
    bytes: DataView,
    start: number,
    end: number,
    hash: number,
    batch: RowBatch,
    slot: number,
  ): void {
    const length = end - start
    if (length < this.#minBytes) this.#minBytes = length
    if (length > this.#maxBytes) this.#maxBytes = length
    this.#distinct.add(hash)
    const validity = this.#isGood(batch, slot) ? GOOD : BAD
    const frequent = this.#frequent
    if (frequent.isCounting) frequent.add(hash, bytes, start, end, validity, this.#filled)
  }

  /** The error of an invalid cell is made only where it is shown. */
  #takeKnownInvalid(batch: RowBatch, slot: number): void {
    if (this.#invalidCells.length === SHOWN_INVALID_CELLS) this.#invalid++
    else this.#isGood(batch, slot)
  }

  /** Checks the cell of a row, and counts an invalid one. */
  #isGood(batch: RowBatch, slot: number): boolean {
    if (this.#check === undefined || this.#plain?.[slot] === 1) return true
    const { cells } = batch
    const start = cells.cellStart(slot, this.#at)
    const end = cells.cellEnd(slot, this.#at)
    try {
      this.#check.check(cells, slot, start, end)
      return true
    } catch (error) {
      if (!FeedError.is(error) || error.code !== 'CELL_INVALID') throw error
      this.#invalid++
      const text = error.context.excerpt ?? cells.textBetween(slot, start, end)
      this.#showInvalid(batch, slot, error.context.reason, text)
      return false
    }
  }

  #showInvalid(batch: RowBatch, slot: number, reason: string, text: string): void {
    if (this.#invalidCells.length === SHOWN_INVALID_CELLS) return
    this.#invalidCells.push({ ...batch.positionOf(slot), reason, excerpt: excerpt(text) })
  }
}

function viewOf({ buffer, byteOffset, byteLength }: Buffer): DataView {
  return new DataView(buffer, byteOffset, byteLength)
}
