// The values of plain objects, checked against the columns of a schema and made into what the cells
// of a file are read as: a text is read as the cell is, and so is the text of a number or a truth
// value. Values of `json` and `cell` columns are taken as they are.

import { JsonCell } from '../codec/json-cell'
import { decoderOf, KINDS } from '../codec/kinds/all-kinds'
import { decimalText } from '../codec/kinds/decimal'
import { invalidCell, type ObjectParts } from '../codec/kinds/kind-of-cells'
import { show } from '../options'
import type { ColumnSpec } from '../schema/column-spec'
import { jsonWriter } from './ndjson-sink'
import { withoutJson } from './plain-objects'

type Value = NonNullable<unknown>
const writeJson = jsonWriter()
const PARTS: ObjectParts = {
  checkedValue,
  jsonOf: value => (withoutJson(value) === undefined ? writeJson(value) : undefined),
}

/** @throws FeedError CELL_INVALID without a position */
export function checkedValue(spec: ColumnSpec, value: Value): unknown {
  const { type } = spec
  if (type === 'json' || type === 'cell') {
    if (withoutJson(value) === undefined) return value
  } else if (typeof value === 'object') {
    const read = KINDS[type].fromObject?.(value, spec, PARTS)
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
