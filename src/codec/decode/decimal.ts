// Decimal numbers, kept exact: prices are text (item-feeds.md, section 2.2), and a double cannot
// hold every price.

import { anyText } from '../../options'
import type { Decimal } from '../../schema/values'
import type { CellSource } from './cell-source'
import { invalidCell } from './invalid-cell'

const MINUS = 0x2d
const POINT = 0x2e
const DIGIT_0 = 0x30
const DIGIT_9 = 0x39

/**
 * Digits with an optional minus in front and an optional fraction (`12`, `-0.50`): no plus,
 * exponent, grouping or space. The text stays as it was sent, zeros at its end included; JSON gets
 * it as a string.
 * @throws FeedError CELL_INVALID, OPTION_INVALID
 */
export function decodeDecimal(text: string): Decimal {
  anyText('text', text)
  if (!/^-?[0-9]+(?:\.[0-9]+)?$/.test(text))
    throw invalidCell('decimal', 'not a decimal number', text)
  return new DecimalText(text)
}

/**
 * The same from a cell's bytes; undefined where they are not plainly a decimal number: {@link
 * decodeDecimal} says what they are.
 */
export function readDecimal(
  source: CellSource,
  slot: number,
  start: number,
  end: number,
): Decimal | undefined {
  return isDecimal(source.view, start, end)
    ? new DecimalText(source.textBetween(slot, start, end))
    : undefined
}

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
