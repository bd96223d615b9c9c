// The types of DuckDB for the columns of a schema, and the conversion of decoded cells into what
// the writers of vectors take. A cell that its type cannot hold exactly does not fit; row-writer.ts
// keeps its text.

import type { ColumnForm, ColumnSpec, Decimal } from '../../engine/index'
import { DECIMAL_DIGITS, UNFIT } from '../../engine/index'
import type { VectorWriter } from './vector-writers'
import {
  Int64Writer,
  Int128Writer,
  ListWriter,
  NumberWriter,
  StructWriter,
  TextWriter,
} from './vector-writers'

export interface ColumnType extends ColumnForm {
  /** Makes a writer of the values that `convert` gives. */
  writer(): VectorWriter
}

const DAY_MS = 86_400_000
const MAX_TIME_MICROS = 2n ** 63n - 1n

const same = (value: unknown) => value
const texts = () => new TextWriter() as VectorWriter

const TEXT: ColumnType = { sql: 'VARCHAR', writer: texts, convert: plainText }
const LIST_OF_TEXTS = () => new ListWriter(texts()) as VectorWriter

const TYPES: { readonly [T in Exclude<ColumnSpec['type'], 'list'>]: ColumnType } = {
  text: TEXT,
  oneOf: TEXT,
  json: TEXT,
  cell: TEXT,
  int32: {
    sql: 'INTEGER',
    writer: () => new NumberWriter(room => new Int32Array(room)) as VectorWriter,
    convert: same,
  },
  int64: { sql: 'BIGINT', writer: () => new Int64Writer() as VectorWriter, convert: same },
  float64: {
    sql: 'DOUBLE',
    writer: () => new NumberWriter(room => new Float64Array(room)) as VectorWriter,
    convert: same,
  },
  boolean: {
    sql: 'BOOLEAN',
    writer: () => new NumberWriter(room => new Uint8Array(room)) as VectorWriter,
    convert: same,
  },
  date: {
    sql: 'DATE',
    writer: () => new NumberWriter(room => new Int32Array(room)) as VectorWriter,
    convert: value => Date.parse(`${value}T00:00:00Z`) / DAY_MS,
  },
  timestamp: {
    sql: 'TIMESTAMP',
    writer: () => new Int64Writer() as VectorWriter,
    convert: value => timeMicros((value as Date).getTime()),
  },
  decimal: decimalType(18, 4, () => new Int64Writer() as VectorWriter),
  aspects: {
    sql: 'STRUCT(label VARCHAR, name VARCHAR, value VARCHAR)[]',
    writer: () =>
      new ListWriter(
        new StructWriter({ label: texts(), name: texts(), value: texts() }),
      ) as VectorWriter,
    convert: same,
  },
  conditionDescriptors: {
    sql: 'STRUCT("name" VARCHAR, "values" VARCHAR[])[]',
    writer: () =>
      new ListWriter(new StructWriter({ name: texts(), values: LIST_OF_TEXTS() })) as VectorWriter,
    convert: same,
  },
  regions: {
    sql: 'STRUCT(countries VARCHAR[], regions VARCHAR[])',
    writer: () =>
      new StructWriter({ countries: LIST_OF_TEXTS(), regions: LIST_OF_TEXTS() }) as VectorWriter,
    convert: same,
  },
}

/** Texts by column name: the cells that have no column of their own. */
export const OTHER_CELLS: ColumnType = {
  sql: 'MAP(VARCHAR, VARCHAR)',
  writer: () => new ListWriter(new StructWriter({ key: texts(), value: texts() })) as VectorWriter,
  convert: same,
}

/** A decimal where no column has the text of one that does not fit. */
export const LONG_DECIMAL = longDecimal(10)

/** @param decimal the type of decimals whose column has no scale */
export function columnTypeOf(
  { type, element, scale }: ColumnSpec,
  decimal: ColumnType = TYPES.decimal,
): ColumnType {
  if (type === 'list') return listOf(element === undefined ? TEXT : columnTypeOf(element, decimal))
  if (type !== 'decimal') return TYPES[type]
  return scale === undefined ? decimal : longDecimal(scale)
}

function longDecimal(scale: number): ColumnType {
  return decimalType(DECIMAL_DIGITS, scale, () => new Int128Writer() as VectorWriter)
}

/**
 * @param digits digits in all
 * @param scale digits behind the point
 */
function decimalType(digits: number, scale: number, writer: () => VectorWriter): ColumnType {
  return {
    sql: `DECIMAL(${digits}, ${scale})`,
    writer,
    convert: value => scaledDecimal((value as Decimal).text, digits, scale),
  }
}

function listOf(item: ColumnType): ColumnType {
  const isText = item === TEXT
  return {
    sql: `${item.sql}[]`,
    writer: () => new ListWriter(item.writer()) as VectorWriter,
    convert(value) {
      if (isText) return value
      const items = (value as readonly unknown[]).map(one =>
        one === null ? null : item.convert(one),
      )
      return items.includes(UNFIT) ? UNFIT : items
    },
  }
}

/** The value of a caller's decoder is text, or written as JSON. */
function plainText(value: unknown): unknown {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? null)
}

function timeMicros(timeMs: number): number | bigint | typeof UNFIT {
  const micros = timeMs * 1_000
  if (Number.isSafeInteger(micros)) return micros
  const exact = BigInt(timeMs) * 1_000n
  return exact < MAX_TIME_MICROS && exact > -MAX_TIME_MICROS ? exact : UNFIT
}

/** Returns a decimal in units of the last digit, or UNFIT where digits would be lost. */
export function scaledDecimal(
  text: string,
  mostDigits: number,
  scale: number,
): number | bigint | typeof UNFIT {
  const point = text.indexOf('.')
  const whole = point < 0 ? text : text.slice(0, point)
  const fraction = point < 0 ? '' : text.slice(point + 1).replace(/(?<!0)0+$/, '')
  if (fraction.length > scale) return UNFIT
  const digits = whole + fraction.padEnd(scale, '0')
  const scaled = Number(digits)
  if (Number.isSafeInteger(scaled)) return scaled
  const exact = BigInt(digits)
  const most = 10n ** BigInt(mostDigits)
  return exact < most && exact > -most ? exact : UNFIT
}
