// Gaps: bad rows that were left out between the rows of a block. A gap changes the row numbers of
// the rows behind it, but not their offsets.

/** Consecutive rows that were left out. */
export interface RowGap {
  /** How many rows of the block stand before them, at least one. */
  readonly slot: number
  rows: number
  /** Offset in the block of the first of them. */
  readonly from: number
}

/** The gaps behind the first row of a space. */
export class RowGaps {
  /** The gaps, in the order of the rows. */
  list: RowGap[] = []
  /** Rows in all gaps together. */
  rows = 0

  /** Adds rows that were left out behind `slot` rows of the block. */
  add(slot: number, rows: number, from: number): void {
    const last = this.list.at(-1)
    if (last?.slot === slot) last.rows += rows
    else this.list.push({ slot, rows, from })
    this.rows += rows
  }

  clear(): void {
    if (this.rows === 0) return
    this.list = []
    this.rows = 0
  }
}

/** Returns for each of `rows` rows how many rows were left out before it. */
export function leftOutBefore(gaps: readonly RowGap[], rows: number): Uint32Array {
  const counts = new Uint32Array(rows)
  let leftOut = 0
  gaps.forEach((gap, n) => {
    leftOut += gap.rows
    counts.fill(leftOut, gap.slot, gaps[n + 1]?.slot ?? rows)
  })
  return counts
}
