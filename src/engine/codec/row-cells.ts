// The cells of one block of rows: their offsets and texts. row-batch.ts knows the types and names of
// columns.
//
// Short runs of rows become text at once, byte for byte (latin1), and a cell's text is a slice of
// its run. So a cell needs no call out of JavaScript, and a string that a caller keeps pins the
// text of a few rows only. The file is one piece, because all readings share the latest run.
//
// A marked cell has more bytes than its text has characters: two for quotes, one for each escape,
// and one or more for a character past ASCII. So its text fits into its place in the run, behind a
// character whose code is the number of bytes that are too many. Where Latin-1 has no such text or
// code, the code is 0, and a wide text (UTF-16) has the cell in the same way.

import type { CellSource } from './kinds/kind-of-cells'
import { type CellRules, DOCUMENTED_CELLS } from './tsv/cell-rules'
import { type BoundHeader, columnOf } from './tsv/header'
import type { NamePredictor } from './tsv/name-predictor'
import { quotedText } from './tsv/quoted-cell'
import type { ScanCore } from './tsv/scan-core'
import { CELL_END, type RowIndex } from './tsv/scan-space'
import { fittingCore } from './tsv/tsv-scanner'

/**
 * Bytes of a run, except for the end of its last row: few enough to pin, and enough that one
 * conversion serves many rows.
 */
const RUN_BYTES = 4096
/**
 * A reader that goes on so few rows behind the latest run reads all runs, as one does that goes through
 * a batch. For a few rows among thousands it does not pay to make the block fit.
 */
const NEAR_ROWS = 8
/** The top bits of four bytes, which ASCII does not set. */
const NON_ASCII_BITS = 0x80808080

/** The reader of a column, from the decoders of its type (kinds/all-kinds.ts). */
export interface ColumnReader {
  readonly isText: boolean
  /** The value of an empty cell. A column without empty cells throws CELL_INVALID here. */
  readonly empty: unknown
  /** Decodes the text of a cell that is not empty. */
  decode(text: string): unknown
  /** Decodes the bytes of a cell. It returns undefined where `decode` has to. */
  read(source: CellSource, slot: number, start: number, end: number): unknown
}

/**
 * Makes an object of a row's cells as slices of `run`, which is the block's text from `runStart`
 * on. The row's first cell begins at the offset `start` of the run and ends at the offset
 * `ends[first]` of the block. `cells.markedText` has marked cells.
 */
