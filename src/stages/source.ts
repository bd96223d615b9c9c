// The base of stages that take no input: where a pipeline begins.

import { type Outputs, Stage } from './stage'

/** A stage that takes no input: it starts at the first demand and ends by itself. */
export abstract class Source<Out> extends Stage<never, Out> {
  #started = false

  /** All outputs, pulled one by one. */
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
