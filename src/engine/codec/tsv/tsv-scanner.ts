// The scan engine of a parser: the one in WebAssembly, that is instances of src/engine/wasm/scan.ts
// (cores) behind the interface of the engines, or scalar-scanner.ts where the runtime lacks it. The
// engine scans a block in place if it lies in lent memory. It copies any other block into its own
// memory in pieces; the scalar engine scans a row that is larger than a piece.

import { FeedError } from '../../errors'
import type { Loan } from '../loan'
import { onFirstUse } from '../wasm-module'
import { type CellRules, DOCUMENTED_CELLS } from './dialect'
import type { ProjectedCells } from './projected-rows'
import { scalarScanner } from './scalar-scanner'
import { ScanCore } from './scan-core'
import { maxRowsOf, newScanSpace, type RowIndex, type ScanSpace, type TsvScanner } from './scanner'

/** `scalar` is the engine in plain TypeScript. */
export type TsvScannerName = 'wasm' | 'scalar'

/**
 * Makes the engine of one parser, whose file writes its cells so.
 * @throws FeedError DEPENDENCY_UNSUPPORTED where `wasm` is named and the runtime does not support it
 */
export function tsvScanner(name?: TsvScannerName, cells: CellRules = DOCUMENTED_CELLS): TsvScanner {
  if (name === undefined) return fastestScanner(cells)
  return name === 'wasm' ? wasmScanner(cells) : scalarScanner(cells)
}

function fastestScanner(cells: CellRules): TsvScanner {
  try {
    return wasmScanner(cells)
  } catch (error) {
    if (FeedError.is(error) && error.code === 'DEPENDENCY_UNSUPPORTED') return scalarScanner(cells)
    throw error
  }
}

/**
 * Size of the first piece behind a row that is not plainly good; each further piece is twice as
 * large. A hostile file has such a row every few bytes.
 */
const MIN_PIECE_BYTES = 512
/** The most free cores that wait for a next parser. Each has about 100 KiB of memory in use. */
const MAX_FREE_CORES = 4

const freeCores: ScanCore[] = []
/** Cores over lent memories, which the inflate engines own and reuse. */
const lentCores = new WeakMap<ArrayBufferLike, ScanCore>()
const copyingCore = onFirstUse(() => ScanCore.own())

/** The core that makes rows of a block fit: in the memory that it was scanned in, or of a copy. */
export function fittingCore(block: Uint8Array, index: RowIndex): ScanCore | null {
  const lent = lentCores.get(block.buffer)
  return lent?.holds(index) ? lent : copyingCore()
}

/**
 * The engine of files that write their cells so.
 * @throws DEPENDENCY_UNSUPPORTED where WebAssembly or its 128-bit SIMD is missing
 */
export function wasmScanner(cells: CellRules = DOCUMENTED_CELLS): TsvScanner {
  return new WasmScanner(freeCores.pop() ?? ScanCore.own(), cells)
}

class WasmScanner implements TsvScanner {
  readonly name = 'wasm'
  #own: ScanCore | undefined
  #lent: ScanCore | undefined
  #pieceBytes: number
  readonly #cells: CellRules

  constructor(core: ScanCore, cells: CellRules) {
    this.#own = core
    this.#cells = cells
    this.#pieceBytes = core.maxBlockBytes
  }

  newSpace(columns: number, wanted = columns): ScanSpace {
    const core = this.#lent ?? this.#own
    return core && columns <= core.maxColumns
      ? core.space(columns, wanted, maxRowsOf(columns))
      : newScanSpace(columns)
  }

  borrow({ memory, freeFrom }: Loan): boolean {
    if (this.#lent?.memory === memory) return true
    let core = lentCores.get(memory.buffer)
    if (!core) lentCores.set(memory.buffer, (core = new ScanCore(memory, freeFrom)))
    this.#lent = core
    return true
  }

  scan(block: Uint8Array, from: number, to: number, maxRowBytes: number, space: ScanSpace): number {
    const core = this.#lent
    if (
      block.buffer === core?.memory.buffer &&
      space.columns <= core.maxColumns &&
      to - from <= core.maxBlockBytes
    ) {
      const at = block.byteOffset + from
      return from + core.scan(at, to - from, from, maxRowBytes, space, this.#cells)
    }
    return this.#scanPieces(block, from, to, maxRowBytes, space)
  }

  project(block: Uint8Array, space: ScanSpace, projected: ProjectedCells): void {
    const core = this.#lent
    if (
      block.buffer === core?.memory.buffer &&
      core.project(block.byteOffset, block.length, space, projected)
    )
      return
    projected.addCells(block, space)
  }

  release(): void {
    if (this.#own && freeCores.length < MAX_FREE_CORES) freeCores.push(this.#own)
    this.#own = undefined
    this.#lent = undefined
  }

  #scanPieces(
    block: Uint8Array,
    from: number,
    to: number,
    maxRowBytes: number,
    space: ScanSpace,
  ): number {
    const core = this.#own
    let rowStart = from
    while (
      core &&
      space.columns <= core.maxColumns &&
      rowStart < to &&
      space.rows < space.maxRows
    ) {
      const bytes = Math.min(to - rowStart, this.#pieceBytes)
      const taken = core.scanCopy(
        block.subarray(rowStart, rowStart + bytes),
        rowStart,
        maxRowBytes,
        space,
        this.#cells,
      )
      this.#pieceBytes = core.isStopped
        ? MIN_PIECE_BYTES
        : Math.min(2 * this.#pieceBytes, core.maxBlockBytes)
      const isAll = rowStart + bytes === to
      rowStart += taken
      if (core.isStopped || isAll) return rowStart
      // The row is larger than the core's memory for blocks.
      if (taken === 0 && bytes === core.maxBlockBytes) break
    }
    space.isCut = false
    return scalarScanner(this.#cells).scan(block, rowStart, to, maxRowBytes, space)
  }
}
