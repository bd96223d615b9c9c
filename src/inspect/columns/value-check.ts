// Checks the cells of a column against the type of its schema, and keeps the range of numbers and
// times. The decoders of codec/decode decide what is valid; plain numbers, which are most, are read
// from their bytes without them.

import type { CellSource, ColumnSpec, Decimal } from '../../engine/index'
import { decoderOf, readTimestamp } from '../../engine/index'

/** The lowest and the highest value of a column: numbers, days, or times as text. */
export interface ValueRange {
  readonly min: number | string
  readonly max: number | string
}

/** Checks cells that are not empty. */
export interface ValueCheck {
  /**
   * Checks the cell at these offsets of the block.
   * @throws FeedError CELL_INVALID without a position
   */
  check(source: CellSource, slot: number, start: number, end: number): void
  /** The range of the valid cells so far; undefined for a type without order. */
  readonly range: ValueRange | undefined
}

/** Returns the check of a column; undefined where every text is valid. */
export function valueCheck(spec: ColumnSpec): ValueCheck | undefined {
  switch (spec.type) {
    case 'text':
      return undefined
    case 'int32':
    case 'int64':
    case 'decimal':
    case 'float64':
      return new RangeCheck(numberReader(spec), value => value)
    case 'timestamp':
      return new RangeCheck(timeReader(spec), value => new Date(value).toISOString())
    case 'date':
      return new RangeCheck(dayReader(spec), value => new Date(value).toISOString().slice(0, 10))
    default:
      return { check: cellReader(spec), range: undefined }
  }
}

/** Reads the cell at these offsets. @throws FeedError CELL_INVALID without a position */
type CellReader<V> = (source: CellSource, slot: number, start: number, end: number) => V

class RangeCheck implements ValueCheck {
  readonly #read: CellReader<number>
  readonly #shown: (value: number) => number | string
  #min = Number.POSITIVE_INFINITY
  #max = Number.NEGATIVE_INFINITY

  constructor(read: CellReader<number>, shown: (value: number) => number | string) {
    this.#read = read
    this.#shown = shown
  }

  get range(): ValueRange | undefined {
    if (this.#min > this.#max) return undefined
    return { min: this.#shown(this.#min), max: this.#shown(this.#max) }
  }

  check(source: CellSource, slot: number, start: number, end: number): void {
    const value = this.#read(source, slot, start, end)
    if (value < this.#min) this.#min = value
    if (value > this.#max) this.#max = value
  }
}

const cellReader =
  (spec: ColumnSpec): CellReader<unknown> =>
  (source, slot, start, end) =>
    decodedCell(spec, source, slot, start, end)

const MINUS = 0x2d
const POINT = 0x2e
const DIGIT_0 = 0x30
/** A whole number of this many digits is exact as a double, and so is its quotient by 10^n. */
const EXACT_DIGITS = 15
/** A number of this many digits is an int32. */
const INT32_DIGITS = 9
const POWERS = Array.from({ length: EXACT_DIGITS + 1 }, (_, n) => 10 ** n)

function numberReader(spec: ColumnSpec): CellReader<number> {
  const hasFraction = spec.type === 'decimal' || spec.type === 'float64'
  // Only its decoder knows whether a decimal fits its scale.
  const wholeDigits = spec.type === 'int32' ? INT32_DIGITS : EXACT_DIGITS
  const mostDigits = spec.scale === undefined ? wholeDigits : 0
  return (source, slot, start, end) => {
    const plain = plainNumber(source.view, start, end, mostDigits, hasFraction)
    return Number.isNaN(plain) ? numberOf(decodedCell(spec, source, slot, start, end)) : plain
  }
}

const timeReader =
  (spec: ColumnSpec): CellReader<number> =>
  (source, slot, start, end) =>
    (
      readTimestamp(source.view, start, end) ??
      (decodedCell(spec, source, slot, start, end) as Date)
    ).getTime()

const dayReader =
  (spec: ColumnSpec): CellReader<number> =>
  (source, slot, start, end) =>
    Date.parse(`${decodedCell(spec, source, slot, start, end)}T00:00:00Z`)

/**
 * Reads digits with an optional minus in front and an optional fraction. Returns NaN where the
 * bytes are not plainly that, and the decoder decides.
 */
function plainNumber(
  bytes: DataView,
  start: number,
  end: number,
  mostDigits: number,
  hasFraction: boolean,
): number {
  const isNegative = bytes.getUint8(start) === MINUS
  const first = isNegative ? start + 1 : start
  if (first === end || end - first > mostDigits) return Number.NaN
  let value = 0
  let point = -1
  for (let at = first; at < end; at++) {
    const byte = bytes.getUint8(at)
    const digit = byte - DIGIT_0
    if (digit >= 0 && digit <= 9) value = value * 10 + digit
    else if (byte === POINT && hasFraction && point < 0 && at > first && at + 1 < end) point = at
    else return Number.NaN
  }
  const size = point < 0 ? value : value / POWERS[end - point - 1]!
  return isNegative ? 0 - size : size
}

/** Large numbers become the nearest double. */
function numberOf(value: unknown): number {
  return typeof value === 'object' ? (value as Decimal).toNumber() : Number(value)
}

/** Decodes a cell that has a text. @throws FeedError CELL_INVALID without a position */
export function decodedCell(
  spec: ColumnSpec,
  source: CellSource,
  slot: number,
  start: number,
  end: number,
): unknown {
  const decoder = decoderOf(spec)
  const value = decoder.read(source, slot, start, end)
  return value === undefined ? decoder.decode(source.textBetween(slot, start, end)) : value
}

/** Decodes a text that is not empty. @throws FeedError CELL_INVALID without a position */
export function decodedText(spec: ColumnSpec, text: string): unknown {
  return decoderOf(spec).decode(text)
}
