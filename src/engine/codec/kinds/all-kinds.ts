// The table of the kinds of cells, and what a column has by its kind: its decoder and its type in
// the layout of Arrow. row-cells.ts gives empty cells their empty value, and row-batch.ts adds the
// position to the error of a decoder.

import type { ColumnSpec } from '../../schema/column-spec'
import type { CellType, CellTypes } from '../../schema/values'
import type { ArrowType } from '../columns/arrow-type'
import { aspects } from './aspects'
import { boolean } from './boolean'
import { cell } from './cell'
import { conditionDescriptors } from './condition-descriptors'
import { date } from './date'
import { decimal } from './decimal'
import { float64 } from './float64'
import { int32 } from './int32'
import { int64 } from './int64'
import { json } from './json'
import type { AllKinds, CellDecoder, KindOfCells, OfColumn } from './kind-of-cells'
import { list } from './list'
import { oneOf } from './one-of'
import { regions } from './regions'
import { text } from './text'
import { timestamp } from './timestamp'

export const KINDS: AllKinds['kinds'] = {
  text,
  int32,
  int64,
  decimal,
  float64,
  boolean,
  date,
  timestamp,
  json,
  oneOf,
  list,
  cell,
  aspects,
  conditionDescriptors,
  regions,
} satisfies {
  readonly [T in CellType]: KindOfCells<T extends keyof CellTypes ? CellTypes[T] : unknown>
}

const decoders = new WeakMap<ColumnSpec, CellDecoder>()
const arrowTypes = new WeakMap<ColumnSpec, ArrowType>()

/** Returns the decoder of a column, always the same one. */
export function decoderOf(spec: ColumnSpec): CellDecoder {
  return ofColumn(spec, KINDS[spec.type].decoder, decoders)
}

/**
 * The type of a schema's column, always the same object. A JSON value is its text. So is what a
 * function of the caller makes, unless the column says what it is (`as`).
 */
export function arrowTypeOf(spec: ColumnSpec): ArrowType {
  return ofColumn(spec, KINDS[spec.type].arrow, arrowTypes)
}

const ALL: AllKinds = { kinds: KINDS, decoderOf, arrowTypeOf }

/** @param made what the columns of kinds with parameters have */
function ofColumn<T extends object>(
  spec: ColumnSpec,
  part: OfColumn<T>,
  made: WeakMap<ColumnSpec, T>,
): T {
  if (typeof part !== 'function') return part
  let own = made.get(spec)
  if (own === undefined) made.set(spec, (own = part(spec, ALL)))
  return own
}
