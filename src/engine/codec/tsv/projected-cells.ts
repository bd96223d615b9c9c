// The cells of the projected columns, one behind the other, as in a file that has no other columns:
// their bytes and ends, for as many cells as a batch may have. A batch copies them, and the next
// batch uses the memory again.

import { DOCUMENTED_CELLS } from './dialect'
import { CELL_END, CELL_MARK, type RowIndex } from './scanner'

const LF = 0x0a
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
   * Adds cells that an engine has projected; their ends count from the first byte of this object.
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
    this.#makeRoom(block.length)
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
    // A loop is quicker than a call of `set`, as most cells are short.
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
