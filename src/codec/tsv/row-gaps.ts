// Bad rows that were left out between the rows of a block. They leave the offsets of the others as
// they are, but not the row numbers.

/** Rows that were left out one after the other. */
export interface RowGap {
  /** How many rows of the block stand before them, at least one. */
  readonly slot: number
  rows: number
  /** Offset in the block of the first of them. */
  readonly from: number
}

/** For each of `rows` rows how many were left out before it. */
export function leftOutBefore(gaps: readonly RowGap[], rows: number): Uint32Array {
  const counts = new Uint32Array(rows)
  let leftOut = 0
  gaps.forEach((gap, n) => {
    leftOut += gap.rows
    counts.fill(leftOut, gap.slot, gaps[n + 1]?.slot ?? rows)
  })
  return counts
}
