// The values of plain objects, checked against the columns of a schema and made into what the cells
// of a file are read as: a text is read as the cell is, and so is the text of a number or a truth
// value. Values of `json` and `cell` columns are taken as they are.

import { invalidCell } from '../codec/decode/cell-decoder'
import { decoderOf } from '../codec/decode/cell-decoders'
import { JsonCell } from '../codec/json-cell'
import { show } from '../options'
import type { ColumnSpec } from '../schema/column-spec'
import type { CellType } from '../schema/values'
import { jsonWriter } from './ndjson-sink'
import { withoutJson } from './plain-objects'

type Value = NonNullable<unknown>
/** Returns the value of a cell; undefined where the object is none. */
type ObjectReader = (value: object, spec: ColumnSpec) => unknown

const writeJson = jsonWriter()
const isText = (value: unknown) => typeof value === 'string'
const isTextOrNull = (value: unknown) => value === null || isText(value)
const areTexts = (value: unknown) => Array.isArray(value) && value.every(isText)
const areObjects = (value: unknown, test: (one: Record<string, unknown>) => boolean) =>
  Array.isArray(value) &&
  value.every(one => typeof one === 'object' && one !== null && test(one as never))

/** What is no scalar, by the kind of its column. */
const OBJECTS: { readonly [T in CellType]?: ObjectReader } = {
  text(value) {
    if (value instanceof Date) return validTime(value)?.toISOString()
    return decimalText(value) ?? (withoutJson(value) === undefined ? writeJson(value) : undefined)
  },
  decimal(value, spec) {
    const text = decimalText(value)
    return text === undefined ? undefined : decoderOf(spec).decode(text)
  },
  timestamp: value => (value instanceof Date ? validTime(value) : undefined),
  list(value, { element = TEXT }) {
    return Array.isArray(value)
      ? value.map(one => (one === null ? null : checkedValue(element, one)))
      : undefined
  },
  aspects: value =>
    areObjects(
      value,
      ({ label, name, value }) => isTextOrNull(label) && isText(name) && isTextOrNull(value),
    )
      ? value
      : undefined,
  conditionDescriptors: value =>
    areObjects(value, ({ name, values }) => isText(name) && areTexts(values)) ? value : undefined,
  regions(value) {
    const { countries, regions } = value as Record<string, unknown>
    return areTexts(countries) && areTexts(regions) ? value : undefined
  },
}
const TEXT = { type: 'text' } as ColumnSpec
const validTime = (date: Date) => (Number.isNaN(date.getTime()) ? undefined : date)

/** @throws FeedError CELL_INVALID without a position */
export function checkedValue(spec: ColumnSpec, value: Value): unknown {
  const { type } = spec
  if (type === 'json' || type === 'cell') {
    if (withoutJson(value) === undefined) return value
  } else if (typeof value === 'object') {
    const read = OBJECTS[type]?.(value, spec)
    if (read !== undefined) return read
  } else if (typeof value !== 'function' && typeof value !== 'symbol') {
    return decoderOf(spec).decode(cellText(value))
  }
  const found = withoutJson(value)
  const reason = found === undefined ? 'a value of another kind' : `${found} is no cell`
  throw invalidCell(type, reason, shownValue(value))
}

/** Returns a value as messages show it. */
export function shownValue(value: unknown): string {
  if (typeof value === 'string') return value
  if (value instanceof JsonCell) return value.text
  return (typeof value === 'object' && value !== null && decimalText(value)) || show(value)
}

/** Returns the text of a scalar. `String` leaves the sign of a zero out. */
export function cellText(value: unknown): string {
  return Object.is(value, -0) ? '-0' : String(value)
}

/** Returns the text of a decimal number; undefined for any other object. */
export function decimalText(value: object): string | undefined {
  const { text, toNumber } = value as { readonly text?: unknown; readonly toNumber?: unknown }
  return typeof text === 'string' && typeof toNumber === 'function' ? text : undefined
}
