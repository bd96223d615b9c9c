// Gathers the rows of a batch that has a projection of the file's columns: their cells, and their
// positions in the file. The rows come from several blocks, so that a batch of few columns has many
// rows.

import type { RowPosition } from '../../errors'
import { DOCUMENTED_CELLS } from './dialect'
import { type PlaceOf, rowPosition } from './row-places'
import {
  CELL_END,
  CELL_MARK,
  maxRowsOf,
  newScanSpace,
  ROW_LEFT_OUT,
  type RowIndex,
  rowsInView,
  type ScanSpace,
  type TakenRows,
  takeRows,
} from './scan-space'
import type { TsvScanner } from './tsv-scanner'

const LF = 0x0a

/** The parts of a batch. */
export interface TakenProjectedRows extends TakenRows {
  readonly placeOf: PlaceOf
  readonly rowCount: number
  /** The rows in view; all when absent. */
  readonly selection: Uint32Array | undefined
}

/** The rows of one block. */
export interface BlockOfRows {
  readonly block: Uint8Array
  readonly space: ScanSpace
  /** Position of the first row. */
  readonly place: RowPosition
}

export class ProjectedRows {
  readonly #cells: ProjectedCells
  readonly #space: ScanSpace
  readonly #lines: Float64Array
  readonly #byteOffsets: Float64Array
  readonly #batchBytes: number
  #first: RowPosition = { row: 0, line: 0, byteOffset: 0 }

  constructor(columns: Int32Array, batchBytes: number, delimiter?: number) {
    const maxRows = maxRowsOf(columns.length)
    this.#cells = new ProjectedCells(columns, maxRows, delimiter)
    this.#space = newScanSpace(columns.length, maxRows, this.#cells.ends)
    this.#lines = new Float64Array(this.#space.maxRows)
    this.#byteOffsets = new Float64Array(this.#space.maxRows)
    this.#batchBytes = batchBytes
  }

  get length(): number {
    return this.#space.rows
  }

  /** True once the rows are enough for a batch. */
  get isFull(): boolean {
    return this.#cells.byteLength >= this.#batchBytes
  }

  hasRoomFor(rows: number): boolean {
    return this.#space.rows + rows <= this.#space.maxRows
  }

  /** Adds the rows that follow in the file. The caller has asked `hasRoomFor`. */
  add({ block, space, place }: BlockOfRows, scanner: TsvScanner): void {
    if (this.#space.rows === 0) this.#first = place
    scanner.project(block, space, this.#cells)
    this.#addFlags(space)
    this.#addLines(block, space, place.line)
    this.#addOffsets(space, place.byteOffset)
    this.#space.rows += space.rows
  }

  /** Hides a row: the batch will not show it. */
  leaveOut(slot: number): void {
    this.#space.rowFlags[slot] = ROW_LEFT_OUT
  }

  positionOf(slot: number): RowPosition {
    return this.#places(this.#lines, this.#byteOffsets)(slot)
  }

  #places(lines: Float64Array, byteOffsets: Float64Array): PlaceOf {
    const { row, file } = this.#first
    return slot => rowPosition(row + slot, lines[slot]!, byteOffsets[slot]!, file)
  }

  /** Takes the parts of a batch of all rows, and begins the next one. */
  take(): TakenProjectedRows {
    const { rows } = this.#space
    this.#fillStarts()
    const { bytes, index } = takeRows(this.#space, this.#cells.bytes)
    const selection = rowsInView(this.#space)
    const placeOf = this.#places(this.#lines.slice(0, rows), this.#byteOffsets.slice(0, rows))
    this.#cells.clear()
    this.#space.rows = 0
    return { bytes, index, placeOf, rowCount: rows, selection }
  }

  #fillStarts(): void {
    const { rows, rowStarts, columns, cellEnds } = this.#space
    rowStarts.fill(0, 0, rows)
    if (columns === 0) return
    for (let row = 1; row < rows; row++)
      rowStarts[row] = (cellEnds[row * columns - 1]! & CELL_END) + 1
  }

  #addFlags({ rows, rowFlags }: ScanSpace): void {
    this.#space.rowFlags.set(rowFlags.subarray(0, rows), this.#space.rows)
  }

  #addLines(
    block: Uint8Array,
    { rows, rowStarts, innerLines }: ScanSpace,
    firstLine: number,
  ): void {
    let line = firstLine
    for (let row = 0; row < rows; row++) {
      this.#lines[this.#space.rows + row] = line++
      if (innerLines === 0 || row + 1 === rows) continue
      // The loop counts the line end of the row itself again.
      line--
      for (let at = rowStarts[row]!; at < rowStarts[row + 1]!; at++) if (block[at] === LF) line++
    }
  }

