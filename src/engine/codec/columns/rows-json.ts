// The JSON of rows of any batches, such as those of a state, each of which may have a batch of its
// own: the rows under each header become one batch first.

import type { Columns } from '../../schema/feed-schema'
import { objectWithInvalid } from '../bad-cells'
import { bigIntsAsText } from '../projection'
import type { Row } from '../row'
import type { TextBuffer } from '../text-buffer'
import type { BoundHeader } from '../tsv/header'
import { BatchJson, type ValuesBehind } from './batch-json'
import { oneBatch } from './one-batch'

const LINE_END = 0x0a
/** Rows of which each is written on its own where one cannot be written with others. */
const FEW_ROWS = 16

export interface RowsJsonOptions {
  readonly behind?: ValuesBehind
  /** Returns the JSON of the `n`th row, which has a bad cell or a column with the name of a value behind. */
  readonly jsonOf?: (n: number) => string
}

/** Writes rows with the same values behind their cells, and keeps what it knows of their headers. */
export class RowsJson {
  readonly #jsonOf: RowsJsonOptions['jsonOf']
  readonly #lines: BatchJson
  /** The rows that are written, and the numbers of those that are written together. */
  #rows: readonly Row<Columns>[] = []
  #numbers: readonly number[] = []

  constructor({ behind, jsonOf }: RowsJsonOptions = {}) {
    this.#jsonOf = jsonOf
    this.#lines = new BatchJson(
      behind && {
        names: behind.names,
        write: (name, at, out) => behind.write(name, this.#numbers[at]!, out),
      },
    )
  }

  /**
   * Returns the JSON of {@link objectWithInvalid} of each row and of the values behind it, with a
   * line end.
   * @param out has the JSON, which stays until it is cut
   */
  of(rows: readonly Row<Columns>[], out: TextBuffer): readonly Uint8Array[] {
    const byHeader = new Map<BoundHeader, number[]>()
    for (const [n, { batch }] of rows.entries()) {
      const others = byHeader.get(batch.header)
      if (others === undefined) byHeader.set(batch.header, [n])
      else others.push(n)
    }
    this.#rows = rows
    const all = new Array<Uint8Array>(rows.length)
    for (const numbers of byHeader.values()) this.#add(numbers, out, all)
    this.#rows = []
    return all
  }

  #add(numbers: readonly number[], out: TextBuffer, all: Uint8Array[]): void {
    const rows = numbers.map(n => this.#rows[n]!)
    this.#numbers = numbers
    let start = out.length
    const hasDecodedCells = rows.some(({ batch }) => batch.hasDecodedCells)
    if (!hasDecodedCells && this.#lines.write(oneBatch(rows, rows[0]!.batch.header), out)) {
      const lines = out.view()
      for (const n of numbers) {
        const end = lines.indexOf(LINE_END, start) + 1
        all[n] = lines.subarray(start, end)
        start = end
      }
    } else if (rows.length > FEW_ROWS) {
      // One row with a bad cell does not make all others slow.
      const half = rows.length >> 1
      this.#add(numbers.slice(0, half), out, all)
      this.#add(numbers.slice(half), out, all)
    } else for (const n of numbers) all[n] = Buffer.from(`${this.#hostJson(n)}\n`)
  }

  #hostJson(n: number): string {
    return this.#jsonOf === undefined
      ? JSON.stringify(bigIntsAsText(objectWithInvalid(this.#rows[n]!)))
      : this.#jsonOf(n)
  }
}
