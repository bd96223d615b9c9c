// The stage of `mapAsync`: calls an asynchronous function for several elements at a time, also over
// the border between two items. It owns the window of the calls; row-stages.ts has the other
// helpers.

import { isPromise } from '../core/steps'
import { asFeedError } from '../errors'
import { is, type OptionTable, readOptions } from '../options'
import { Stage } from '../stages/stage'
import { type ElementOf, elementsOf } from './batch'

/**
 * The options of {@link Pipeline.mapAsync}.
 *
 * @example
 * ```ts
 * import { pipeline } from 'feedmill'
 *
 * const sizeOf = async (id: string, _signal: AbortSignal) => id.length
 * const sizes = pipeline([['a', 'bb', 'ccc']]).mapAsync(sizeOf, { concurrency: 2 })
 * console.log(await sizes.toArray())
 * // => [ 1, 2, 3 ]
 * ```
 */
export interface MapAsyncOptions {
  /**
   * The most calls whose results have not been passed on, from 1 to 10,000. It bounds what the
   * stage holds. Default: 8.
   */
  readonly concurrency?: number
  /**
   * True where the results come in the order of the elements; false where each comes as soon as it
   * is there. In order, a slow call holds back the results behind it, and new calls with them.
   * Default: true.
   */
  readonly ordered?: boolean
}

const OPTIONS = {
  concurrency: [is.wholeNumber(1, 10_000), 8],
  ordered: [is.flag, true],
} satisfies OptionTable<MapAsyncOptions>

/** A call that was made, in the order of the elements. */
interface Call<U> {
  /** Stops this call alone: what listens to one signal of all calls would grow with them. */
  readonly stop: AbortController
  result?: { readonly value: U }
}

export class MapAsyncRows<T, U> extends Stage<T, Awaited<U>[]> {
  readonly #map: (element: ElementOf<T>, signal: AbortSignal) => U
  readonly #concurrency: number
  readonly #isOrdered: boolean
  /** Calls whose results were not passed on yet; at most `concurrency`. */
  #calls: Call<Awaited<U>>[] = []
  #wake = () => {}

  /** @throws FeedError OPTION_INVALID */
  constructor(
    map: (element: ElementOf<T>, signal: AbortSignal) => U,
    options: MapAsyncOptions = {},
  ) {
    super('mapAsync')
    const { concurrency, ordered } = readOptions(options, OPTIONS)
    this.#map = map
    this.#concurrency = concurrency
    this.#isOrdered = ordered
    this.signal.addEventListener('abort', () => {
      for (const { stop, result } of this.#calls)
        if (result === undefined) stop.abort(this.signal.reason)
    })
  }

  protected override async *transform(item: T): AsyncGenerator<Awaited<U>[], void, void> {
    for (const element of elementsOf(item)) {
      if (this.#calls.length === this.#concurrency) yield await this.#results()
      if (this.destroyed) return
      this.#call(element)
    }
    const ready = this.#takeReady()
    if (ready.length > 0) yield ready
  }

  protected override async *flush(): AsyncGenerator<Awaited<U>[], void, void> {
    while (this.#calls.length > 0) yield await this.#results()
  }

  /** Waits until results can be passed on, and takes all of them. */
  async #results(): Promise<Awaited<U>[]> {
    for (;;) {
      const ready = this.#takeReady()
      if (ready.length > 0) return ready
      await new Promise<void>(resolve => {
        this.#wake = resolve
      })
    }
  }

  #call(element: ElementOf<T>): void {
    const call: Call<Awaited<U>> = { stop: new AbortController() }
    this.#calls.push(call)
    const made: unknown = this.#map(element, call.stop.signal)
    const keep = (value: unknown) => {
      call.result = { value: value as Awaited<U> }
      this.#wake()
    }
    // A failure ends the run at once: no other call is made, and those that run see their signal.
    if (typeof made === 'object' && isPromise(made))
      made.then(keep, error => this.destroy(asFeedError(error, this.name)))
    else keep(made)
  }

  #takeReady(): Awaited<U>[] {
    const calls = this.#calls
    const waiting = calls.findIndex(call => call.result === undefined)
    const taken = this.#isOrdered
      ? calls.slice(0, waiting < 0 ? calls.length : waiting)
      : calls.filter(call => call.result !== undefined)
    if (taken.length > 0)
      this.#calls = this.#isOrdered
        ? calls.slice(taken.length)
        : calls.filter(call => call.result === undefined)
    return taken.map(call => call.result!.value)
  }
}
