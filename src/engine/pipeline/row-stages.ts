// The stages behind the row helpers of the builder. Each works inside a batch, so its streaming
// cost is paid for each batch and not for each row.

import { isPromise } from '../core/steps'
import { noPromise } from '../options'
import { type Outputs, Stage } from '../stages/stage'
import { countOf, type ElementOf, elementsOf, firstOf, selectFrom } from './batch'

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

/** Calls a function with one element after the other, and waits where it returns a promise. */
class InOrder<E> {
  readonly #elements: Iterator<E>
  readonly #use: (element: E) => unknown

  constructor(elements: Iterable<E>, use: (element: E) => unknown) {
    this.#elements = elements[Symbol.iterator]()
    this.#use = use
  }

  /**
   * Returns the output once all elements were used, without a promise where nothing was waited for.
   * @param isOver tells whether the stage was destroyed while the function was waited for
   */
  before<O>(output: O, isOver: () => boolean): Iterable<O> | AsyncIterable<O> {
    const pending = this.#useUntilPromise()
    return pending === undefined ? [output] : this.#later(pending, output, isOver)
  }

  #useUntilPromise(): PromiseLike<unknown> | undefined {
    for (let step = this.#elements.next(); !step.done; step = this.#elements.next()) {
      const used = this.#use(step.value)
      if (typeof used === 'object' && isPromise(used)) return used
    }
    return undefined
  }

  async *#later<O>(
    first: PromiseLike<unknown>,
    output: O,
    isOver: () => boolean,
  ): AsyncGenerator<O, void, void> {
    let pending: PromiseLike<unknown> | undefined = first
    while (pending !== undefined) {
      await pending
      if (isOver()) return
      pending = this.#useUntilPromise()
    }
    yield output
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
