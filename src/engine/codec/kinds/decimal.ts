// Cells of decimal numbers, which are exact, because a double cannot hold every price. Prices are
// text (item-feeds.md, section 2.2).

import { is } from '../../options'
import { DECIMAL_DIGITS } from '../../schema/column-spec'
import type { Decimal } from '../../schema/values'
import { DIGIT_0, MINUS } from './digits'
import { type CellDecoder, type CellSource, invalidCell, type KindOfCells } from './kind-of-cells'

const POINT = 0x2e
const DIGIT_9 = 0x39
/** Digits behind the point of an Arrow column without a `scale`, of 38 in all. */
const DECIMAL_SCALE = 10

const ANY_SCALE: CellDecoder<Decimal | null> = {
  empty: null,
  decode: decodeDecimal,
  read: readDecimal,
}

export const decimal: KindOfCells<Decimal | null> = {
  decoder: ({ scale }) => (scale === undefined ? ANY_SCALE : scaledDecoder(scale)),
  arrow: ({ scale = DECIMAL_SCALE }) => ({ kind: 'decimal', scale }),
  kernel: 'DECIMAL',
  written: { JSON: 'TEXT_CELL', COPY: 'TEXT_CELL', CSV: 'MADE' },
  order: { numberOf: value => value.toNumber(), isInModule: true },
  scalar: 'numeric',
  fromObject(value, spec, { checkedValue }) {
    const text = decimalText(value)
    return text === undefined ? undefined : checkedValue(spec, text)
  },
}

function scaledDecoder(scale: number): CellDecoder<Decimal | null> {
  return {
    empty: null,
    decode: text => inScale(decodeDecimal(text), scale),
    read(...cell) {
      const value = readDecimal(...cell)
      return value && inScale(value, scale)
    },
  }
}

/**
 * Decodes digits with an optional minus in front and an optional fraction (`12`, `-0.50`), without
 * plus, exponent, grouping or space. The value keeps the text of the feed, trailing zeros included,
 * and is a string in JSON.
 * @throws FeedError CELL_INVALID, OPTION_INVALID
 */
export function decodeDecimal(text: string): Decimal {
  is.anyText('text', text)
  if (!/^-?[0-9]+(?:\.[0-9]+)?$/.test(text))
    throw invalidCell('decimal', 'not a decimal number', text)
  return new DecimalText(text)
}

/**
 * Reads a decimal number from a cell's bytes. Returns undefined where they are not plainly one, and
 * {@link decodeDecimal} decides.
 */
function readDecimal(
  source: CellSource,
  slot: number,
  start: number,
  end: number,
): Decimal | undefined {
  return isDecimal(source.view, start, end)
    ? new DecimalText(source.textBetween(slot, start, end))
    : undefined
}

/**
 * Checks that a decimal number keeps all its digits in a column of {@link DECIMAL_DIGITS} digits,
 * of which `scale` stand behind the point.
 * @throws FeedError CELL_INVALID
 */
function inScale(value: Decimal, scale: number): Decimal {
  const { text } = value
  const point = text.indexOf('.')
  const whole = (point < 0 ? text : text.slice(0, point)).replace(/^-?0*/, '')
  // The last digit that is not zero. A pattern would be slow on a million zeros.
  let last = point < 0 ? point : text.length - 1
  while (last > point && text[last] === '0') last--
  if (last - point > scale)
    throw invalidCell('decimal', `more than ${scale} digits behind the point`, text)
  if (whole.length + scale > DECIMAL_DIGITS)
    throw invalidCell('decimal', `more than ${DECIMAL_DIGITS} digits`, text)
  return value
}

/** Returns true where {@link decodeDecimal} takes the bytes. */
function isDecimal(bytes: DataView, start: number, end: number): boolean {
  const first = bytes.getUint8(start) === MINUS ? start + 1 : start
  const point = digitsEnd(bytes, first, end)
  if (point === first || point === end) return point > first
  return (
    bytes.getUint8(point) === POINT && point + 1 < end && digitsEnd(bytes, point + 1, end) === end
  )
}

function digitsEnd(bytes: DataView, start: number, end: number): number {
  let at = start
  while (at < end && bytes.getUint8(at) >= DIGIT_0 && bytes.getUint8(at) <= DIGIT_9) at++
  return at
}

class DecimalText implements Decimal {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  toNumber(): number {
    return Number(this.text)
  }

  toString(): string {
    return this.text
  }

  toJSON(): string {
    return this.text
  }
}

/** Returns the text of a decimal number; undefined for any other object. */
export function decimalText(value: object): string | undefined {
  const { text, toNumber } = value as { readonly text?: unknown; readonly toNumber?: unknown }
  return typeof text === 'string' && typeof toNumber === 'function' ? text : undefined
}
