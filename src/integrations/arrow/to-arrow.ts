// A batch of columns as a record batch of apache-arrow, over the same arrays.

import type { ColumnBatch, ColumnData } from '../../engine/index'
import { ArrowIpc, emptyData, isColumnBatch, optionInvalid } from '../../engine/index'
import { type ArrowApi, type ArrowData, type ArrowRecordBatch, loadArrow } from './arrow-api'

/**
 * Makes a record batch of the package apache-arrow of a batch of columns, without a copy of its
 * arrays. Decimals are Decimal128, timestamps are milliseconds in UTC, `oneOf` is a dictionary that
 * all batches share, lists and structs are nested.
 *
 * Name the type of the package where you need it: `toArrow<RecordBatch>(batch)`.
 * @throws FeedError DEPENDENCY_MISSING without the package `apache-arrow`; OPTION_INVALID for what is
 * no ColumnBatch
 * @example
 * ```ts
 * import { itemSchema, pipeline, TsvColumnParser } from 'feedmill'
 * import { toArrow } from 'feedmill/arrow'
 *
 * const file = [Buffer.from('itemId\tpriceValue\nv1|1|0\t9.90\n')]
 * const batches = pipeline(file).to(new TsvColumnParser({ schema: itemSchema })).batches()
 * for await (const batch of batches) console.log((await toArrow(batch)).numRows)
 * // => 1
 * ```
 */
export async function toArrow<B = ArrowRecordBatch>(batch: ColumnBatch): Promise<B> {
  if (!isColumnBatch(batch)) throw optionInvalid('batch', 'a ColumnBatch', batch)
  const arrow = await loadArrow()
  const { schema, data } = emptyBatchOf(arrow, batch)
  const children = batch.columns.map((column, n) => dataOf(arrow, column.data, data.children[n]!))
  const parts = { type: data.type, length: batch.length, nullCount: 0, children }
  return new arrow.RecordBatch(schema, arrow.makeData(parts)) as B
}

/** By the header of a batch: writers know a dictionary by the object of its type. */
const emptyBatches = new WeakMap<object, ReturnType<typeof newEmptyBatch>>()

/** Returns a batch of these columns that the package has read, so that it has types of the package. */
function emptyBatchOf(arrow: ArrowApi, batch: ColumnBatch) {
  const made = emptyBatches.get(batch.header) ?? newEmptyBatch(arrow, batch)
  emptyBatches.set(batch.header, made)
  return made
}

function newEmptyBatch(arrow: ArrowApi, { columns }: ColumnBatch) {
  const ipc = new ArrowIpc(columns, 'stream')
  const empty = columns.map(({ type }) => emptyData(type, 0))
  const table = arrow.tableFromIPC(Buffer.concat([ipc.start, ipc.batch(0, empty), ipc.end()]))
  return table.batches[0]!
}

function dataOf(arrow: ArrowApi, data: ColumnData, like: ArrowData): ArrowData {
  const { type, length, nullCount, validity, offsets, values } = data
  const children = data.children.map((child, n) => dataOf(arrow, child, like.children[n]!))
  return arrow.makeData({
    type: like.type,
    length,
    nullCount,
    nullBitmap: validity,
    valueOffsets: offsets,
    data: type.kind === 'decimal' ? words32(values as BigInt64Array) : values,
    children,
    child: children[0],
    dictionary: like.dictionary,
  })
}

function words32({ buffer, byteOffset, length }: BigInt64Array): Uint32Array {
  return new Uint32Array(buffer, byteOffset, 2 * length)
}
