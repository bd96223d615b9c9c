// The base of stages without input, with which a pipeline begins.

import { type Outputs, Stage } from './stage'

/**
 * A stage without input. It starts at the first demand and ends by itself.
 *
 * @example
 * ```ts
 * import { pipeline, Source } from 'feedmill'
 *
 * class Lines extends Source<Uint8Array> {
 *   protected override *produce() {
 *     for (const line of ['itemId\n', 'v1|1|0\n']) yield new TextEncoder().encode(line)
 *   }
 * }
 * const blocks = await pipeline(new Lines()).toArray()
 * console.log(blocks.length)
 * // => 2
 * ```
 */
export abstract class Source<Out> extends Stage<never, Out> {
  #started = false

  /** Returns all outputs as a lazy sequence. */
  protected abstract produce(): NonNullable<Outputs<Out>>

  protected override transform(): undefined {
    return undefined
  }

  protected override flush(): Outputs<Out> {
    return this.produce()
  }

  protected override demanded(): void {
    if (this.#started) return
    this.#started = true
    this.end()
  }
}
