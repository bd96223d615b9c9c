// An instance of the WebAssembly module src/wasm/cells.ts, with typed calls. One instance serves
// all readers, because none keeps a result beyond a turn of the event loop.

import { COPY_WORD_BYTES } from '../copy-bytes'
import type { RowIndex } from '../tsv/scanner'
import { type WasmConstant, WasmModule, wasmInstance, wasmMemory } from '../wasm-module'
import type { BatchHashes } from './batch-hashes'
import { CELLS_BINARY, CELLS_PAGES } from './cells-binary'

interface Exports {
  readonly BLOCK_BYTES: WasmConstant
  readonly MAX_ROWS: WasmConstant
  readonly MAX_CELLS: WasmConstant
  readonly BLOCK: WasmConstant
  readonly ROW_STARTS: WasmConstant
  readonly CELL_ENDS: WasmConstant
  readonly HASHES: WasmConstant
  readonly PLAIN_ASPECTS: WasmConstant
  hashCells(block: number, rowStarts: number, cellEnds: number, rows: number, columns: number): void
  findPlainAspects(
    block: number,
    rowStarts: number,
    cellEnds: number,
    rows: number,
    columns: number,
    column: number,
  ): void
}

const LINE_END = 0x0a

export class CellsCore implements BatchHashes {
  /** The hash of each cell that is not empty, in the order of the index. */
  readonly hashes: Int32Array
  readonly #plainAspects: Uint8Array
  readonly #exports: Exports
  readonly #memory: Uint8Array
  /** The addresses of the block's offset 0, of the row starts and of the cell ends. */
  #block = 0
  #rowStarts = 0
  #cellEnds = 0
  #rows = 0
  #columns = 0

  /** @throws DEPENDENCY_UNSUPPORTED where WebAssembly is missing */
  constructor() {
    const { compiled } = cellsModule
    const memory = wasmMemory(CELLS_PAGES)
    this.#exports = wasmInstance<Exports>(compiled, memory)
    const { MAX_ROWS, MAX_CELLS, HASHES, PLAIN_ASPECTS } = this.#exports
    this.hashes = new Int32Array(memory.buffer, HASHES.value, MAX_CELLS.value)
    this.#plainAspects = new Uint8Array(memory.buffer, PLAIN_ASPECTS.value, MAX_ROWS.value)
    this.#memory = new Uint8Array(memory.buffer)
  }

  /**
   * Takes a copy of `rows` rows and hashes their cells. Returns false where they are too many or
   * too large.
   * @param bytes the bytes that the index describes, from the start of the first row on
   */
  take(bytes: Uint8Array, index: RowIndex, rows: number): boolean {
    const { BLOCK_BYTES, MAX_ROWS, MAX_CELLS, BLOCK, ROW_STARTS, CELL_ENDS } = this.#exports
    const { rowStarts, cellEnds, columns } = index
    const cells = rows * columns
    if (bytes.length > BLOCK_BYTES.value || rows > MAX_ROWS.value || cells > MAX_CELLS.value)
      return false
    const block = this.#copy(bytes, BLOCK.value)
    // The last cell ends as all others do, and not in what an earlier block has left there.
    this.#memory[block + bytes.length] = LINE_END
    this.#block = block - rowStarts[0]!
    this.#rowStarts = this.#copy(wordsOf(rowStarts, rows), ROW_STARTS.value)
    this.#cellEnds = this.#copy(wordsOf(cellEnds, cells), CELL_ENDS.value)
    this.#rows = rows
    this.#columns = columns
    this.#exports.hashCells(this.#block, this.#rowStarts, this.#cellEnds, rows, columns)
    return true
  }

  /** Returns 1 for each row that was taken last whose aspects cell in a column is plainly good. */
  plainAspects(column: number): Uint8Array {
    this.#exports.findPlainAspects(
      this.#block,
      this.#rowStarts,
      this.#cellEnds,
      this.#rows,
      this.#columns,
      column,
    )
    return this.#plainAspects
  }

  /** Returns the address of the copy, which is aligned like its source: that makes it quick. */
  #copy(bytes: Uint8Array, to: number): number {
    const at = to + (bytes.byteOffset % COPY_WORD_BYTES)
    this.#memory.set(bytes, at)
    return at
  }
}

const cellsModule = /* @__PURE__ */ new WasmModule(CELLS_BINARY)

function wordsOf({ buffer, byteOffset }: Uint32Array | Int32Array, count: number): Uint8Array {
  return new Uint8Array(buffer, byteOffset, 4 * count)
}