export type RowCutter = (
  cells: RowCells,
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
  readonly #header: BoundHeader
  /** The columns of the header by name, as each cell is looked up. */
  readonly #indexes: NamePredictor
  readonly #quote: number
  readonly #rules: CellRules
  readonly #index: RowIndex
  readonly #rowStarts: Uint32Array
  readonly #cellEnds: Int32Array
  readonly #width: number
  readonly #rows: number
  /** The rows of the latest run: from the first on, up to the one behind the last. */
  #firstInRun = 0
  #behindRun = 0
  #runStart = 0
  #runText = ''
  /** The number of the block among those that the core has made to fit; 0 where it has not. */
  #fit = 0
  /** That core; null where there is none, or none is needed, as for one row. */
  #core: ScanCore | null | undefined
  /** The wide text of the run from an offset on. */
  #wideStart = 0
  #wideText = ''

  constructor(block: Buffer, index: RowIndex, rows: number, header: BoundHeader) {
    const rules = header.cells ?? DOCUMENTED_CELLS
    this.#header = header
    this.#indexes = header.indexes
    this.escapedBy = rules.escapedBy
    this.#quote = rules.quote
    this.#rules = rules
    this.bytes = block
    this.view = new DataView(block.buffer, block.byteOffset, block.byteLength)
    this.#index = index
    this.#rowStarts = index.rowStarts
    this.#cellEnds = index.cellEnds
    this.#width = index.columns
    this.#rows = rows
    if (rows === 1) this.#core = null
  }

  /**
   * The text of the column of this name without quotes and escapes; '' of one that the file lacks.
   * @throws FeedError COLUMN_UNKNOWN
   */
  textOf(slot: number, name: string): string {
    return this.text(slot, this.#indexes.get(name) ?? columnOf(this.#header, name))
  }

  /** One cell's text without quotes and escapes; '' of a column behind those of the file. */
  text(slot: number, column: number): string {
    if (column >= this.#width) return ''
    if (slot < this.#firstInRun || slot >= this.#behindRun) this.#readRun(slot)
    const at = slot * this.#width + column
    const start =
      column === 0 ? signed(this.#rowStarts[slot]!) : (this.#cellEnds[at - 1]! & CELL_END) + 1
    const end = this.#cellEnds[at]!
    return end < 0
      ? this.markedText(start, end & CELL_END)
      : this.#runText.slice(start - this.#runStart, end - this.#runStart)
  }

  /** The text of a marked cell in the latest run. */
  markedText(start: number, end: number): string {
    if (this.#fit === 0) return this.ownText(start, end)
    return (
      fitted(this.#runText, start - this.#runStart, end - this.#runStart) ??
      this.#wideTextOf(start, end) ??
      this.ownText(start, end)
    )
  }

  #wideTextOf(start: number, end: number): string | undefined {
    if (this.#wideText === '') {
      // A later block may have taken the place of this one.
      const core = this.#core
      if (this.#fit !== core?.fits) return undefined
      const base = this.#index.rowStarts[0]!
      this.#wideStart = start
      this.#wideText = core.wideText(start - base, this.#runStart + this.#runText.length - base)
    }
    return fitted(this.#wideText, start - this.#wideStart, end - this.#wideStart)
  }

  /** The text of a cell of a row whose offset in the block is known. */
  textBetween(slot: number, start: number, end: number): string {
    if (start < end && this.#isPlain(slot, start, end))
      return this.#run(slot).slice(start - this.#runStart, end - this.#runStart)
    return this.ownText(start, end)
  }

  /** The same text as a string that shares no memory. */
  ownTextOf(slot: number, column: number): string {
    if (column >= this.#width) return ''
    return this.ownText(this.cellStart(slot, column), this.cellEnd(slot, column))
  }

  /** The text of a cell as a string that shares no memory. */
  ownText(start: number, end: number): string {
    if (start === end) return ''
    if (this.bytes[start] !== this.#quote) return this.bytes.toString('utf8', start, end)
    return quotedText(this.bytes, start, end, this.#quote, this.escapedBy)
  }

  /** The texts of some columns of a row, in the order of `columns`, all of which the file has. */
  texts(slot: number, columns: Int32Array): string[] {
    const { rowStarts, cellEnds, columns: width } = this.#index
    const run = this.#run(slot)
    const runStart = this.#runStart
    const texts = new Array<string>(columns.length)
    const first = slot * width
    for (let n = 0; n < columns.length; n++) {
      const column = columns[n]!
      const start =
        column === 0 ? signed(rowStarts[slot]!) : (cellEnds[first + column - 1]! & CELL_END) + 1
      const end = cellEnds[first + column]!
      if (start === end) texts[n] = ''
      else if (end > 0) texts[n] = run.slice(start - runStart, end - runStart)
      else texts[n] = this.markedText(start, end & CELL_END)
    }
    return texts
  }

  /**
   * An object of a row's texts, by code that is compiled for its columns.
   */
  cut(slot: number, make: RowCutter): Record<string, string> {
    const { rowStarts, cellEnds, columns } = this.#index
    const run = this.#run(slot)
    const runStart = this.#runStart
    return make(this, run, runStart, cellEnds, slot * columns, signed(rowStarts[slot]!) - runStart)
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
      const reader = readers[column]!
      if (reader.isText && runStart < 0) {
        run = this.#run(slot)
        runStart = this.#runStart
      }
      const start =
        column === 0 ? signed(rowStarts[slot]!) : (cellEnds[first + column - 1]! & CELL_END) + 1
      const marked = cellEnds[first + column]!
      const end = marked & CELL_END
      if (start === end) values[n] = reader.empty
      else if (reader.isText)
        values[n] =
          marked > 0
            ? run.slice(start - runStart, end - runStart)
            : this.markedText(start, end) || reader.empty
      else values[n] = this.#valueBetween(slot, start, end, reader)
    }
    return values
  }

  /**
   * One cell's value; the empty one of a column behind those of the file.
   * @throws FeedError CELL_INVALID without a position
   */
  value(slot: number, column: number, reader: ColumnReader): unknown {
    if (column >= this.#width) return reader.empty
    if (reader.isText) return this.text(slot, column) || reader.empty
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

  /** Returns whether a cell that is not empty begins with a quote. */
  isQuoted(start: number): boolean {
    return this.bytes[start] === this.#quote
  }

  /** Offset in the block of a cell's first byte. */
  cellStart(slot: number, column: number): number {
    return column === 0
      ? signed(this.#rowStarts[slot]!)
      : (this.#cellEnds[slot * this.#width + column - 1]! & CELL_END) + 1
  }

  /** Offset in the block behind a cell's last byte. */
  cellEnd(slot: number, column: number): number {
    return this.#cellEnds[slot * this.#width + column]! & CELL_END
  }

  /** Returns whether the bytes of a marked cell are its text nevertheless. */
  #isPlain(slot: number, start: number, end: number): boolean {
    return (
      this.bytes[start] !== this.#quote &&
      (this.#index.rowFlags[slot] === 0 || !hasNonAscii(this.view, start, end))
    )
  }

  #run(slot: number): string {
    if (slot < this.#firstInRun || slot >= this.#behindRun) this.#readRun(slot)
    return this.#runText
  }

  // Makes the run of a row. Runs lie on a grid of the block, so that rows share them in whatever
  // order a caller reads them.
  #readRun(slot: number): void {
    const { rowStarts, cellEnds, columns } = this.#index
    const gridStart = rowStarts[slot]! - (rowStarts[slot]! % RUN_BYTES)
    const gridEnd = gridStart + RUN_BYTES
    let first = slot
    while (first > 0 && rowStarts[first - 1]! >= gridStart) first--
    let behind = slot + 1
    while (behind < this.#rows && rowStarts[behind]! < gridEnd) behind++
    const start = signed(rowStarts[first]!)
    const end = cellEnds[behind * columns - 1]! & CELL_END
    const isNext = slot - this.#behindRun < NEAR_ROWS && slot >= this.#firstInRun
    this.#firstInRun = first
    this.#behindRun = behind
    const base = rowStarts[0]!
    this.#runStart = start
    this.#runText =
      this.#fitted(isNext)?.fittedText(start - base, end - base) ??
      this.bytes.toString('latin1', start, end)
    this.#wideText = ''
  }

  /**
   * The core, which has the block made to fit; null where it has not.
   * @param isWorth false where the block is not made to fit for a single run
   */
  #fitted(isWorth: boolean): ScanCore | null {
    if (this.#core === undefined) this.#core = fittingCore(this.bytes, this.#index)
    const core = this.#core
    if (core === null || this.#fit === core.fits) return core
    this.#fit = isWorth ? core.fit(this.bytes, this.#index, this.#rows, this.#rules) : 0
    if (this.#fit === 0 && isWorth) this.#core = null
    return this.#fit === 0 ? null : core
  }
}

/** Returns the text that was made to fit between two offsets of a text, if there is one. */
function fitted(text: string, start: number, end: number): string | undefined {
  const excess = text.charCodeAt(start)
  return excess > 0 ? text.slice(start + 1, end + 1 - excess) : undefined
}

/**
 * Tells V8 that an element of a Uint32Array is small. Otherwise V8 makes it, and every integer that
 * it is combined with, a floating-point number.
 */
function signed(offset: number): number {
  return offset | 0
}

function hasNonAscii(bytes: DataView, start: number, end: number): boolean {
  let seen = 0
  let at = start
  for (; at + 4 <= end; at += 4) seen |= bytes.getInt32(at)
  for (; at < end; at++) seen |= bytes.getInt8(at)
  return (seen & NON_ASCII_BITS) !== 0
}
