// The type of a column in the memory layout of Apache Arrow: which arrays the column has, and what
// their numbers mean. If you add a type, also write it in column-data.ts, and in the writers that
// take columns.

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

export const UTF8: ArrowType = { kind: 'utf8' }
export const TEXTS: ArrowType = { kind: 'list', item: UTF8 }

export function structOf(fields: Readonly<Record<string, ArrowType>>): ArrowType {
  return { kind: 'struct', fields: Object.entries(fields).map(([name, type]) => ({ name, type })) }
}

export function listOf(fields: Readonly<Record<string, ArrowType>>): ArrowType {
  return { kind: 'list', item: structOf(fields) }
}
