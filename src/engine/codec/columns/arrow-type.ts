// The type of a column in the memory layout of Apache Arrow: which arrays the column has, and what
// their numbers mean. If you add a type, also write it in column-data.ts, and in the writers that
// take columns.

import type { ColumnSpec } from '../../schema/column-spec'

/**
 * The type of a column.
 *
 * | `kind` | `values` of its data |
 * |---|---|
 * | `utf8` | the bytes of all texts; `offsets` has where each begins and the last ends |
 * | `int32`, `int64`, `float64` | an Int32Array, a BigInt64Array, a Float64Array |
 * | `decimal` | two 64-bit words for each number, the lower one first: the number times 10^`scale` |
 * | `boolean` | a bit each, the lowest bit of a byte first |
 * | `date` | an Int32Array of days since 1970-01-01 |
 * | `timestamp` | a BigInt64Array of milliseconds since 1970 in UTC |
 * | `dictionary` | an Int32Array of places in the type's `values` |
 * | `list` | none; `offsets` has where each list begins in the only child |
 * | `struct` | none; a child for each field |
 */
export type ArrowType =
  | { readonly kind: 'utf8' | 'int32' | 'int64' | 'float64' | 'boolean' | 'date' | 'timestamp' }
  | { readonly kind: 'decimal'; readonly scale: number }
  | { readonly kind: 'dictionary'; readonly values: readonly string[] }
  | { readonly kind: 'list'; readonly item: ArrowType }
  | { readonly kind: 'struct'; readonly fields: readonly ArrowField[] }

export interface ArrowField {
  readonly name: string
  readonly type: ArrowType
}

/** Digits behind the point of a decimal column without a `scale`, of 38 in all. */
const DECIMAL_SCALE = 10

const UTF8: ArrowType = { kind: 'utf8' }
const TEXTS: ArrowType = { kind: 'list', item: UTF8 }

/** The kinds of cells that have one type. */
const TYPES = {
  text: UTF8,
  json: UTF8,
  cell: UTF8,
  int32: { kind: 'int32' },
  int64: { kind: 'int64' },
  float64: { kind: 'float64' },
  boolean: { kind: 'boolean' },
  date: { kind: 'date' },
  timestamp: { kind: 'timestamp' },
  aspects: listOf({ label: UTF8, name: UTF8, value: UTF8 }),
  conditionDescriptors: listOf({ name: UTF8, values: TEXTS }),
  regions: structOf({ countries: TEXTS, regions: TEXTS }),
} as const satisfies Partial<Record<ColumnSpec['type'], ArrowType>>

const types = new WeakMap<ColumnSpec, ArrowType>()

/**
 * The type of a schema's column, always the same object. A JSON value is its text. So is what a
 * function of the caller makes, unless the column says what it is (`as`).
 */
export function arrowTypeOf(spec: ColumnSpec): ArrowType {
  let type = types.get(spec)
  if (type === undefined) types.set(spec, (type = newTypeOf(spec)))
  return type
}

function newTypeOf({
  type,
  values = [],
  element,
  as,
  scale = DECIMAL_SCALE,
}: ColumnSpec): ArrowType {
  if (type === 'decimal') return { kind: 'decimal', scale }
  if (type === 'oneOf') return { kind: 'dictionary', values }
  if (type === 'list') return { kind: 'list', item: element ? arrowTypeOf(element) : UTF8 }
  return type === 'cell' && as !== undefined ? arrowTypeOf(as) : TYPES[type]
}

function structOf(fields: Readonly<Record<string, ArrowType>>): ArrowType {
  return { kind: 'struct', fields: Object.entries(fields).map(([name, type]) => ({ name, type })) }
}

function listOf(fields: Readonly<Record<string, ArrowType>>): ArrowType {
  return { kind: 'list', item: structOf(fields) }
}
