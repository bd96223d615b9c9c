// An instance of the WebAssembly scan module (src/engine/wasm/scan.ts) over a memory, with typed
// calls.

import { copyInto } from '../memory'
import { type WasmMemory, WasmModule, wasmInstance, wasmMemory } from '../wasm-module'
import type { CellRules } from './cell-rules'
import { SCAN_BINARY, SCAN_PAGES } from './scan-binary'
import { CELL_END, maxRowsOf, type RowIndex, type ScanSpace } from './scan-space'

interface Exports {
  readonly INDEX_BYTES: number
  readonly MAX_ROWS: number
  readonly MAX_CELLS: number
  readonly ROW_STARTS: number
  readonly ROW_FLAGS: number
  readonly CELL_ENDS: number
  readonly PROJECTED_COLUMNS: number
  readonly MAX_PROJECTED_COLUMNS: number
  readonly PROJECTED_ENDS: number
  readonly PROJECTED_BYTES: number
  readonly WIDE_TEXT: number
  scan(
    block: number,
    bytes: number,
    bias: number,
    index: number,
    before: number,
    columns: number,
    wanted: number,
    maxRows: number,
    maxRowBytes: number,
    delimiter: number,
    escapedBy: number,
  ): number
  project(
    block: number,
    index: number,
    rows: number,
    columns: number,
    projected: number,
    bias: number,
    delimiter: number,
  ): number
  rowsFound(): number
  innerLinesFound(): number
  stoppedAtRow(): number
  hasMarks(index: number, cells: number): number
  fit(
    block: number,
    bytes: number,
    bias: number,
    index: number,
    rows: number,
    columns: number,
    quote: number,
    escapedBy: number,
  ): number
}

/** Unused bytes between block and index: the last step of a scan loads past the block's end. */
const GAP_BYTES = 4096
/** The bytes that the memory of a core has for blocks, unless it is asked for more. */
export const BLOCK_BYTES = 1 << 18
const PAGE_BYTES = 1 << 16

const scanModule = /* @__PURE__ */ new WasmModule(SCAN_BINARY)

/** What takes the projected cells of rows. */
export interface ProjectedCells {
  /** Indexes of the columns in the file, distinct, in the order of the cells. */
  readonly columns: Int32Array
  /** The byte between two cells. */
  readonly delimiter: number
  /** Bytes of the cells that it has. */
  readonly byteLength: number
  /** Adds cells whose ends count from its first byte. */
  addProjected(bytes: Uint8Array, ends: Int32Array): void
}

export class ScanCore {
  readonly memory: WasmMemory
  /** The most bytes of a block whose rows are projected. */
  readonly maxProjectedBytes: number
  /** The start of the memory, which is for blocks; empty in a core over lent memory. */
  readonly block: Buffer
  readonly #exports: Exports
  /** How often rows were made to fit. The memory holds the last ones. */
  fits = 1
  readonly #fitted: Buffer
  readonly #wide: Buffer
  readonly #index: number
  readonly #rowStarts: Uint32Array
  readonly #rowFlags: Uint8Array
  readonly #cellEnds: Int32Array
  readonly #projectedColumns: Int32Array
  readonly #projectedEnds: Int32Array
  /** The projected columns that the memory holds. */
  #columnsThere: Int32Array | undefined

  /**
   * Makes a core with a memory of its own, for blocks of at least so many bytes and their
   * projections.
   * @throws DEPENDENCY_UNSUPPORTED where WebAssembly or its 128-bit SIMD is missing
   */
  static own(leastBytes = BLOCK_BYTES): ScanCore {
    const pages = Math.ceil(leastBytes / PAGE_BYTES)
    const bytes = pages * PAGE_BYTES
    const memory = wasmMemory(SCAN_PAGES + 2 * (pages - BLOCK_BYTES / PAGE_BYTES))
    return new ScanCore(memory, bytes + GAP_BYTES, bytes)
  }

