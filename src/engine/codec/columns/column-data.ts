// The arrays of a column, and the values that they hold. They are made of JavaScript values, or lie in
// the memory of what the WebAssembly module has decoded (columns-core.ts), which follows the plain way.

import { decodeDecimal } from '../kinds/decimal'
import type { ArrowField, ArrowType } from './arrow-type'

/** The arrays of a column in the layout of Apache Arrow. {@link ArrowType} says which there are. */
export interface ColumnData {
  readonly type: ArrowType
  /** Number of values. */
  readonly length: number
  readonly nullCount: number
  /**
   * A bit for each value, the lowest bit of a byte first, which is 0 where the value is null.
   * Undefined where none is.
   */
  readonly validity: Uint8Array | undefined
  /** Texts and lists: the place of each value, and behind them where the last one ends. */
  readonly offsets: Int32Array | undefined
  readonly values: Uint8Array | Int32Array | BigInt64Array | Float64Array | undefined
  /** The item of a list, or the fields of a struct. */
  readonly children: readonly ColumnData[]
}

const DAY_MS = 86_400_000
const NO_VALUES: readonly never[] = Object.freeze([])

/** Returns whether a value is null. */
export function isNull({ validity }: ColumnData, n: number): boolean {
  return validity !== undefined && !bitOf(validity, n)
}

/** Returns a value as cells of its kind have it, or null. */
export function valueAt(data: ColumnData, n: number): unknown {
  if (isNull(data, n)) return null
  const { type, offsets, children } = data
  switch (type.kind) {
    case 'utf8':
      return textOf(data.values as Uint8Array, offsets![n]!, offsets![n + 1]!)
    case 'boolean':
      return bitOf(data.values as Uint8Array, n)
    case 'decimal':
      return decodeDecimal(decimalText(data.values as BigInt64Array, n, type.scale))
    case 'date':
      return new Date((data.values as Int32Array)[n]! * DAY_MS).toISOString().slice(0, 10)
    case 'timestamp':
      return new Date(Number((data.values as BigInt64Array)[n]))
    case 'dictionary':
      return type.values[(data.values as Int32Array)[n]!]
    case 'list':
      return listAt(children[0]!, offsets![n]!, offsets![n + 1]!)
    case 'struct':
      return structAt(type.fields, children, n)
    default:
      return (data.values as Int32Array)[n]
  }
}

function listAt(item: ColumnData, from: number, to: number): readonly unknown[] {
  if (from === to) return NO_VALUES
  const items = new Array<unknown>(to - from)
  for (let n = 0; n < items.length; n++) items[n] = valueAt(item, from + n)
  return Object.freeze(items)
}

function structAt(fields: readonly ArrowField[], children: readonly ColumnData[], n: number) {
  const object: Record<string, unknown> = {}
  for (let at = 0; at < fields.length; at++) object[fields[at]!.name] = valueAt(children[at]!, n)
  return Object.freeze(object)
}

export function bitOf(bits: Uint8Array, n: number): boolean {
  return ((bits[n >> 3]! >> (n & 7)) & 1) === 1
}

function textOf({ buffer, byteOffset }: Uint8Array, from: number, to: number): string {
  return from === to ? '' : Buffer.from(buffer, byteOffset + from, to - from).toString()
}

/** Returns the number without zeros at the end of its fraction. */
export function decimalText(words: BigInt64Array, n: number, scale: number): string {
  const units = (words[2 * n + 1]! << 64n) | BigInt.asUintN(64, words[2 * n]!)
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, '0')
  const point = digits.length - scale
  const fraction = digits.slice(point).replace(/(?<!0)0+$/, '')
  return `${units < 0n ? '-' : ''}${digits.slice(0, point)}${fraction === '' ? '' : `.${fraction}`}`
}

/** The most digits of a decimal. */
const MOST_DIGITS = 38

