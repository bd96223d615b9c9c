// The JSON of rows of any batches, such as those of a state, each of which may have a batch of its
// own: the rows under each header become one batch first.

import type { Columns } from '../../schema/feed-schema'
import { objectWithInvalid } from '../bad-cells'
import { ReusedMemory } from '../memory'
import { bigIntsAsText } from '../projection'
import type { Row } from '../row'
import type { TextBuffer } from '../text-buffer'
import type { BoundHeader } from '../tsv/header'
import { BatchJson } from './batch-json'
import { oneBatch } from './one-batch'

const LINE_END = 0x0a
/** Rows of which each is written on its own where one cannot be written with others. */
const FEW_ROWS = 16

/** Where the line of each row begins, and where it ends with its line end. */
interface LinePlaces {
  readonly starts: Uint32Array
  readonly ends: Uint32Array
}

/** Writes rows, and keeps what it knows of their headers. */
export class RowsJson {
  readonly #tail: string
  readonly #lines: BatchJson
  readonly #memory = new ReusedMemory()

  /** @param tail what stands behind the cells of each row, such as `,"own":null` */
  constructor(tail = '') {
    this.#tail = tail
    this.#lines = new BatchJson(tail)
  }

  /**
   * Writes the JSON of {@link objectWithInvalid} of each row and the tail, with a line end. The lines
   * stand in the order of their headers.
   */
  of(rows: readonly Row<Columns>[], out: TextBuffer): LinePlaces {
    const byHeader = new Map<BoundHeader, number[]>()
    for (const [n, { batch }] of rows.entries()) {
      const others = byHeader.get(batch.header)
      if (others === undefined) byHeader.set(batch.header, [n])
      else others.push(n)
    }
    const places = { starts: new Uint32Array(rows.length), ends: new Uint32Array(rows.length) }
    for (const numbers of byHeader.values()) this.#add(rows, numbers, out, places)
    return places
  }

  #add(
    all: readonly Row<Columns>[],
    numbers: readonly number[],
    out: TextBuffer,
    { starts, ends }: LinePlaces,
  ): void {
    let start = out.length
    const rows = numbers.map(n => all[n]!)
    if (this.#writesTogether(rows, out)) {
      const lines = out.view()
      for (const n of numbers) {
        starts[n] = start
        start = lines.indexOf(LINE_END, start) + 1
        ends[n] = start
      }
    } else if (rows.length > FEW_ROWS) {
      // One row with a bad cell does not make all others slow.
      const half = rows.length >> 1
      this.#add(all, numbers.slice(0, half), out, { starts, ends })
      this.#add(all, numbers.slice(half), out, { starts, ends })
    } else
      for (const n of numbers) {
        starts[n] = out.length
        const json = JSON.stringify(bigIntsAsText(objectWithInvalid(all[n]!)))
        out.text(`${json.slice(0, -1)}${this.#tail}}\n`)
        ends[n] = out.length
      }
  }

  #writesTogether(rows: readonly Row<Columns>[], out: TextBuffer): boolean {
    if (rows.some(({ batch }) => batch.hasDecodedCells)) return false
    this.#memory.clear()
    return this.#lines.write(oneBatch(rows, rows[0]!.batch.header, this.#memory), out)
  }
}
