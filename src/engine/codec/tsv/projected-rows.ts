// Gathers the rows of a batch that has a projection of the file's columns: their cells, one behind
// the other as in a file that has no other columns, and their positions in the file. The rows come
// from several blocks, so that a batch of few columns has many rows. A batch copies the cells, and
// the next batch uses the memory again. A dialect that changes cells does so while they are copied.

import type { RowPosition } from '../../errors'
import { copyInto } from '../memory'
import { CellEditor } from './cell-editor'
import { DOCUMENTED_CELLS } from './cell-rules'
import type { JsonRows } from './json-lines'
import { consecutivePlaces, type PlaceOf, rowPosition } from './row-places'
import type { ProjectedCells } from './scan-core'
import {
  CELL_END,
  CELL_MARK,
  newScanSpace,
  ROW_LEFT_OUT,
  ROW_NON_ASCII,
  rowsInView,
  type ScanSpace,
  type TakenRows,
  takeRows,
} from './scan-space'
import type { TsvScanner } from './tsv-scanner'

const LF = 0x0a

/** Enough for most batches of few columns. */
const FIRST_BYTES = 1 << 17

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

export class ProjectedRows implements ProjectedCells {
  readonly columns: Int32Array
  readonly delimiter: number
  /** Bytes of the cells, with a delimiter behind each and a line end behind the last of a row. */
  byteLength = 0
  #bytes: Uint8Array = new Uint8Array(FIRST_BYTES)
  readonly #space: ScanSpace
  readonly #lines: Float64Array
  readonly #byteOffsets: Float64Array
  readonly #batchBytes: number
  readonly #editor: CellEditor | undefined
  readonly #json: JsonRows | undefined
  #first: RowPosition = { row: 0, line: 0, byteOffset: 0 }

  /**
   * @param editor changes the cells; without it they are copied as they are
   * @param json has the cells, which are not in the blocks
   */
  constructor(
    columns: Int32Array,
    batchBytes: number,
    delimiter = DOCUMENTED_CELLS.delimiter,
    editor?: CellEditor,
    json?: JsonRows,
  ) {
    this.columns = columns
    this.#editor = editor
    this.#json = json
    this.delimiter = delimiter
    this.#space = newScanSpace(columns.length)
    this.#lines = new Float64Array(this.#space.maxRows)
    this.#byteOffsets = new Float64Array(this.#space.maxRows)
    this.#batchBytes = batchBytes
  }

  get length(): number {
    return this.#space.rows
  }

  /** True once the rows are enough for a batch. */
  get isFull(): boolean {
    return this.byteLength >= this.#batchBytes
  }

  hasRoomFor(rows: number): boolean {
    return this.#space.rows + rows <= this.#space.maxRows
  }

