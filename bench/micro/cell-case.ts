// A case over the cells of one column.

import type { MicroCase } from './micro-case'
import { sampleCells } from './sample'

interface CellCodec<T> {
  readonly name: string
  readonly column: string
  decode(cell: string): T
  /** How many entries a decoded cell has. */
  entries(value: T): number
  /** The same, found in the cell's text in another way. */
  entriesInText(cell: string): number
}

export function cellCase<T>({
  name,
  column,
  decode,
  entries,
  entriesInText,
}: CellCodec<T>): MicroCase {
  const cells = sampleCells(column)
  const total = (each: (cell: string) => number) => cells.reduce((sum, cell) => sum + each(cell), 0)
  return {
    name,
    input: `${cells.length} cells`,
    inputBytes: total(cell => cell.length),
    run: () => total(cell => entries(decode(cell))),
    expected: total(entriesInText),
  }
}
