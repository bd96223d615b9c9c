// The rows of a second table that have the keys of a first one, which are read in step with it in
// place of look-ups.

import type { Columns, Row } from '../../engine/index'
import { compareHeads } from './row-heads'
import type { RunTable, StandingPlace } from './run-table'

export class RowsInStep<C extends Columns> {
  readonly #table: RunTable<C>
  readonly #blocks: AsyncGenerator<readonly StandingPlace[], void, void>
  #block: readonly StandingPlace[] = []
  #at = 0
  #hasEnded = false

  constructor(table: RunTable<C>) {
    this.#table = table
    this.#blocks = table.places()
  }

  /**
   * Returns for each place of the first table the row with its key; null where there is none.
   * @param places in the order of their keys, and behind those of the call before
   */
  async of(places: readonly StandingPlace[]): Promise<readonly (Row<C> | null)[]> {
    const rows = new Array<Row<C> | null>(places.length).fill(null)
    for (let n = 0; n < places.length; ) {
      const next = this.#block[this.#at]
      if (next === undefined) {
        if (this.#hasEnded) break
        await this.#readOn()
        continue
      }
      const { block, n: at } = places[n]!
      const order = compareHeads(next.block.heads, next.n, block.heads, at)
      if (order === 0) rows[n] = this.#table.rowAt(next)
      if (order <= 0) this.#at++
      if (order >= 0) n++
    }
    return rows
  }

  async #readOn(): Promise<void> {
    const { value, done } = await this.#blocks.next()
    this.#hasEnded = done === true
    this.#block = value ?? []
    this.#at = 0
  }
}
