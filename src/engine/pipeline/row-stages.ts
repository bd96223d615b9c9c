// The stages behind the row helpers of the builder. Each works inside a batch, so its streaming
// cost is paid for each batch and not for each row.

import { isPromise } from '../core/steps'
import { noPromise } from '../options'
import { type Outputs, Stage } from '../stages/stage'
import { countOf, type ElementOf, elementsOf, firstOf, selectFrom } from './batch'
import { InOrder } from './in-order'

export class FilterRows<T> extends Stage<T, T> {
  readonly #keep: (element: ElementOf<T>) => boolean
  /** What is given where no row is kept: an empty batch, which has the columns. */
  #atEnd: T | undefined
  #hasGiven = false

  constructor(keep: (element: ElementOf<T>) => boolean) {
    super('filter')
    // A promise would count as true, whatever it resolves to.
    this.#keep = element => noPromise('keep', keep(element))
  }

  protected override transform(item: T): T[] | undefined {
    const kept = selectFrom(item, this.#keep)
    if (kept === undefined) return undefined
    if (countOf(kept) === 0) {
      this.#atEnd ??= kept
      return undefined
    }
    this.#hasGiven = true
    return [kept]
  }

  protected override flush(): T[] | undefined {
    return this.#hasGiven || this.#atEnd === undefined ? undefined : [this.#atEnd]
  }

  protected override release(): void {
    this.#atEnd = undefined
  }
}

export class MapRows<T, U> extends Stage<T, Awaited<U>[]> {
  readonly #map: (element: ElementOf<T>) => U

  constructor(map: (element: ElementOf<T>) => U) {
    super('map')
    this.#map = map
  }

  protected override transform(item: T): Outputs<Awaited<U>[]> {
    const mapped: Awaited<U>[] = []
    const keep = (value: Awaited<U>) => void mapped.push(value)
    const useAll = new InOrder(elementsOf(item), element => {
      const value: unknown = this.#map(element)
      if (typeof value === 'object' && isPromise(value))
        return value.then(settled => keep(settled as Awaited<U>))
      keep(value as Awaited<U>)
    })
    return useAll.before(mapped, () => this.destroyed)
  }
}

export class TapRows<T> extends Stage<T, T> {
  readonly #see: (element: ElementOf<T>) => unknown

  constructor(see: (element: ElementOf<T>) => unknown) {
    super('tap')
    this.#see = see
  }

  protected override transform(item: T): Outputs<T> {
    return new InOrder(elementsOf(item), this.#see).before(item, () => this.destroyed)
  }
}

/** Regroups elements into arrays of one length. It holds one array. */
export class BatchRows<T> extends Stage<T, ElementOf<T>[]> {
  readonly #count: number
  #batch: ElementOf<T>[] = []

  constructor(count: number) {
    super('batch')
    this.#count = count
  }

  protected override *transform(item: T): Generator<ElementOf<T>[], void, void> {
    for (const element of elementsOf(item)) {
      this.#batch.push(element)
      if (this.#batch.length === this.#count) yield this.#take()
    }
  }

  protected override flush(): Outputs<ElementOf<T>[]> {
    return this.#batch.length > 0 ? [this.#take()] : undefined
  }

  protected override release(): void {
    this.#batch = []
  }

  #take(): ElementOf<T>[] {
    const batch = this.#batch
    this.#batch = []
    return batch
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
