// The stage of `mapAsync`: calls an asynchronous function for several elements at a time, also over
// the border between two items. It owns the window of the calls and their results; row-stages.ts has
// the other helpers.

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
  /** The most calls that run at a time, from 1 to 10,000. Default: 8. */
  readonly concurrency?: number
  /**
   * True where the results come in the order of the elements; false where each comes as soon as it
   * is there. In order, results that are done wait for the slow call before them; other calls run.
   * Default: true.
   */
  readonly ordered?: boolean
  /**
   * The most elements whose results have not been passed on, those of running calls included, from
   * 1 to 1,000,000. It bounds what the stage holds: lower it where results are large. Default: 8
   * times `concurrency` in order, so that one call of eight may take much longer than the others;
   * otherwise `concurrency`.
   */
  readonly maxResults?: number
}

const OPTIONS = {
  concurrency: [is.wholeNumber(1, 10_000), 8],
  ordered: [is.flag, true],
  maxResults: [is.wholeNumber(1, 1_000_000)],
} satisfies OptionTable<MapAsyncOptions>

/** Results in order for each call at a time. */
const RESULTS_PER_CALL = 8

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
  readonly #maxResults: number
  /** Calls whose results were not passed on yet; at most `maxResults`. */
  #calls: Call<Awaited<U>>[] = []
  /** Those of them that run; at most `concurrency`. */
  #running = 0
  #wake = () => {}

  /** @throws FeedError OPTION_INVALID */
  constructor(
    map: (element: ElementOf<T>, signal: AbortSignal) => U,
    options: MapAsyncOptions = {},
  ) {
    super('mapAsync')
    const { concurrency, ordered, maxResults } = readOptions(options, OPTIONS)
    this.#map = map
    this.#concurrency = concurrency
    this.#isOrdered = ordered
    this.#maxResults = maxResults ?? (ordered ? RESULTS_PER_CALL : 1) * concurrency
    this.signal.addEventListener('abort', () => {
      for (const { stop, result } of this.#calls)
        if (result === undefined) stop.abort(this.signal.reason)
    })
  }

  protected override async *transform(item: T): AsyncGenerator<Awaited<U>[], void, void> {
    for (const element of elementsOf(item)) {
      while (this.#isFull) {
        const ready = this.#takeReady()
        if (ready.length > 0) yield ready
        else await this.#nextResult()
      }
      if (this.destroyed) return
      this.#call(element)
    }
    const ready = this.#takeReady()
    if (ready.length > 0) yield ready
  }

  protected override async *flush(): AsyncGenerator<Awaited<U>[], void, void> {
    while (this.#calls.length > 0) {
      const ready = this.#takeReady()
      if (ready.length > 0) yield ready
      else await this.#nextResult()
    }
  }

  get #isFull(): boolean {
    return this.#running === this.#concurrency || this.#calls.length === this.#maxResults
  }

  #nextResult(): Promise<void> {
    return new Promise(resolve => {
      this.#wake = resolve
    })
  }

  #call(element: ElementOf<T>): void {
    const call: Call<Awaited<U>> = { stop: new AbortController() }
    this.#calls.push(call)
    const made: unknown = this.#map(element, call.stop.signal)
    if (typeof made !== 'object' || !isPromise(made)) {
      call.result = { value: made as Awaited<U> }
      return
    }
    this.#running++
    made.then(
      value => {
        this.#running--
        call.result = { value: value as Awaited<U> }
        this.#wake()
      },
      // A failure ends the run at once: no other call is made, and those that run see their signal.
      error => this.destroy(asFeedError(error, this.name)),
    )
  }

  #takeReady(): Awaited<U>[] {
    const calls = this.#calls
    const isWaiting = (call: Call<Awaited<U>>) => call.result === undefined
    let taken: Call<Awaited<U>>[]
    if (this.#isOrdered) {
      const waiting = calls.findIndex(isWaiting)
      taken = calls.splice(0, waiting < 0 ? calls.length : waiting)
    } else {
      taken = calls.filter(call => !isWaiting(call))
      this.#calls = calls.filter(isWaiting)
    }
    return taken.map(call => call.result!.value)
  }
}
