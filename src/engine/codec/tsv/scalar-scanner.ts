// The scan engine in plain TypeScript: one loop over the bytes of a block, for runtimes without a
// faster engine. It takes rows that are plainly good (see scanner.ts) and stops before any other.
//
//   cell start ──"──▶ inside quotes ──"──▶ after the quote ──TAB/LF──▶ cell start
//       │                 │ \ skips the next byte      └── anything else: stop
//       └──any other──▶ plain cell ──TAB/LF──▶ cell start
//
// Another dialect has another byte than TAB, `""` in place of the `\`, or no quotes.

import { type CellRules, DOCUMENTED_CELLS } from './dialect'
import type { ProjectedCells } from './projected-rows'
import {
  CELL_END,
  CELL_MARK,
  newScanSpace,
  ROW_NON_ASCII,
  type ScanSpace,
  type TsvScanner,
} from './scanner'

const LF = 0x0a
const CR = 0x0d

class ScalarScanner implements TsvScanner {
  readonly name = 'scalar'
  readonly #cells: CellRules

  constructor(cells: CellRules) {
    this.#cells = cells
  }

  newSpace(columns: number): ScanSpace {
    return newScanSpace(columns)
  }

  borrow(): boolean {
    return false
  }

  scan(block: Uint8Array, from: number, to: number, maxRowBytes: number, space: ScanSpace): number {
    let rowStart = from
    while (space.rows < space.maxRows && rowStart < to) {
      const rowTo = Math.min(to, rowStart + maxRowBytes)
      const next = scanRow(block, rowStart, rowTo, space, this.#cells)
      if (next < 0) break
      rowStart = next
    }
    return rowStart
  }

  project(block: Uint8Array, space: ScanSpace, projected: ProjectedCells): void {
    projected.addCells(block, space)
  }

  release(): void {}
}

/** Returns the engine of files that write their cells so; it has no state to release. */
export function scalarScanner(cells: CellRules = DOCUMENTED_CELLS): TsvScanner {
  return new ScalarScanner(cells)
}

/**
 * Takes one row into the space.
 * @returns where the next row begins, or -1 where the row is not plainly good.
 */
function scanRow(
  block: Uint8Array,
  rowStart: number,
  to: number,
  space: ScanSpace,
  { delimiter, quote, escapedBy }: CellRules,
): number {
  const { columns, cellEnds, rows } = space
  const isDoubled = escapedBy === quote
  // Few bytes of a documented file are as small as TAB and LF, so one comparison is enough for
  // most.
  const highest = delimiter > LF ? delimiter : LF
  const base = rows * columns
  let cell = 0
  let seen = 0
  let innerLines = 0
  let at = rowStart
  for (;;) {
    // All bits of the cell's bytes; a quoted cell has bit 7 set, which marks it.
    let bits = 0
    if (at < to && block[at] === quote) {
      bits = 0x80
      for (at++; at < to; at++) {
        const byte = block[at]!
        seen |= byte
        if (byte === quote && !(isDoubled && block[at + 1] === quote)) break
        if (byte === escapedBy) seen |= block[++at] ?? 0
        if (block[at] === LF) innerLines++
      }
      at++
      if (at < to && block[at] === CR && block[at + 1] === LF) {
        if (at + 1 >= to || cell !== columns - 1) return -1
        cellEnds[base + cell] = at | CELL_MARK
        return accept(space, rowStart, seen, innerLines, at + 2)
      }
      if (at < to && block[at] !== delimiter && block[at] !== LF) return -1
    } else {
      for (; at < to; at++) {
        const byte = block[at]!
        if (byte <= highest && (byte === delimiter || byte === LF)) break
        bits |= byte
      }
      seen |= bits
    }
    if (at >= to || cell === columns) return -1
    const mark = bits & 0x80 ? CELL_MARK : 0
    cellEnds[base + cell++] = at | mark
    if (block[at++] === delimiter) {
      if (cell === columns) return -1
      continue
    }
    if (cell !== columns) return -1
    const last = at - 2
    // A plain last cell gives up its CR; a quoted one cannot end in CR here.
    if (
      block[last] === CR &&
      last >= rowStart &&
      (columns === 1 ? last >= rowStart : last > (cellEnds[base + cell - 2]! & CELL_END))
    )
      cellEnds[base + cell - 1] = last | mark
    // An empty line has too few cells in a file of several columns, and one empty cell in others.
    return accept(space, rowStart, seen, innerLines, at)
  }
}

function accept(
  space: ScanSpace,
  rowStart: number,
  seen: number,
  innerLines: number,
  next: number,
): number {
  const row = space.rows++
  space.rowStarts[row] = rowStart
  space.rowFlags[row] = seen & 0x80 ? ROW_NON_ASCII : 0
  space.innerLines += innerLines
  return next
}
