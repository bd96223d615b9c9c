// A batch of columns as a record batch of apache-arrow, over the same arrays.

import type { ArrowType, ColumnBatch, ColumnData } from '../../engine/index'
import { isColumnBatch, optionInvalid } from '../../engine/index'
import { type ArrowApi, type ArrowRecordBatch, type ArrowSchema, loadArrow } from './arrow-api'

/** Decimals of Arrow have 38 digits in 128 bits. */
const DECIMAL_DIGITS = 38
const DECIMAL_BITS = 128

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
  return recordBatchOf(await loadArrow(), batch) as B
}

/** Makes a record batch over the arrays of a batch. */
export function recordBatchOf(arrow: ArrowApi, batch: ColumnBatch): ArrowRecordBatch {
  const schema = schemaOf(arrow, batch)
  const children = batch.columns.map(({ data }) => dataOf(arrow, data))
  const type = new arrow.Struct(schema.fields)
  const data = arrow.makeData({ type, length: batch.length, nullCount: 0, children })
  return new arrow.RecordBatch(schema, data)
}

function schemaOf(arrow: ArrowApi, batch: ColumnBatch): ArrowSchema {
  return new arrow.Schema(
    batch.columns.map(({ name, type }) => new arrow.Field(name, typeOf(arrow, type), true)),
  )
}

function dataOf(arrow: ArrowApi, data: ColumnData): unknown {
  const { type, length, nullCount, validity, offsets, values } = data
  const children = data.children.map(child => dataOf(arrow, child))
  return arrow.makeData({
    type: typeOf(arrow, type),
    length,
    nullCount,
    nullBitmap: validity,
    valueOffsets: offsets,
    data: type.kind === 'decimal' ? words32(values as BigInt64Array) : values,
    children,
    child: type.kind === 'list' ? children[0] : undefined,
    dictionary: type.kind === 'dictionary' ? dictionaryOf(arrow, type) : undefined,
  })
}

function words32({ buffer, byteOffset, length }: BigInt64Array): Uint32Array {
  return new Uint32Array(buffer, byteOffset, 2 * length)
}

/** The same type for all batches: writers know a dictionary by the object of its type. */
const types = new WeakMap<ArrowType, unknown>()
const dictionaries = new WeakMap<ArrowType, unknown>()

function typeOf(arrow: ArrowApi, type: ArrowType): unknown {
  let made = types.get(type)
  if (made === undefined) types.set(type, (made = newTypeOf(arrow, type)))
  return made
}

function newTypeOf(arrow: ArrowApi, type: ArrowType): unknown {
  const field = (name: string, of: ArrowType) => new arrow.Field(name, typeOf(arrow, of), true)
  switch (type.kind) {
    case 'utf8':
      return new arrow.Utf8()
    case 'int32':
      return new arrow.Int32()
    case 'int64':
      return new arrow.Int64()
    case 'float64':
      return new arrow.Float64()
    case 'boolean':
      return new arrow.Bool()
    case 'date':
      return new arrow.DateDay()
    case 'timestamp':
      return new arrow.TimestampMillisecond('UTC')
    case 'decimal':
      return new arrow.Decimal(type.scale, DECIMAL_DIGITS, DECIMAL_BITS)
    case 'dictionary':
      return new arrow.Dictionary(new arrow.Utf8(), new arrow.Int32())
    case 'list':
      return new arrow.List(field('item', type.item))
    case 'struct':
      return new arrow.Struct(type.fields.map(({ name, type: of }) => field(name, of)))
  }
}

function dictionaryOf(arrow: ArrowApi, type: ArrowType & { kind: 'dictionary' }): unknown {
  let made = dictionaries.get(type)
  if (made === undefined)
    dictionaries.set(type, (made = arrow.vectorFromArray(type.values, new arrow.Utf8())))
  return made
}
