// The lowest and the highest of the values of a column.

import type { ColumnSpec, Decimal } from '../../engine/index'

/** The lowest and the highest value of a column: numbers, or days and times as text. */
export interface ValueRange {
  readonly min: number | string
  readonly max: number | string
}

const DAY_CHARACTERS = 10

export class RangeOfValues {
  readonly #type: ColumnSpec['type']
  #min = Number.POSITIVE_INFINITY
  #max = Number.NEGATIVE_INFINITY

  constructor({ type }: ColumnSpec) {
    this.#type = type
  }

  /** Takes a value. Values of types without order do not count. */
  take(value: unknown): void {
    // JSON knows no negative zero.
    const number = this.#numberOf(value) + 0
    if (number < this.#min) this.#min = number
    if (number > this.#max) this.#max = number
  }

  /** Returns the range so far, or null where no value counted. */
  get range(): ValueRange | null {
    if (this.#min > this.#max) return null
    return { min: this.#shown(this.#min), max: this.#shown(this.#max) }
  }

  /** Large numbers become the nearest double. */
  #numberOf(value: unknown): number {
    switch (this.#type) {
      case 'int32':
      case 'int64':
      case 'float64':
        return Number(value)
      case 'decimal':
        return (value as Decimal).toNumber()
      case 'timestamp':
        return (value as Date).getTime()
      case 'date':
        return Date.parse(`${value}T00:00:00Z`)
      default:
        return Number.NaN
    }
  }

  #shown(number: number): number | string {
    if (this.#type !== 'timestamp' && this.#type !== 'date') return number
    const time = new Date(number).toISOString()
    return this.#type === 'date' ? time.slice(0, DAY_CHARACTERS) : time
  }
}
