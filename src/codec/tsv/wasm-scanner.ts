// The WebAssembly scan engine: src/wasm/scan.ts behind the interface of the engines. It owns what goes in and out of the module's
// memory; blocks larger than that are scanned piece by piece, and a row that is larger yet by the plain engine.
// One instance serves every parser of the process: a scan is one synchronous call.

import { WasmModule } from '../wasm-module'
import { scalarScanner } from './scalar-scanner'
import { SCAN_BINARY } from './scan-binary'
import type { ScanSpace, TsvScanner } from './scanner'

interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer }
  readonly BLOCK: { readonly value: number }
  readonly BLOCK_BYTES: { readonly value: number }
  readonly ROW_STARTS: { readonly value: number }
  readonly ROW_FLAGS: { readonly value: number }
  readonly CELL_ENDS: { readonly value: number }
  readonly MAX_ROWS: { readonly value: number }
  scan(bytes: number, bias: number, columns: number, maxRows: number, maxRowBytes: number): number
  rowsFound(): number
  innerLinesFound(): number
  stoppedAtRow(): number
}

/** What is copied in first after a row that is not plainly good: a hostile file has one every few bytes. */
const MIN_PIECE_BYTES = 512

const scanModule = new WasmModule<Exports>(SCAN_BINARY)
let core: ScanCore | undefined

/** @throws DEPENDENCY_UNSUPPORTED where WebAssembly or its 128-bit SIMD is missing */
export function wasmScanner(): TsvScanner {
  core ??= new ScanCore()
  return core
}

class ScanCore implements TsvScanner {
  readonly name = 'wasm'
  readonly #exports = scanModule.instance()
  readonly #block: Uint8Array
  readonly #rowStarts: Uint32Array
  readonly #rowFlags: Uint8Array
  readonly #cellEnds: Uint32Array
  readonly #maxRows: number
  #pieceBytes: number

  constructor() {
    const { memory, BLOCK, BLOCK_BYTES, ROW_STARTS, ROW_FLAGS, CELL_ENDS, MAX_ROWS } = this.#exports
    this.#maxRows = MAX_ROWS.value
    this.#block = new Uint8Array(memory.buffer, BLOCK.value, BLOCK_BYTES.value)
    this.#rowStarts = new Uint32Array(memory.buffer, ROW_STARTS.value, MAX_ROWS.value)
    this.#rowFlags = new Uint8Array(memory.buffer, ROW_FLAGS.value, MAX_ROWS.value)
    this.#cellEnds = new Uint32Array(memory.buffer, CELL_ENDS.value, BLOCK_BYTES.value)
    this.#pieceBytes = BLOCK_BYTES.value
  }

  scan(block: Uint8Array, from: number, to: number, maxRowBytes: number, space: ScanSpace): number {
    const capacity = space.rowStarts.length
    let rowStart = from
    while (rowStart < to && space.rows < capacity) {
      const bytes = Math.min(to - rowStart, this.#pieceBytes)
      const taken = this.#scanPiece(block, rowStart, bytes, maxRowBytes, space)
      const isStopped = this.#exports.stoppedAtRow() !== 0
      this.#pieceBytes = isStopped ? MIN_PIECE_BYTES : this.#block.length
      const isAll = rowStart + bytes === to
      rowStart += taken
      if (isStopped || isAll) break
      // A row that is larger than all of the memory.
      if (taken === 0 && bytes === this.#block.length) return scalarScanner.scan(block, rowStart, to, maxRowBytes, space)
    }
    return rowStart
  }

  /** @returns the bytes of the rows that were taken */
  #scanPiece(block: Uint8Array, from: number, bytes: number, maxRowBytes: number, space: ScanSpace): number {
    this.#block.set(bytes === block.length ? block : block.subarray(from, from + bytes))
    const { columns } = space
    const maxRows = Math.min(space.rowStarts.length - space.rows, this.#maxRows)
    const taken = this.#exports.scan(bytes, from, columns, maxRows, maxRowBytes)
    const rows = this.#exports.rowsFound()
    if (rows === 0) return taken
    space.rowStarts.set(this.#rowStarts.subarray(0, rows), space.rows)
    space.rowFlags.set(this.#rowFlags.subarray(0, rows), space.rows)
    space.cellEnds.set(this.#cellEnds.subarray(0, rows * columns), space.rows * columns)
    space.rows += rows
    space.innerLines += this.#exports.innerLinesFound()
    return taken
  }
}
