// A shape of rows that a generator draws: their file is written as the service writes it.

import type { Shape, ShapeRow } from './shape'
import { tsvBlocks } from './tsv-blocks'

export interface DrawnRows {
  /** The mean size of a row before compression, in bytes, about. */
  readonly bytesPerRow: number
  readonly columns: readonly string[]
  /** The columns whose cells are quoted whether they need it or not. Default: none. */
  readonly quoted?: readonly string[]
  /** So many rows, the same for the same seed. */
  rows(seed: number, count: number): Iterable<ShapeRow>
}

export function rowsShape({ bytesPerRow, columns, quoted = [], rows }: DrawnRows): Shape {
  return {
    itemsPerMb: 1e6 / bytesPerRow,
    columns,
    rows,
    content: (seed, items) => tsvBlocks(columns, rows(seed, items), new Set(quoted)),
  }
}
