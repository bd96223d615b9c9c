// The base of stages that take no input: where a pipeline begins.

import { type Outputs, Stage } from './stage'

/**
 * @internal Whether nothing of an input is needed any more once its outputs are used up: its memory may then be written again.
 * A stage that does not say so may keep its inputs.
 */
export interface CopyingStage {
  readonly copiesInputs: boolean
}

/** A stage that takes no input: it starts at the first demand and ends by itself. */
export abstract class Source<Out> extends Stage<never, Out> {
  #started = false

  /** All outputs, pulled one by one. */
  protected abstract produce(): NonNullable<Outputs<Out>>

  /** @internal Told before the start by whoever wires it to `next`, and to nothing else. */
  leadsTo(_next: Stage<never, unknown>): void {}

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
