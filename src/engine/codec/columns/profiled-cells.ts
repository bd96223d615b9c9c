// The cells of a batch for those who count and check values, by the WebAssembly module where it runs
// and takes the batch, and by plain code elsewhere.

import { KINDS } from '../kinds/all-kinds'
import type { RowBatch } from '../row-batch'
import { onFirstUse } from '../wasm-module'
import { ColumnsCore, columnsCoreWith, type HashedTexts, PLACE_WORDS } from './columns-core'
import { planOf } from './decode-columns'
import { textHash } from './text-hash'

/** The functions of a schema run while cells are profiled, and may have other batches decoded. */
const profilingCore = /* @__PURE__ */ onFirstUse(() => new ColumnsCore())

export class ProfiledCells {
  readonly texts: HashedTexts
  readonly #batch: RowBatch
  readonly #core: ColumnsCore | undefined

  /** The cells are valid until the next batch is profiled. */
  constructor(batch: RowBatch) {
    this.#batch = batch
    this.#core = columnsCoreWith(batch, profilingCore)
    this.texts = this.#core?.hashedTexts(batch) ?? plainTexts(batch)
  }

  /**
   * Returns the rows of the lowest and the highest value of a column, none where the column has no
   * numbers or times; undefined where a cell may be bad, or the module cannot compare the values.
   * @param at the place of the column in the file
   */
  extremes(at: number): readonly number[] | undefined {
    const { kernel, spec } = planOf(this.#batch.header)[at]!
    if (spec.type === 'text') return []
    const { order } = KINDS[spec.type]
    if (order?.isInModule === false) return undefined
    const column = kernel && this.#core?.decode(kernel, at)
    if (column === undefined || column.left.length > 0) return undefined
    return order === undefined ? [] : this.#core!.extremeRows(column.node)
  }
}

function plainTexts(batch: RowBatch): HashedTexts {
  const { cells, index } = batch
  const { columns, cellEnds } = index
  const block = batch.bytesOf()
  // Behind the block come the texts of marked cells, which may have three bytes for one.
  const bytes = Buffer.allocUnsafeSlow(4 * block.length)
  bytes.set(block)
  const view = new DataView(bytes.buffer)
  const places = new Int32Array(PLACE_WORDS * batch.length * columns)
  let room = block.length
  let place = 0
  for (const { slot } of batch)
    for (let at = 0; at < columns; at++, place += PLACE_WORDS) {
      let start = cells.cellStart(slot, at) - index.rowStarts[0]!
      let end = cells.cellEnd(slot, at) - index.rowStarts[0]!
      if (cellEnds[slot * columns + at]! < 0) {
        start = room
        end = room += bytes.write(cells.text(slot, at), room)
      }
      places[place] = start
      places[place + 1] = end
      places[place + 2] = textHash(view, start, end)
    }
  return { places, view }
}
