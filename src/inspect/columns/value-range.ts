// The lowest and the highest of the values of a column.

import { type ColumnSpec, KINDS } from '../../engine/index'

/** The lowest and the highest value of a column: numbers, or days and times as text. */
export interface ValueRange {
  readonly min: number | string
  readonly max: number | string
}

export class RangeOfValues {
  readonly #order: (typeof KINDS)[ColumnSpec['type']]['order']
  #min = Number.POSITIVE_INFINITY
  #max = Number.NEGATIVE_INFINITY

  constructor({ type }: ColumnSpec) {
    this.#order = KINDS[type].order
  }

  /** Takes a value. Values of types without order do not count. */
  take(value: unknown): void {
    if (this.#order === undefined) return
    // JSON knows no negative zero.
    const number = this.#order.numberOf(value as NonNullable<unknown>) + 0
    if (number < this.#min) this.#min = number
    if (number > this.#max) this.#max = number
  }

  /** Returns the range so far, or null where no value counted. */
  get range(): ValueRange | null {
    if (this.#min > this.#max) return null
    return { min: this.#shown(this.#min), max: this.#shown(this.#max) }
  }

  #shown(number: number): number | string {
    return this.#order?.textOf?.(number) ?? number
  }
}
