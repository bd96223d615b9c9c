// Decimal numbers, kept exact: document 2 gives prices as text, and a double cannot hold every price.

import type { Decimal } from '../../schema/values'
import { invalidCell } from './invalid-cell'

/**
 * Digits with an optional minus in front and an optional fraction (`12`, `-0.50`): no plus, exponent, grouping or space.
 * The text stays as it was sent, zeros at its end included; JSON gets it as a string.
 * @throws FeedError CELL_INVALID
 */
export function decodeDecimal(text: string): Decimal {
  if (!/^-?[0-9]+(?:\.[0-9]+)?$/.test(text)) throw invalidCell('decimal', 'not a decimal number', text)
  return new DecimalText(text)
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