/** Returns a decimal in units of the scale, or undefined where it does not fit. */
export function unitsOf(text: string, scale: number): bigint | undefined {
  const [whole = '', fraction = ''] = text.split('.')
  if (/[^0]/.test(fraction.slice(scale))) return undefined
  const digits = `${whole}${fraction.slice(0, scale).padEnd(scale, '0')}`
  return digits.replace(/^-?0*/, '').length > MOST_DIGITS ? undefined : BigInt(digits)
}

/** Zeros that all columns without a value share, for the rows of the largest batch. */
const ZERO_ROWS = 4096
const zeros = new ArrayBuffer(16 * ZERO_ROWS + 16)

/** Makes the arrays of a column of so many empty cells, which all such columns share. */
export function emptyData(type: ArrowType, length: number): ColumnData {
  const { kind } = type
  const isList = kind === 'list'
  const memory = length > ZERO_ROWS ? new ArrayBuffer(16 * length + 16) : zeros
  const fields = kind === 'struct' ? type.fields.map(field => field.type) : []
  return {
    type,
    length,
    nullCount: isList ? 0 : length,
    validity: isList ? undefined : new Uint8Array(memory, 0, Math.ceil(length / 8)),
    offsets: isList || kind === 'utf8' ? new Int32Array(memory, 0, length + 1) : undefined,
    values: isList || kind === 'struct' ? undefined : valuesIn(type, memory, 0, length),
    children: isList ? [emptyData(type.item, 0)] : fields.map(field => emptyData(field, length)),
  }
}

/** A view of the values of a column, `bytes` of which are the texts of a column of texts. */
export function valuesIn(
  { kind }: ArrowType,
  memory: ArrayBuffer,
  at: number,
  length: number,
  bytes = 0,
): NonNullable<ColumnData['values']> {
  switch (kind) {
    case 'utf8':
      return new Uint8Array(memory, at, bytes)
    case 'boolean':
      return new Uint8Array(memory, at, Math.ceil(length / 8))
    case 'decimal':
      return new BigInt64Array(memory, at, 2 * length)
    case 'int64':
    case 'timestamp':
      return new BigInt64Array(memory, at, length)
    case 'float64':
      return new Float64Array(memory, at, length)
    default:
      return new Int32Array(memory, at, length)
  }
}

/** Makes the arrays of values as cells have them, each of which fits. Null is an empty list too. */
export function columnData(type: ArrowType, values: readonly unknown[]): ColumnData {
  const { length } = values
  if (type.kind === 'list') return listData(type.item, values as readonly (unknown[] | null)[])
  const nullCount = values.reduce((count: number, value) => count + (value == null ? 1 : 0), 0)
  const validity = nullCount === 0 ? undefined : bitsOf(values, value => value != null)
  const common = { type, length, nullCount, validity, offsets: undefined, children: [] }
  switch (type.kind) {
    case 'utf8':
      return { ...common, ...textData(values) }
    case 'boolean':
      return { ...common, values: bitsOf(values, value => value === true) }
    case 'float64':
      return { ...common, values: Float64Array.from(values, value => Number(value ?? 0)) }
    case 'int64':
      return {
        ...common,
        values: BigInt64Array.from(values, value => BigInt((value ?? 0) as bigint)),
      }
    case 'timestamp':
      return { ...common, values: BigInt64Array.from(values, value => BigInt(Number(value ?? 0))) }
    case 'decimal':
      return { ...common, values: decimalWords(values, type.scale) }
    case 'struct': {
      const children = type.fields.map(field =>
        columnData(
          field.type,
          values.map(value => (value as Record<string, unknown> | null)?.[field.name]),
        ),
      )
      return { ...common, values: undefined, children }
    }
    default:
      return { ...common, values: Int32Array.from(values, value => numberOf(type, value)) }
  }
}

function numberOf(type: ArrowType, value: unknown): number {
  if (value == null) return 0
  if (type.kind === 'date') return Date.parse(`${value}T00:00:00Z`) / DAY_MS
  return type.kind === 'dictionary' ? type.values.indexOf(String(value)) : Number(value)
}

