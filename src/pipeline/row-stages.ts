// The stages behind the builder's row helpers. Each works inside a batch, so its cost is paid for each batch, not for each row.

import { Stage } from '../stages/stage'
import { countOf, type ElementOf, elementsOf, firstOf, selectFrom } from './batch'

export class FilterRows<T> extends Stage<T, T> {
  readonly #keep: (element: ElementOf<T>) => boolean

  constructor(keep: (element: ElementOf<T>) => boolean) {
    super('filter')
    this.#keep = keep
  }

  protected override transform(item: T): T[] | undefined {
    const kept = selectFrom(item, this.#keep)
    return kept === undefined ? undefined : [kept]
  }
}

export class MapRows<T, U> extends Stage<T, U[]> {
  readonly #map: (element: ElementOf<T>) => U

  constructor(map: (element: ElementOf<T>) => U) {
    super('map')
    this.#map = map
  }

  protected override transform(item: T): [U[]] {
    return [Array.from(elementsOf(item), element => this.#map(element))]
  }
}

export class TapRows<T> extends Stage<T, T> {
  readonly #see: (element: ElementOf<T>) => void

  constructor(see: (element: ElementOf<T>) => void) {
    super('tap')
    this.#see = see
  }

  protected override transform(item: T): [T] {
    for (const element of elementsOf(item)) this.#see(element)
    return [item]
  }
}

export class TakeRows<T> extends Stage<T, T> {
  #left: number

  constructor(count: number) {
    super('take')
    this.#left = count
    if (count === 0) this.finishEarly()
  }

  protected override transform(item: T): [T] {
    const count = Math.min(this.#left, countOf(item))
    this.#left -= count
    if (this.#left === 0) this.finishEarly()
    return [firstOf(item, count)]
  }
}
