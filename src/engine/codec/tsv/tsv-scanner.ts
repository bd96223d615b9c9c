// The scanner of one parser: a core (scan-core.ts) finds the cells of good rows in its memory, which
// is lent, or has the parser's own blocks. It takes no row where the runtime has no WebAssembly, or
// the block is too large for any core: then the parser reads row by row (read-row.ts).

import type { Loan } from '../loan'
import { onFirstUse, unlessUnsupported } from '../wasm-module'
import { type CellRules, DOCUMENTED_CELLS } from './cell-rules'
import { BLOCK_BYTES, type ProjectedCells, ScanCore } from './scan-core'
import { newScanSpace, type RowIndex, type ScanSpace } from './scan-space'

/** The most free cores that wait for a next parser. Each has about 100 KiB of memory in use. */
const MAX_FREE_CORES = 4
/** The most bytes of a block in the memory of a core. */
const MOST_BLOCK_BYTES = 1 << 24

const freeCores: ScanCore[] = []
/** Cores over lent memories, which the inflate engines own and reuse. */
const lentCores = new WeakMap<ArrayBufferLike, ScanCore>()
const copyingCore = onFirstUse(() => ScanCore.own())

/** The core that makes rows of a block fit: in the memory that it was scanned in, or of a copy. */
export function fittingCore(block: Uint8Array, index: RowIndex): ScanCore | null {
  const lent = lentCores.get(block.buffer)
  return lent?.holds(index) ? lent : copyingCore()
}

export class TsvScanner {
  /** How the file writes its cells. */
  cells: CellRules
  #own: ScanCore | null
  /** The core that scans: of the lent memory, or its own. */
  #core: ScanCore | null

  constructor(cells: CellRules = DOCUMENTED_CELLS) {
    this.cells = cells
    this.#own = freeCores.pop() ?? unlessUnsupported(() => ScanCore.own())
    this.#core = this.#own
  }

  /**
   * Returns the memory of a block of the parser: the scanner's own, which becomes a larger one where
   * that has to be. Then no space is valid.
   */
  memoryFor(bytes: number): Uint8Array {
    if (this.#own !== null && bytes > this.#own.block.length && bytes <= MOST_BLOCK_BYTES) {
      const larger = unlessUnsupported(() => ScanCore.own(bytes)) ?? this.#own
      if (this.#core === this.#own) this.#core = larger
      this.#own = larger
    }
    const block = this.#own?.block
    return block !== undefined && bytes <= block.length
      ? block.subarray(0, bytes)
      : Buffer.allocUnsafeSlow(bytes)
  }

  /** Announces blocks in lent memory; without a loan, blocks that lie elsewhere. */
  borrow(loan: Loan | undefined): void {
    if (loan === undefined) this.#core = this.#own
    else if (this.#core?.memory !== loan.memory) this.#core = lentCore(loan)
  }

  /**
   * Makes the space that `scan` fills. It is valid until the next call or `borrow`.
   * @param wanted how many leading cells of a row need their ends
   */
  newSpace(columns: number, wanted = columns): ScanSpace {
    return this.#core?.space(columns, wanted) ?? newScanSpace(columns)
  }

  /**
   * Appends the good rows of `block[from, to)` to `space`, up to a row that is not plainly good or
   * until the space is full.
   * @returns the offset of the first row that it did not take, or `to`
   */
  scan(block: Uint8Array, from: number, to: number, maxRowBytes: number, space: ScanSpace): number {
    const core = this.#coreOf(block)
    if (core === null) return from
    const at = block.byteOffset + from
    return from + core.scan(at, to - from, from, maxRowBytes, space, this.cells)
  }

  /** The same for a copy of bytes from `from` on, as many as the scanner has room for. */
  scanCopy(bytes: Uint8Array, from: number, space: ScanSpace): number {
    const own = this.#own
    if (own === null || own !== this.#core) return from
    const to = Math.min(bytes.length, from + own.block.length)
    return from + own.scanCopy(bytes.subarray(from, to), from, space, this.cells)
  }

  /**
   * Adds the projected cells of all rows in the space, whose bytes are in this block. Returns false
   * where the memory has no room for the block.
   */
  project(block: Uint8Array, space: ScanSpace, projected: ProjectedCells): boolean {
    const core = this.#coreOf(block)
    if (core === null || block.length > core.maxProjectedBytes) return false
    core.project(block.byteOffset, space, projected)
    return true
  }

  #coreOf({ buffer }: Uint8Array): ScanCore | null {
    return buffer === this.#core?.memory.buffer ? this.#core : null
  }

  /** Frees the memory. The scanner and its spaces are not used afterwards. */
  release(): void {
    const own = this.#own
    if (own?.block.length === BLOCK_BYTES && freeCores.length < MAX_FREE_CORES) freeCores.push(own)
    this.#own = null
    this.#core = null
  }
}

function lentCore({ memory, freeFrom }: Loan): ScanCore {
  let core = lentCores.get(memory.buffer)
  if (core === undefined) lentCores.set(memory.buffer, (core = new ScanCore(memory, freeFrom)))
  return core
}
