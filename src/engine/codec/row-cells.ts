// The cells of one block of rows: their offsets and texts. row.ts knows the types and names of
// columns.
//
// Short runs of rows become text at once, byte for byte (latin1), and a cell's text is a slice of
// its run. So a cell needs no call out of JavaScript, and a string that a caller keeps pins the
// text of a few rows only. A cell with a byte of 0x80 or above is decoded as UTF-8 when it is read.

import type { CellSource } from './decode/cell-decoder'
import type { TextPrefix } from './text-prefix'
import { type CellRules, DOCUMENTED_CELLS } from './tsv/dialect'
import { CELL_END, type RowIndex } from './tsv/scanner'

/**
 * Bytes of a run, except for the end of its last row: few enough to pin, and enough that one
 * conversion serves many rows.
 */
const RUN_BYTES = 4096
/** The top bits of four bytes, which ASCII does not set. */
const NON_ASCII_BITS = 0x80808080

/** Quoted cells up to this size share one buffer for unescaping. */
const SCRATCH_BYTES = 4096
const scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES)

/** The reader of a column, from the decoders of its type (decode/cell-decoders.ts). */
export interface ColumnReader {
  readonly isText: boolean
  /** The value of an empty cell. A column without empty cells throws CELL_INVALID here. */
  readonly empty: unknown
  /** Decodes the text of a cell that is not empty. */
  decode(text: string): unknown
  /** Decodes the bytes of a cell. It returns undefined where `decode` has to. */
  read(source: CellSource, slot: number, start: number, end: number): unknown
}

/** The columns of an object, and the names of its properties. */
export interface CutColumns {
  readonly columns: Int32Array
  readonly names: readonly string[]
}

/**
 * Makes an object of a row's cells as slices of `run`, which is the block's text from `runStart`
 * on. The row's first cell begins at the offset `start` of the run and ends at the offset
 * `ends[first]` of the block. `cells.reread` corrects marked cells.
 */
export type RowCutter = (
  cells: RowCells,
  slot: number,
  run: string,
  runStart: number,
  ends: Int32Array,
  first: number,
  start: number,
) => Record<string, string>

export class RowCells implements CellSource {
  readonly bytes: Buffer
  readonly view: DataView
  readonly escapedBy: number
  readonly #quote: number
  readonly #index: RowIndex
  readonly #rows: number
  /** The latest run: the rows that begin in [start, stop). */
  #runStart = 0
  #runStop = 0
  #runText = ''

  constructor(
    block: Buffer,
    index: RowIndex,
    rows: number,
    { quote, escapedBy }: CellRules = DOCUMENTED_CELLS,
  ) {
    this.escapedBy = escapedBy
    this.#quote = quote
    this.bytes = block
    this.view = new DataView(block.buffer, block.byteOffset, block.byteLength)
    this.#index = index
    this.#rows = rows
  }

  /** One cell's text without quotes and escapes. */
  text(slot: number, column: number): string {
    const start = this.cellStart(slot, column)
    const marked = this.#index.cellEnds[slot * this.#index.columns + column]!
    if (marked < 0) return this.ownText(start, marked & CELL_END)
    return start === marked
      ? ''
      : this.#run(slot).slice(start - this.#runStart, marked - this.#runStart)
  }