  /** Adds the rows that follow in the file. The caller has asked `hasRoomFor`. */
  add({ block, space, place }: BlockOfRows, scanner: TsvScanner): void {
    const before = this.#space.rows
    const { rows, innerLines } = space
    if (before === 0) this.#first = place
    this.#space.rowFlags.set(space.rowFlags.subarray(0, rows), before)
    if (this.#json !== undefined) this.#writeTexts(rows, this.#json.texts)
    else if (this.#editor !== undefined) this.#editCells(block, space, this.#editor)
    else if (!scanner.project(block, space, this)) this.#addCells(block, space)
    const placeOf = consecutivePlaces(place, { bytes: block, index: space, rows, innerLines })
    for (let row = 0; row < rows; row++) {
      const { line, byteOffset } = placeOf(row)
      this.#lines[before + row] = line
      this.#byteOffsets[before + row] = byteOffset
    }
    this.#space.rows += rows
  }

  addProjected(bytes: Uint8Array, ends: Int32Array): void {
    this.#makeRoom(bytes.length)
    copyInto(this.#bytes, this.byteLength, bytes)
    this.#space.cellEnds.set(ends, this.#space.rows * this.columns.length)
    this.byteLength += bytes.length
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
    const { bytes, index } = takeRows(this.#space, this.#bytes.subarray(0, this.byteLength))
    const selection = rowsInView(this.#space)
    const placeOf = this.#places(this.#lines.slice(0, rows), this.#byteOffsets.slice(0, rows))
    this.byteLength = 0
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

  /** Adds the cells of rows that no core has. */
  #addCells(block: Uint8Array, { rows, columns, rowStarts, cellEnds }: ScanSpace): void {
    // A row that is left out may be shorter than the delimiters of its empty cells.
    this.#makeRoom(block.length + rows * this.columns.length)
    let to = this.byteLength
    let cell = this.#space.rows * this.columns.length
    for (let row = 0; row < rows; row++) {
      const first = row * columns
      for (const column of this.columns) {
        const marked = cellEnds[first + column]!
        const end = marked & CELL_END
        let at = column === 0 ? rowStarts[row]! : (cellEnds[first + column - 1]! & CELL_END) + 1
        while (at < end) this.#bytes[to++] = block[at++]!
        this.#space.cellEnds[cell++] = to | (marked & CELL_MARK)
        this.#bytes[to++] = this.delimiter
      }
      if (this.columns.length > 0) this.#bytes[to - 1] = LF
    }
    this.byteLength = to
  }

  /** The same, as the editor changes the cells. */
  #editCells(
    { buffer, byteOffset, length }: Uint8Array,
    index: ScanSpace,
    editor: CellEditor,
  ): void {
    const block = Buffer.from(buffer, byteOffset, length)
    const width = this.columns.length
    const { rows: before, rowFlags, cellEnds } = this.#space
    this.#makeRoom(CellEditor.mostBytes(length, index.rows * (width + 1)))
    let to = this.byteLength
    for (let row = 0; row < index.rows; row++) {
      if (rowFlags[before + row] !== ROW_LEFT_OUT && editor.leavesOut(block, index, row))
        rowFlags[before + row] = ROW_LEFT_OUT
      for (let n = 0; n < width; n++) {
        const from = to
        to = editor.write(block, ...cellAt(index, row, this.columns[n]!), this.#bytes, from)
        cellEnds[(before + row) * width + n] = to | editor.markOf(this.#bytes, from, to)
        this.#bytes[to++] = n + 1 < width ? this.delimiter : LF
      }
    }
    this.byteLength = to
  }

  /** Adds the cells of rows by their texts. Those of rows that are left out are empty. */
  #writeTexts(rows: number, texts: readonly (readonly string[])[]): void {
    const width = this.columns.length
    const { rows: before, rowFlags, cellEnds } = this.#space
    for (let slot = before; slot < before + rows; slot++)
      for (let n = 0; n < width; n++) {
        const isLeftOut = rowFlags[slot] === ROW_LEFT_OUT
        const text = isLeftOut ? '' : texts[slot - before]![this.columns[n]!]!
        const isQuoted = /^"|[\t\n]|\r$/.test(text)
        const cell = Buffer.from(isQuoted ? `"${text.replace(/["\\]/g, '\\$&')}"` : text)
        this.#makeRoom(cell.length + 1)
        copyInto(this.#bytes, this.byteLength, cell)
        this.byteLength += cell.length
        const isAscii = cell.every(byte => byte < 0x80)
        if (!isAscii) rowFlags[slot] = ROW_NON_ASCII
        cellEnds[slot * width + n] = this.byteLength | (isQuoted || !isAscii ? CELL_MARK : 0)
        this.#bytes[this.byteLength++] = n + 1 < width ? this.delimiter : LF
      }
  }

  #makeRoom(bytes: number): void {
    const wanted = this.byteLength + bytes
    if (wanted <= this.#bytes.length) return
    const grown = new Uint8Array(2 * wanted)
    grown.set(this.#bytes.subarray(0, this.byteLength))
    this.#bytes = grown
  }
}

/** Where a cell begins and ends in its block. One that fills up a short row has no place. */
function cellAt({ columns, rowStarts, cellEnds }: ScanSpace, row: number, column: number) {
  const at = row * columns + column
  const end = cellEnds[at]! & CELL_END
  const start = column === 0 ? rowStarts[row]! : (cellEnds[at - 1]! & CELL_END) + 1
  return [Math.min(start, end), end] as const
}
