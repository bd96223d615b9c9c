// The cells of one block of rows: where each begins and ends, and its text. Types and names of
// columns are the row's business.
//
// Rows become text in short runs, byte for byte (latin1), and a cell is a slice of its run: no call
// out of JavaScript for each cell, and what is kept pins the text of a few rows only. Bytes are
// read as UTF-8 only in a cell that has one of 0x80 or above, and only when it is read.

import type { CellSource } from './decode/cell-source'
import { CELL_END, type RowIndex } from './tsv/scanner'

/**
 * Bytes of a run, without what its last row has beyond: few enough to keep, and many enough that
 * making it text costs little for each row.
 */
const RUN_BYTES = 4096
const QUOTE = 0x22
const BACKSLASH = 0x5c
/** The top bits of four bytes: none is set in ASCII. */
const NON_ASCII_BITS = 0x80808080

/** Quoted cells up to this size are unescaped in one shared place. */
const SCRATCH_BYTES = 4096
const scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES)

/** How a column is read: the decoder of its type in decode/cell-decoders.ts. */
export interface ColumnReader {
  readonly isText: boolean
  readonly empty: unknown
  /** Of a cell's text, which is not empty. */
  decode(text: string): unknown
  /** Of a cell's bytes; undefined where `decode` has to tell. */
  read(source: CellSource, slot: number, start: number, end: number): unknown
}

/** The columns that an object is made of, and the names of their texts in it. */
export interface CutColumns {
  readonly columns: Int32Array
  readonly names: readonly string[]
}

/**
 * Makes an object of the bytes of a row's cells as they stand in `run`, which is the block's text
 * from `runStart` on. The row's first cell begins at `start` of the run and ends at `ends[first]`
 * of the block. Marked cells are put right by `cells.reread`.
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
  /** Of the value that was read last: where an error was thrown, the column that it is of. */
  lastColumn = -1
  readonly #index: RowIndex
  readonly #rows: number
  /** The run that was made text last: the rows that begin in [start, stop). */
  #runStart = 0
  #runStop = 0
  #runText = ''

  constructor(block: Buffer, index: RowIndex, rows: number) {
    this.bytes = block
    this.view = new DataView(block.buffer, block.byteOffset, block.byteLength)
    this.#index = index
    this.#rows = rows
  }

  /** One cell's text, quotes and escapes undone. */
  text(slot: number, column: number): string {
    const start = this.#start(slot, column)
    const marked = this.#index.cellEnds[slot * this.#index.columns + column]!
    if (marked < 0) return this.#markedText(start, marked & CELL_END)
    return start === marked
      ? ''
      : this.#run(slot).slice(start - this.#runStart, marked - this.#runStart)
  }

  /** The same for a cell of the row whose place in the block is known. */
  textBetween(slot: number, start: number, end: number): string {
    if (start === end) return ''
    if (this.#isPlain(slot, start, end))
      return this.#run(slot).slice(start - this.#runStart, end - this.#runStart)
    return this.ownText(start, end)
  }

  /** The text of a cell that is not empty, whatever is in it, sharing memory with nothing. */
  ownText(start: number, end: number): string {
    if (this.bytes[start] !== QUOTE) return this.bytes.toString('utf8', start, end)
    const unescaped = end - start <= scratch.length ? scratch : Buffer.allocUnsafeSlow(end - start)
    const length = unescapeInto(this.bytes, start + 1, end - 1, unescaped)
    return unescaped.toString('utf8', 0, length)
  }

  /** The texts of some columns of a row, in the order of `columns`. */
  texts(slot: number, columns: Int32Array): string[] {
    const texts = new Array<string>(columns.length)
    for (let n = 0; n < columns.length; n++) texts[n] = this.text(slot, columns[n]!)
    return texts
  }

  /**
   * An object of a row's texts, by code that is made for its columns: where whole files are read.
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
   * Puts the texts of some columns' cells into an object that has been given their bytes, where
   * these may be something else.
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
        object[names[n]!] = this.#markedText(this.#start(slot, column), marked & CELL_END)
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
            : this.#markedText(start, end) || reader.empty
      } else {
        this.lastColumn = column
        values[n] = this.#valueBetween(slot, start, end, reader)
      }
    }
    return values
  }

  /** One cell's value. @throws FeedError CELL_INVALID without a position */
  value(slot: number, column: number, reader: ColumnReader): unknown {
    const start = this.#start(slot, column)
    const end = this.#end(slot, column)
    if (start === end) return reader.empty
    return this.#valueBetween(slot, start, end, reader)
  }

  #valueBetween(slot: number, start: number, end: number, reader: ColumnReader): unknown {
    const value = reader.read(this, slot, start, end)
    if (value !== undefined) return value
    const text = this.textBetween(slot, start, end)
    return text === '' ? reader.empty : reader.decode(text)
  }

  /** The text of a cell whose bytes may be something else. */
  #markedText(start: number, end: number): string {
    return start === end ? '' : this.ownText(start, end)
  }

  /** Offset in the block of a cell's first byte. */
  #start(slot: number, column: number): number {
    const { rowStarts, cellEnds, columns } = this.#index
    return column === 0
      ? signed(rowStarts[slot]!)
      : (cellEnds[slot * columns + column - 1]! & CELL_END) + 1
  }

  /** Offset in the block behind a cell's last byte. */
  #end(slot: number, column: number): number {
    return this.#index.cellEnds[slot * this.#index.columns + column]! & CELL_END
  }

  /** Whether the bytes of a cell that is marked are its text for all that. */
  #isPlain(slot: number, start: number, end: number): boolean {
    return (
      this.bytes[start] !== QUOTE &&
      (this.#index.rowFlags[slot] === 0 || !hasNonAscii(this.view, start, end))
    )
  }

  // Makes the run that a row is in. Runs lie on a grid of the block, so that rows share them in
  // whatever order they are read.
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
 * Of an element of a Uint32Array, that it is small: V8 makes floating-point numbers of such
 * elements and of all integers that they meet.
 */
function signed(offset: number): number {
  return offset | 0
}

/**
 * Undoes `\\"` and `\\\\`; a backslash before anything else is kept as written.
 * @returns bytes written to `target`
 */
function unescapeInto(bytes: Uint8Array, start: number, end: number, target: Uint8Array): number {
  let length = 0
  for (let at = start; at < end; at++) {
    const next = bytes[at] === BACKSLASH && at + 1 < end ? bytes[at + 1] : undefined
    if (next === QUOTE || next === BACKSLASH) at++
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
