// Decodes decimal numbers exactly, because a double cannot hold every price. Prices are text
// (item-feeds.md, section 2.2).

import { anyText } from '../../options'
import type { Decimal } from '../../schema/values'
import type { CellSource } from './cell-source'
import { invalidCell } from './invalid-cell'

const MINUS = 0x2d
const POINT = 0x2e
const DIGIT_0 = 0x30
const DIGIT_9 = 0x39

/**
 * Decodes digits with an optional minus in front and an optional fraction (`12`, `-0.50`), without
 * plus, exponent, grouping or space. The value keeps the text of the feed, trailing zeros included,
 * and is a string in JSON.
 * @throws FeedError CELL_INVALID, OPTION_INVALID
 * @example
 * ```ts
 * import { decodeDecimal } from 'feedmill'
 *
 * const price = decodeDecimal('19.90')
 * console.log(price.text, price.toNumber())
 * // => 19.90 19.9
 * ```
 */
export function decodeDecimal(text: string): Decimal {
  anyText('text', text)
  if (!/^-?[0-9]+(?:\.[0-9]+)?$/.test(text))
    throw invalidCell('decimal', 'not a decimal number', text)
  return new DecimalText(text)
}

/**
 * Reads a decimal number from a cell's bytes. Returns undefined where they are not plainly one, and
 * {@link decodeDecimal} decides.
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

/** Returns true where {@link decodeDecimal} takes the bytes. */
export function isDecimal(bytes: DataView, start: number, end: number): boolean {
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
