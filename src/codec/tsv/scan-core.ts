// One instance of the WebAssembly scan module (src/wasm/scan.ts) over a memory, as typed calls.

import { COPY_WORD_BYTES } from '../copy-bytes'
import { type WasmMemory, WasmModule, wasmInstance, wasmMemory } from '../wasm-module'
import type { KeptCells } from './kept-cells'
import { SCAN_BINARY, SCAN_PAGES } from './scan-binary'
import type { ScanSpace } from './scanner'

interface Exports {
  readonly BLOCK_BYTES: { readonly value: number }
  readonly MAX_ROWS: { readonly value: number }
  readonly MAX_CELLS: { readonly value: number }
  readonly ROW_STARTS: { readonly value: number }
  readonly ROW_FLAGS: { readonly value: number }
  readonly CELL_ENDS: { readonly value: number }
  readonly KEPT_COLUMNS: { readonly value: number }
  readonly MAX_KEPT_COLUMNS: { readonly value: number }
  readonly KEPT_ENDS: { readonly value: number }
  readonly KEPT_BYTES: { readonly value: number }
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
  ): number
  keep(
    block: number,
    index: number,
    rows: number,
    columns: number,
    kept: number,
    bias: number,
  ): number
  rowsFound(): number
  innerLinesFound(): number
  stoppedAtRow(): number
}

/** What a scan of a block came to. */
export interface CoreScan {
  /** Bytes of the rows that were taken. */
  readonly taken: number
  /**
   * The row behind them is not plainly good; otherwise it is cut off, or there is no room for it.
   */
  readonly isStopped: boolean
}

/**
 * Of no consequence: between a block and the index, for the step that is loaded past a block's end.
 */
const GAP_BYTES = 4096

const scanModule = /* @__PURE__ */ new WasmModule(SCAN_BINARY)

export class ScanCore {
  readonly memory: WasmMemory
  /** Most bytes that one scan takes. */
  readonly maxBlockBytes: number
  /** Most columns of which one row fits into the index. */
  readonly maxColumns: number
  readonly #exports: Exports
  /** The memory's start, for copies of blocks; empty in a core over another's memory. */
  readonly #block: Uint8Array
  readonly #index: number
  readonly #maxRows: number
  readonly #rowStarts: Uint32Array
  readonly #rowFlags: Uint8Array
  readonly #cellEnds: Int32Array
  readonly #keptColumns: Int32Array
  readonly #keptEnds: Int32Array
  readonly #keptBytes: Uint8Array
  /** Those in the memory. */
  #columnsThere: Int32Array | undefined

  /**
   * A core with a memory of its own.
   * @throws DEPENDENCY_UNSUPPORTED where WebAssembly or its 128-bit SIMD is missing
   */
  static own(): ScanCore {
    const { compiled } = scanModule
    const memory = wasmMemory(SCAN_PAGES)
    const { BLOCK_BYTES } = wasmInstance<Exports>(compiled, memory)
    return new ScanCore(memory, BLOCK_BYTES.value + GAP_BYTES, BLOCK_BYTES.value + COPY_WORD_BYTES)
  }

  /**
   * @param index where the index goes
   * @param blockBytes of the memory's start that are for blocks
   */
  constructor(memory: WasmMemory, index: number, blockBytes = 0) {
    this.#exports = wasmInstance<Exports>(scanModule.compiled, memory)
    const { BLOCK_BYTES, MAX_ROWS, MAX_CELLS, ROW_STARTS, ROW_FLAGS, CELL_ENDS } = this.#exports
    const { KEPT_COLUMNS, MAX_KEPT_COLUMNS, KEPT_ENDS, KEPT_BYTES } = this.#exports
    this.memory = memory
    this.#block = new Uint8Array(memory.buffer, 0, blockBytes)
    this.maxBlockBytes = BLOCK_BYTES.value
    this.maxColumns = MAX_CELLS.value
    this.#index = index
    this.#maxRows = MAX_ROWS.value
    this.#rowStarts = new Uint32Array(memory.buffer, index + ROW_STARTS.value, MAX_ROWS.value)
    this.#rowFlags = new Uint8Array(memory.buffer, index + ROW_FLAGS.value, MAX_ROWS.value)
    this.#cellEnds = new Int32Array(memory.buffer, index + CELL_ENDS.value, MAX_CELLS.value)
    this.#keptColumns = new Int32Array(
      memory.buffer,
      index + KEPT_COLUMNS.value,
      MAX_KEPT_COLUMNS.value,
    )
    this.#keptEnds = new Int32Array(memory.buffer, index + KEPT_ENDS.value, MAX_CELLS.value)
    this.#keptBytes = new Uint8Array(memory.buffer, index + KEPT_BYTES.value, BLOCK_BYTES.value)
  }

  /** A space that is this core's index. */
  space(columns: number, wanted: number, maxRows: number): ScanSpace {
    const index = { rowStarts: this.#rowStarts, rowFlags: this.#rowFlags, cellEnds: this.#cellEnds }
    return {
      columns,
      wanted,
      maxRows: Math.min(maxRows, this.#maxRows),
      ...index,
      rows: 0,
      innerLines: 0,
    }
  }

  /** Scans a copy of at most `maxBlockBytes`, in a core with a memory of its own. */
  scanCopy(bytes: Uint8Array, bias: number, maxRowBytes: number, space: ScanSpace): CoreScan {
    // Placed as what it is copied from.
    const at = bytes.byteOffset % COPY_WORD_BYTES
    this.#block.set(bytes, at)
    return this.scan(at, bytes.length, bias, maxRowBytes, space)
  }

  /**
   * Scans bytes that lie at `at` of the memory; `bias` is what is added to the offsets. The rows
   * are appended to the space.
   */
  scan(at: number, bytes: number, bias: number, maxRowBytes: number, space: ScanSpace): CoreScan {
    const { columns, wanted } = space
    const isOwn = space.cellEnds === this.#cellEnds
    const maxRows = Math.min(space.maxRows - space.rows, this.#maxRows)
    const taken = this.#exports.scan(
      at,
      bytes,
      bias,
      this.#index,
      isOwn ? space.rows : 0,
      columns,
      wanted,
      maxRows,
      maxRowBytes,
    )
    const rows = this.#exports.rowsFound()
    if (rows > 0 && !isOwn) {
      space.rowStarts.set(this.#rowStarts.subarray(0, rows), space.rows)
      space.rowFlags.set(this.#rowFlags.subarray(0, rows), space.rows)
      space.cellEnds.set(this.#cellEnds.subarray(0, rows * columns), space.rows * columns)
    }
    space.rows += rows
    space.innerLines += this.#exports.innerLinesFound()
    return { taken, isStopped: this.#exports.stoppedAtRow() !== 0 }
  }

  /**
   * Adds the cells of the rows that are in this core's index, of a block that lies at `at`. False
   * where it cannot.
   */
  keep(at: number, blockBytes: number, space: ScanSpace, kept: KeptCells): boolean {
    const { rows, columns } = space
    const ofColumns = kept.columns
    if (
      space.cellEnds !== this.#cellEnds ||
      blockBytes > this.maxBlockBytes ||
      ofColumns.length > this.#keptColumns.length
    )
      return false
    if (this.#columnsThere !== ofColumns) this.#keptColumns.set(ofColumns)
    this.#columnsThere = ofColumns
    const bytes = this.#exports.keep(
      at,
      this.#index,
      rows,
      columns,
      ofColumns.length,
      kept.byteLength,
    )
    kept.add(
      this.#keptBytes.subarray(0, bytes),
      this.#keptEnds.subarray(0, rows * ofColumns.length),
    )
    return true
  }
}