  #addOffsets({ rows, rowStarts }: ScanSpace, before: number): void {
    const shift = before - rowStarts[0]!
    for (let row = 0; row < rows; row++)
      this.#byteOffsets[this.#space.rows + row] = rowStarts[row]! + shift
  }
}

// The cells of the projected columns, one behind the other, as in a file that has no other columns:
// their bytes and ends, for as many cells as a batch may have. A batch copies them, and the next
// batch uses the memory again.

/** Enough for most batches of few columns. */
const FIRST_BYTES = 1 << 17

/** The index of a block's rows. */
export interface BlockRows extends RowIndex {
  readonly rows: number
}

export class ProjectedCells {
  /** Indexes of the columns in the file, distinct, in the order of the cells here. */
  readonly columns: Int32Array
  /** The ends of all cells, as in a RowIndex. */
  readonly ends: Int32Array
  /** The byte between two cells, as in the file. */
  readonly delimiter: number
  #bytes: Uint8Array = new Uint8Array(FIRST_BYTES)
  #byteLength = 0
  #cells = 0

  constructor(columns: Int32Array, maxRows: number, delimiter = DOCUMENTED_CELLS.delimiter) {
    this.columns = columns
    this.delimiter = delimiter
    this.ends = new Int32Array(columns.length * maxRows)
  }

  get byteLength(): number {
    return this.#byteLength
  }

  /** The bytes of all cells, with a delimiter behind each and a line end behind the last of a row. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#byteLength)
  }

  clear(): void {
    this.#byteLength = 0
    this.#cells = 0
  }

  /**
   * Adds cells that a core has projected; their ends count from the first byte of this object.
   */
  add(bytes: Uint8Array, ends: Int32Array): void {
    this.#makeRoom(bytes.length)
    this.#bytes.set(bytes, this.#byteLength)
    this.ends.set(ends, this.#cells)
    this.#byteLength += bytes.length
    this.#cells += ends.length
  }

  /** Projects all rows of a block and adds their cells. */
  addCells(block: Uint8Array, { rows, columns, rowStarts, cellEnds }: BlockRows): void {
    // A row that is left out may be shorter than the delimiters of its empty cells.
    this.#makeRoom(block.length + rows * this.columns.length)
    for (let row = 0; row < rows; row++) {
      for (const column of this.columns) {
        const marked = cellEnds[row * columns + column]!
        const start =
          column === 0 ? rowStarts[row]! : (cellEnds[row * columns + column - 1]! & CELL_END) + 1
        this.#addCell(block, start, marked & CELL_END, marked & CELL_MARK)
      }
      if (this.columns.length > 0) this.#bytes[this.#byteLength - 1] = LF
    }
  }

  #addCell(block: Uint8Array, start: number, end: number, mark: number): void {
    let to = this.#byteLength
    // Most cells are too short for a call of `set`.
    for (let at = start; at < end; at++) this.#bytes[to++] = block[at]!
    this.ends[this.#cells++] = to | mark
    this.#bytes[to++] = this.delimiter
    this.#byteLength = to
  }

  #makeRoom(bytes: number): void {
    const wanted = this.#byteLength + bytes
    if (wanted <= this.#bytes.length) return
    const grown = new Uint8Array(2 * wanted)
    grown.set(this.bytes)
    this.#bytes = grown
  }
}