function listData(item: ArrowType, lists: readonly (unknown[] | null)[]): ColumnData {
  const children = [
    columnData(
      item,
      lists.flatMap(list => list ?? []),
    ),
  ]
  const offsets = offsetsOf(lists, list => list?.length ?? 0)
  const type: ArrowType = { kind: 'list', item }
  return {
    type,
    length: lists.length,
    nullCount: 0,
    validity: undefined,
    offsets,
    values: undefined,
    children,
  }
}

function textData(texts: readonly unknown[]): Pick<ColumnData, 'offsets' | 'values'> {
  const bytes = texts.map(text => Buffer.from((text ?? '') as string))
  const all = Buffer.concat(bytes)
  const values = new Uint8Array(all.buffer, all.byteOffset, all.length)
  return { offsets: offsetsOf(bytes, ({ length }) => length), values }
}

function offsetsOf<T>(values: readonly T[], sizeOf: (value: T) => number): Int32Array {
  const offsets = new Int32Array(values.length + 1)
  for (let n = 0; n < values.length; n++) offsets[n + 1] = offsets[n]! + sizeOf(values[n]!)
  return offsets
}

function bitsOf(values: readonly unknown[], isSet: (value: unknown) => boolean): Uint8Array {
  const bits = new Uint8Array(Math.ceil(values.length / 8))
  values.forEach((value, n) => {
    if (isSet(value)) bits[n >> 3]! |= 1 << (n & 7)
  })
  return bits
}

function decimalWords(values: readonly unknown[], scale: number): BigInt64Array {
  const words = new BigInt64Array(2 * values.length)
  values.forEach((value, n) => {
    const units = value == null ? 0n : unitsOf(String(value), scale)!
    words[2 * n] = BigInt.asIntN(64, units)
    words[2 * n + 1] = units >> 64n
  })
  return words
}

// The columns of a block as the WebAssembly module has decoded them: arrays in one memory, and records
// that say where they lie, as `record` of src/engine/wasm/columns.ts writes them.

/** Words of a record: length, nulls, and where validity, offsets and values lie and end. */
export const NODE_WORDS = 6

/** The columns of a block: a record for each of their arrays, the parents before their children. */
export class DecodedBlock {
  readonly #memory: ArrayBuffer
  readonly #nodes: Int32Array
  /** The number of the record that is read next. */
  #next = 0

  constructor(memory: ArrayBuffer, nodes: Int32Array) {
    this.#memory = memory
    this.#nodes = nodes
  }

  /** Returns the column whose record is the `node`th. */
  column(type: ArrowType, node: number): ColumnData {
    this.#next = node
    return this.#read(type)
  }

  /** Reads the next record, and behind it those of the children. */
  #read(type: ArrowType): ColumnData {
    const memory = this.#memory
    const nodes = this.#nodes
    const at = NODE_WORDS * this.#next++
    const length = nodes[at]!
    const nullCount = nodes[at + 1]!
    const { kind } = type
    const isNested = kind === 'list' || kind === 'struct'
    const hasOffsets = kind === 'utf8' || kind === 'list'
    return {
      type,
      length,
      nullCount,
      validity:
        nullCount === 0 ? undefined : new Uint8Array(memory, nodes[at + 2]!, (length + 7) >> 3),
      offsets: hasOffsets ? new Int32Array(memory, nodes[at + 3]!, length + 1) : undefined,
      values: isNested ? undefined : valuesIn(type, memory, nodes[at + 4]!, length, nodes[at + 5]!),
      children: isNested ? childrenOf(type).map(child => this.#read(child)) : NO_CHILDREN,
    }
  }
}

const NO_CHILDREN: readonly ColumnData[] = []

function childrenOf(type: ArrowType): readonly ArrowType[] {
  if (type.kind === 'list') return [type.item]
  return type.kind === 'struct' ? type.fields.map(field => field.type) : []
}
