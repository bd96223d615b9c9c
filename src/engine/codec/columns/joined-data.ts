// Arrays of columns that are made of runs of others, such as those of a column in which the host has
// put values of some rows.

import type { ArrowType } from './arrow-type'
import { bitOf, type ColumnData, isNull, valuesIn } from './column-data'

/** Values of one array, from a number up to another. */
interface Run {
  readonly data: ColumnData
  readonly from: number
  readonly to: number
}

/** Returns a column with other values in some rows, the numbers of which rise. */
export function withRows(
  data: ColumnData,
  rows: readonly number[],
  others: ColumnData,
): ColumnData {
  const runs: Run[] = []
  let from = 0
  for (const [n, row] of rows.entries()) {
    runs.push({ data, from, to: row }, { data: others, from: n, to: n + 1 })
    from = row + 1
  }
  runs.push({ data, from, to: data.length })
  return joined(data.type, runs)
}

/** Makes one array of runs of values, in their order. */
function joined(type: ArrowType, runs: readonly Run[]): ColumnData {
  const length = runs.reduce((sum, { from, to }) => sum + to - from, 0)
  const valid = joinedBits(length, runs, (data, n) => !isNull(data, n))
  const nullCount = length - valid.count
  const common = { type, length, nullCount, validity: nullCount === 0 ? undefined : valid.bits }
  if (type.kind === 'struct') {
    const children = type.fields.map((field, n) =>
      joined(
        field.type,
        runs.map(run => ({ ...run, data: run.data.children[n]! })),
      ),
    )
    return { ...common, offsets: undefined, values: undefined, children }
  }
  if (type.kind === 'boolean') {
    const { bits } = joinedBits(length, runs, ({ values }, n) => bitOf(values as Uint8Array, n))
    return { ...common, offsets: undefined, values: bits, children: [] }
  }
  if (type.kind !== 'list' && type.kind !== 'utf8') {
    const width = type.kind === 'decimal' ? 2 : 1
    const parts = runs.map(({ data, from, to }) =>
      (data.values as Int32Array).subarray(width * from, width * to),
    )
    return {
      ...common,
      offsets: undefined,
      values: joinedValues(type, length, parts),
      children: [],
    }
  }
  const offsets = new Int32Array(length + 1)
  let at = 0
  for (const { data, from, to } of runs)
    for (let n = from; n < to; n++, at++)
      offsets[at + 1] = offsets[at]! + data.offsets![n + 1]! - data.offsets![n]!
  const inside = runs.map(({ data, from, to }) => ({
    data,
    from: data.offsets![from]!,
    to: data.offsets![to]!,
  }))
  if (type.kind === 'list') {
    const items = inside.map(run => ({ ...run, data: run.data.children[0]! }))
    return { ...common, offsets, values: undefined, children: [joined(type.item, items)] }
  }
  const texts = inside.map(({ data, from, to }) => (data.values as Uint8Array).subarray(from, to))
  return { ...common, offsets, values: new Uint8Array(Buffer.concat(texts)), children: [] }
}

function joinedValues(
  type: ArrowType,
  length: number,
  parts: readonly Int32Array[],
): NonNullable<ColumnData['values']> {
  const values = valuesIn(type, new ArrayBuffer(16 * length), 0, length) as Int32Array
  let at = 0
  for (const part of parts) {
    values.set(part, at)
    at += part.length
  }
  return values
}

function joinedBits(
  length: number,
  runs: readonly Run[],
  isSet: (data: ColumnData, n: number) => boolean,
): { readonly bits: Uint8Array; readonly count: number } {
  const bits = new Uint8Array(Math.ceil(length / 8))
  let count = 0
  let at = 0
  for (const { data, from, to } of runs)
    for (let n = from; n < to; n++, at++) {
      if (!isSet(data, n)) continue
      bits[at >> 3]! |= 1 << (at & 7)
      count++
    }
  return { bits, count }
}
