// Bigints as text in what becomes JSON, which has no form for them.

import type { ColumnSpec } from '../schema/column-spec'

/** Returns whether the values of a column may be bigints or lists of them. */
export function mayHaveBigInts({ type, element }: ColumnSpec): boolean {
  return type === 'int64' || type === 'cell' || (element !== undefined && mayHaveBigInts(element))
}

/** Returns the object, with text in place of bigints and of those in lists. */
export function bigIntsAsText<T extends object>(object: T): { [N in keyof T]: unknown } {
  const changed: { [N in keyof T]: unknown } = { ...object }
  for (const name of Object.keys(object) as (keyof T)[]) changed[name] = asText(object[name])
  return changed
}

function asText(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value)
  return Array.isArray(value) ? value.map(each => asText(each)) : value
}
