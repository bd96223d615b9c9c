// The versions of the rows of a batch, found for all of them at once, as version-order.ts finds that
// of one row. A batch whose dates are not all plainly good has none: each of its rows is read by
// itself, which says what is wrong with it.

import type { Columns } from '../../schema/feed-schema'
import { isNull } from '../columns/column-data'
import { columnsCoreWith } from '../columns/columns-core'
import { planOf } from '../columns/decode-columns'
import type { RowBatch } from '../row-batch'
import { AVAILABILITY_COLUMN, DATE_COLUMN, REMOVED_ITEM, timeOfFile } from './version-order'

export interface BatchVersions {
  /** The time of each row in view, in their order; NaN where neither row nor file has one. */
  readonly timeMs: Float64Array
  /** Tells whether a row of the index removes its item. */
  isRemoval(slot: number): boolean
}

/** Returns undefined where each row has to be asked. */
export function versionsOf(batch: RowBatch<Columns>): BatchVersions | undefined {
  const { header, length, file, cells } = batch
  if (header.leftOut !== undefined || batch.hasDecodedCells) return undefined
  const inFile = (name: string) => {
    const column = header.indexes.get(name)
    return column !== undefined && column < header.columns.length ? column : undefined
  }
  const timeMs = new Float64Array(length).fill(timeOfFile(file) ?? Number.NaN)
  const dates = inFile(DATE_COLUMN)
  if (dates !== undefined && !readTimes(batch, dates, timeMs)) return undefined
  const availability = file.feed === 'item_snapshot' ? inFile(AVAILABILITY_COLUMN) : undefined
  if (availability === undefined) return { timeMs, isRemoval: () => false }
  return {
    timeMs,
    isRemoval(slot) {
      const start = cells.cellStart(slot, availability)
      const end = cells.cellEnd(slot, availability)
      return end - start >= REMOVED_ITEM.length && cells.ownText(start, end) === REMOVED_ITEM
    },
  }
}

/** Reads the dates that are not empty. Returns false where one is not plainly good. */
function readTimes(batch: RowBatch<Columns>, column: number, timeMs: Float64Array): boolean {
  const { kernel, type } = planOf(batch.header)[column]!
  const core = type.kind === 'timestamp' ? columnsCoreWith(batch) : undefined
  const decoded = kernel && core?.decode(kernel, column)
  if (decoded === undefined || decoded.left.length > 0) return false
  const data = core!.end().column(type, decoded.node)
  const dates = data.values as BigInt64Array
  for (let n = 0; n < batch.length; n++) if (!isNull(data, n)) timeMs[n] = Number(dates[n])
  return true
}
