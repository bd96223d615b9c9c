// Whether a cell's value fits into the arrays of its column. Cells of most kinds always do. A
// decimal may have more digits than its column, and what a function of the caller makes need not be
// of the kind that its column names with `as`.

import { readInstant } from '../instant'
import type { ArrowType } from './arrow-type'
import { unitsOf } from './column-data'

const INT32 = 2 ** 31
const INT64 = 2n ** 63n

/** Returns why a value does not fit, or undefined. Null fits everywhere. */
export function misfit(type: ArrowType, value: unknown): string | undefined {
  if (value === null || value === undefined) return undefined
  if (type.kind === 'decimal') {
    return isDecimalText(String(value)) && unitsOf(String(value), type.scale) !== undefined
      ? undefined
      : `no decimal of 38 digits, ${type.scale} of them behind the point`
  }
  if (type.kind === 'list') {
    if (!Array.isArray(value)) return 'no list'
    return firstOf(value.map(item => misfit(type.item, item)))
  }
  if (type.kind === 'struct') {
    if (typeof value !== 'object') return 'no object'
    const object = value as Readonly<Record<string, unknown>>
    return firstOf(type.fields.map(field => misfit(field.type, object[field.name])))
  }
  return isOf(type, value) ? undefined : `no value of a column of ${type.kind}`
}

function isDecimalText(text: string): boolean {
  return /^-?[0-9]+(?:\.[0-9]+)?$/.test(text)
}

function isOf(type: ArrowType, value: unknown): boolean {
  switch (type.kind) {
    case 'int32':
      return Number.isInteger(value) && (value as number) >= -INT32 && (value as number) < INT32
    case 'int64':
      return typeof value === 'bigint' && value >= -INT64 && value < INT64
    case 'float64':
      return typeof value === 'number'
    case 'boolean':
      return typeof value === 'boolean'
    case 'timestamp':
      return value instanceof Date && !Number.isNaN(value.getTime())
    case 'date':
      return readInstant(`${value}T00:00:00Z`) !== undefined
    case 'dictionary':
      return type.values.includes(String(value))
    default:
      return typeof value === 'string' && value.isWellFormed()
  }
}

function firstOf(reasons: readonly (string | undefined)[]): string | undefined {
  return reasons.find(reason => reason !== undefined)
}
