// The instance of the WebAssembly module src/engine/wasm/cells.ts, with typed calls. One instance
// serves all readers: none keeps a result beyond a turn of the event loop, and a reader that comes
// back to its block asks whether the instance still has it.

import { COPY_WORD_BYTES } from '../loan'
import type { RowIndex } from '../tsv/scanner'
import {
  bytesOfWords,
  onFirstUse,
  type WasmConstant,
  WasmModule,
  wasmInstance,
  wasmMemory,
} from '../wasm-module'
import { CELLS_BINARY, CELLS_PAGES } from './cells-binary'
import type { BatchHashes } from './hash-batch'

interface Exports {
  readonly BLOCK_BYTES: WasmConstant
  readonly MAX_ROWS: WasmConstant
  readonly MAX_CELLS: WasmConstant
  readonly BLOCK: WasmConstant
  readonly ROW_STARTS: WasmConstant
  readonly CELL_ENDS: WasmConstant
  readonly HASHES: WasmConstant
  readonly PLAIN_ASPECTS: WasmConstant
  readonly TEXT: WasmConstant
  hashCells(block: number, rowStarts: number, cellEnds: number, rows: number, columns: number): void
  findPlainAspects(
    block: number,
    rowStarts: number,
    cellEnds: number,
    rows: number,
    columns: number,
    column: number,
  ): void
  writeAspects(start: number, end: number, shift: number): number
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
  /** The number of the block, which counts on; 0 before the first. */
  #ticket = 0
  #rowStarts = 0
  #cellEnds = 0
  #rows = 0
  #columns = 0

  /** @throws DEPENDENCY_UNSUPPORTED where WebAssembly is missing */
  constructor() {
    const memory = wasmMemory(CELLS_PAGES)
    this.#exports = wasmInstance<Exports>(cellsModule.compiledFor(memory), memory)
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
    const { MAX_ROWS, MAX_CELLS, ROW_STARTS, CELL_ENDS } = this.#exports
    const { rowStarts, cellEnds, columns } = index
    const cells = rows * columns
    if (rows > MAX_ROWS.value || cells > MAX_CELLS.value || !this.takeBytes(bytes, rowStarts[0]!))
      return false
    this.#rowStarts = this.#copy(bytesOfWords(rowStarts, rows), ROW_STARTS.value)
    this.#cellEnds = this.#copy(bytesOfWords(cellEnds, cells), CELL_ENDS.value)
    this.#rows = rows
    this.#columns = columns
    this.#exports.hashCells(this.#block, this.#rowStarts, this.#cellEnds, rows, columns)
    return true
  }

  /**
   * Takes a copy of the bytes of rows, without the index. Returns the number of this copy, or
   * undefined where they are too large.
   * @param offset the offset in the block of the first byte
   */
  takeBytes(bytes: Uint8Array, offset: number): number | undefined {
    const { BLOCK_BYTES, BLOCK } = this.#exports
    if (bytes.length > BLOCK_BYTES.value) return undefined
    const block = this.#copy(bytes, BLOCK.value)
    // The last cell ends as all others do, and not in what an earlier block has left there.
    this.#memory[block + bytes.length] = LINE_END
    this.#block = block - offset
    return ++this.#ticket
  }

  /** Returns whether no other bytes were taken since the copy of a number. */
  has(ticket: number): boolean {
    return ticket === this.#ticket
  }

  /**
   * Returns the aspects cell from `start` to `end` as JSON, the text that JSON.stringify makes of
   * its pairs; undefined for a cell without a pair, a bad one, one with a text that JSON escapes,
   * and a huge one. The bytes are valid until the next call.
   * @param alignment offset of the place that the bytes are for, which makes the copy quick
   */
  aspectsJson(start: number, end: number, alignment: number): Uint8Array | undefined {
    const { TEXT } = this.#exports
    const shift = alignment % COPY_WORD_BYTES
    const length = this.#exports.writeAspects(this.#block + start, this.#block + end, shift)
    const at = TEXT.value + shift
    return length === 0 ? undefined : this.#memory.subarray(at, at + length)
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

/** Returns the instance, or null where WebAssembly is missing. */
export const cellsCore = /* @__PURE__ */ onFirstUse(() => new CellsCore())