  /**
   * @param index address of the index
   * @param blockBytes size of the memory's start that is for blocks
   */
  constructor(memory: WasmMemory, index: number, blockBytes = 0) {
    this.#exports = wasmInstance<Exports>(scanModule.compiledFor(memory), memory)
    const { INDEX_BYTES, MAX_ROWS, MAX_CELLS, ROW_STARTS, ROW_FLAGS, CELL_ENDS } = this.#exports
    const { PROJECTED_COLUMNS, MAX_PROJECTED_COLUMNS, PROJECTED_ENDS, PROJECTED_BYTES, WIDE_TEXT } =
      this.#exports
    this.memory = memory
    this.block = Buffer.from(memory.buffer as ArrayBuffer, 0, blockBytes)
    this.maxProjectedBytes = memory.buffer.byteLength - index - INDEX_BYTES
    this.#index = index
    this.#rowStarts = new Uint32Array(memory.buffer, index + ROW_STARTS, MAX_ROWS)
    this.#rowFlags = new Uint8Array(memory.buffer, index + ROW_FLAGS, MAX_ROWS)
    this.#cellEnds = new Int32Array(memory.buffer, index + CELL_ENDS, MAX_CELLS)
    this.#projectedColumns = new Int32Array(
      memory.buffer,
      index + PROJECTED_COLUMNS,
      MAX_PROJECTED_COLUMNS,
    )
    this.#projectedEnds = new Int32Array(memory.buffer, index + PROJECTED_ENDS, MAX_CELLS)
    const buffer = memory.buffer as ArrayBuffer
    this.#fitted = Buffer.from(buffer, index + PROJECTED_BYTES)
    this.#wide = Buffer.from(buffer, index + WIDE_TEXT, 2 * BLOCK_BYTES)
  }

  /** Makes a space that is this core's index. */
  space(columns: number, wanted: number): ScanSpace {
    return {
      columns,
      wanted,
      maxRows: maxRowsOf(columns),
      rowStarts: this.#rowStarts,
      rowFlags: this.#rowFlags,
      cellEnds: this.#cellEnds,
      rows: 0,
      innerLines: 0,
      isCut: false,
    }
  }

  /** Scans a copy of bytes that `block` has room for. */
  scanCopy(bytes: Uint8Array, bias: number, space: ScanSpace, cells: CellRules): number {
    copyInto(this.block, 0, bytes)
    return this.scan(0, bytes.length, bias, bytes.length, space, cells)
  }

  /**
   * Scans the bytes at the address `at`, and appends their rows to this core's space. `bias` is
   * added to all offsets.
   * @returns the bytes of the rows that it took
   */
  scan(
    at: number,
    bytes: number,
    bias: number,
    maxRowBytes: number,
    space: ScanSpace,
    cells: CellRules,
  ): number {
    const { columns, wanted } = space
    const maxRows = space.maxRows - space.rows
    const taken = this.#exports.scan(
      at,
      bytes,
      bias,
      this.#index,
      space.rows,
      columns,
      wanted,
      maxRows,
      maxRowBytes,
      cells.delimiter,
      cells.escapedBy,
    )
    const rows = this.#exports.rowsFound()
    space.rows += rows
    space.innerLines += this.#exports.innerLinesFound()
    space.isCut = rows < maxRows && this.#exports.stoppedAtRow() === 0
    return taken
  }

  /**
   * Adds the projected cells of the rows in this core's index, whose block lies at the address
   * `at`.
   */
  project(at: number, { rows, columns }: ScanSpace, projected: ProjectedCells): void {
    const ofColumns = projected.columns
    if (this.#columnsThere !== ofColumns) this.#projectedColumns.set(ofColumns)
    this.#columnsThere = ofColumns
    const bytes = this.#exports.project(
      at,
      this.#index,
      rows,
      columns,
      ofColumns.length,
      projected.byteLength,
      projected.delimiter,
    )
    projected.addProjected(
      this.#fitted.subarray(0, bytes),
      this.#projectedEnds.subarray(0, rows * ofColumns.length),
    )
  }

  /** Returns whether an index lies in the memory of this core. */
  holds({ cellEnds }: RowIndex): boolean {
    return cellEnds === this.#cellEnds
  }

  /**
   * Makes the marked cells of rows fit, as row-cells.ts says. A cell whose bytes are its text loses
   * its mark. The block and its index lie in the memory of this core, or the core has its own.
   * @returns a number that no other rows of this core have; 0 where there are no marked cells, or
   * too many bytes
   */
  fit(block: Buffer, index: RowIndex, rows: number, { quote, escapedBy }: CellRules): number {
    const { columns, rowStarts, cellEnds } = index
    const cells = rows * columns
    const start = rowStarts[0]!
    const end = cellEnds[cells - 1]! & CELL_END
    if (end - start > BLOCK_BYTES || cells > this.#cellEnds.length) return 0
    if (rows > this.#rowStarts.length) return 0
    const isCopy = !this.holds(index)
    if (isCopy) {
      this.#rowStarts.set(rowStarts.subarray(0, rows))
      this.#cellEnds.set(cellEnds.subarray(0, cells))
    }
    if (!this.#exports.hasMarks(this.#index, cells)) return 0
    if (isCopy) block.copy(this.block, 0, start, end)
    const at = isCopy ? 0 : block.byteOffset + start
    const isUnmarked = this.#exports.fit(
      at,
      end - start,
      start,
      this.#index,
      rows,
      columns,
      quote,
      escapedBy,
    )
    if (isUnmarked && isCopy) cellEnds.set(this.#cellEnds.subarray(0, cells))
    return ++this.fits
  }

  /** The text of the rows that were made to fit last, between two offsets from the first one. */
  fittedText(from: number, to: number): string {
    return this.#fitted.toString('latin1', from, to)
  }

  /** The wide text of the same bytes. */
  wideText(from: number, to: number): string {
    return this.#wide.toString('utf16le', 2 * from, 2 * to)
  }
}
