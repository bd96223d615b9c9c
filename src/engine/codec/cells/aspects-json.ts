// The aspects cells of a batch as JSON, by the WebAssembly module where it runs and takes the
// batch.

import type { Columns } from '../../schema/feed-schema'
import type { RowBatch } from '../row-batch'
import { cellsCore } from './cells-core'

export class AspectsJson {
  readonly #batch: RowBatch<Columns>
  /** The number of the copy in the core; -1 before the first, undefined where it was refused. */
  #ticket: number | undefined = -1

  constructor(batch: RowBatch<Columns>) {
    this.#batch = batch
  }

  /**
   * Returns the cell from `start` to `end` as `aspectsJson` of the core does; undefined for all
   * cells where WebAssembly is missing or the batch is too large.
   */
  textOf(start: number, end: number, alignment: number): Uint8Array | undefined {
    const core = cellsCore()
    if (core === null || this.#ticket === undefined) return undefined
    if (!core.has(this.#ticket)) {
      const { index } = this.#batch
      this.#ticket = core.takeBytes(this.#batch.bytesOf(), index.rowStarts[0]!)
      if (this.#ticket === undefined) return undefined
    }
    return core.aspectsJson(start, end, alignment)
  }
}