  /** The text of a cell of a row whose offset in the block is known. */
  textBetween(slot: number, start: number, end: number): string {
    if (start < end && this.#isPlain(slot, start, end))
      return this.#run(slot).slice(start - this.#runStart, end - this.#runStart)
    return this.ownText(start, end)
  }

  /** The text of a cell, behind a prefix, as a string that shares no memory. */
  prefixedText(start: number, end: number, prefix: TextPrefix): string {
    return this.bytes[start] === this.#quote && start < end
      ? prefix.text + this.ownText(start, end)
      : prefix.withText(this.bytes, start, end)
  }

  /** The text of a cell as a string that shares no memory. */
  ownText(start: number, end: number): string {
    if (start === end) return ''
    if (this.bytes[start] !== this.#quote) return this.bytes.toString('utf8', start, end)
    const unescaped = end - start <= scratch.length ? scratch : Buffer.allocUnsafeSlow(end - start)
    const length = unescapeInto(
      this.bytes,
      start + 1,
      end - 1,
      this.#quote,
      this.escapedBy,
      unescaped,
    )
    return unescaped.toString('utf8', 0, length)
  }

  /** The texts of some columns of a row, in the order of `columns`. */
  texts(slot: number, columns: Int32Array): string[] {
    const texts = new Array<string>(columns.length)
    for (let n = 0; n < columns.length; n++) texts[n] = this.text(slot, columns[n]!)
    return texts
  }

  /**
   * An object of a row's texts, by code that is compiled for its columns.
   */
  cut(slot: number, make: RowCutter): Record<string, string> {
    const { rowStarts, cellEnds, columns } = this.#index
    const run = this.#run(slot)
    const runStart = this.#runStart
    return make(
      this,
      slot,
      run,
      runStart,
      cellEnds,
      slot * columns,
      signed(rowStarts[slot]!) - runStart,
    )
  }

  /**
   * Puts the texts of marked cells into an object, which has their bytes in place of their texts.
   */
  reread(
    object: Record<string, string>,
    slot: number,
    { columns, names }: CutColumns,
    from: number,
    to: number,
  ): void {
    const { cellEnds, columns: width } = this.#index
    for (let n = from; n < to; n++) {
      const column = columns[n]!
      const marked = cellEnds[slot * width + column]!
      if (marked < 0)
        object[names[n]!] = this.ownText(this.cellStart(slot, column), marked & CELL_END)
    }
  }

  /**
   * The values of some columns of a row, in the order of `columns`.
   * @throws FeedError CELL_INVALID without a position
   */
  values(slot: number, columns: Int32Array, readers: readonly ColumnReader[]): unknown[] {
    const { rowStarts, cellEnds, columns: width } = this.#index
    const values = new Array<unknown>(columns.length)
    let run = ''
    let runStart = -1
    const first = slot * width
    for (let n = 0; n < columns.length; n++) {
      const column = columns[n]!
      const start =
        column === 0 ? signed(rowStarts[slot]!) : (cellEnds[first + column - 1]! & CELL_END) + 1
      const marked = cellEnds[first + column]!
      const end = marked & CELL_END
      const reader = readers[column]!
      if (start === end) values[n] = reader.empty
      else if (reader.isText) {
        if (runStart < 0) {
          run = this.#run(slot)
          runStart = this.#runStart
        }
        values[n] =
          marked > 0
            ? run.slice(start - runStart, end - runStart)
            : this.ownText(start, end) || reader.empty
      } else values[n] = this.#valueBetween(slot, start, end, reader)
    }
    return values
  }

  /** One cell's value. @throws FeedError CELL_INVALID without a position */
  value(slot: number, column: number, reader: ColumnReader): unknown {
    const start = this.cellStart(slot, column)
    const end = this.cellEnd(slot, column)
    if (start === end) return reader.empty
    return this.#valueBetween(slot, start, end, reader)
  }

  #valueBetween(slot: number, start: number, end: number, reader: ColumnReader): unknown {
    const value = reader.read(this, slot, start, end)
    if (value !== undefined) return value
    const text = this.textBetween(slot, start, end)
    return text === '' ? reader.empty : reader.decode(text)
  }

  /** Offset in the block of a cell's first byte. */
  cellStart(slot: number, column: number): number {
    const { rowStarts, cellEnds, columns } = this.#index
    return column === 0
      ? signed(rowStarts[slot]!)
      : (cellEnds[slot * columns + column - 1]! & CELL_END) + 1
  }

  /** Offset in the block behind a cell's last byte. */
  cellEnd(slot: number, column: number): number {
    return this.#index.cellEnds[slot * this.#index.columns + column]! & CELL_END
  }

  /** Returns whether the bytes of a marked cell are its text nevertheless. */
  #isPlain(slot: number, start: number, end: number): boolean {
    return (
      this.bytes[start] !== this.#quote &&
      (this.#index.rowFlags[slot] === 0 || !hasNonAscii(this.view, start, end))
    )
  }

  // Makes the run of a row. Runs lie on a grid of the block, so that rows share them in whatever
  // order a caller reads them.
  #run(slot: number): string {
    const { rowStarts, cellEnds, columns } = this.#index
    const start = rowStarts[slot]!
    if (start >= this.#runStart && start < this.#runStop) return this.#runText
    const gridEnd = start - (start % RUN_BYTES) + RUN_BYTES
    let last = slot
    while (last + 1 < this.#rows && rowStarts[last + 1]! < gridEnd) last++
    this.#runStart = gridEnd - RUN_BYTES
    this.#runStop = gridEnd
    return (this.#runText = this.bytes.toString(
      'latin1',
      this.#runStart,
      cellEnds[last * columns + columns - 1]! & CELL_END,
    ))
  }
}

/**
 * Tells V8 that an element of a Uint32Array is small. Otherwise V8 makes it, and every integer that
 * it is combined with, a floating-point number.
 */
function signed(offset: number): number {
  return offset | 0
}

/**
 * Leaves out the byte that escapes a quote or itself, and keeps it before anything else.
 * @returns the number of bytes written to `target`
 */
function unescapeInto(
  bytes: Uint8Array,
  start: number,
  end: number,
  quote: number,
  escapedBy: number,
  target: Uint8Array,
): number {
  let length = 0
  for (let at = start; at < end; at++) {
    const next = bytes[at] === escapedBy && at + 1 < end ? bytes[at + 1] : undefined
    if (next === quote || next === escapedBy) at++
    target[length++] = bytes[at]!
  }
  return length
}

function hasNonAscii(bytes: DataView, start: number, end: number): boolean {
  let seen = 0
  let at = start
  for (; at + 4 <= end; at += 4) seen |= bytes.getInt32(at)
  for (; at < end; at++) seen |= bytes.getInt8(at)
  return (seen & NON_ASCII_BITS) !== 0
}
