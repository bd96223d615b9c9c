// The base of stages without input, with which a pipeline begins.

import { type Outputs, Stage } from './stage'

/** A stage without input. It starts at the first demand and ends by itself. */
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
