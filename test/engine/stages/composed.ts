// Two stages composed as a run composes them, as one stage for the tests of the laws.

import { newCounters } from '../../../src/engine/core/counters'
import { Driver, type Inputs, type Next } from '../../../src/engine/core/machine'
import { DONE, type Pause, Steps } from '../../../src/engine/core/steps'
import { Stage } from '../../../src/engine/stages/stage'

export class Composed<In, Middle, Out> extends Stage<In, Out> {
  readonly #output: Driver<Middle, Out>
  #input: { readonly item: In } | undefined
  #inputEnded = false

  constructor(first: Stage<In, Middle>, second: Stage<Middle, Out>) {
    super('Composed')
    const owner = { fail: (error: unknown) => this.destroy(error) }
    const before = new Driver(first.machineFor(owner), newCounters(first.name), this.#inputs())
    if (second.borrowsInputs) first.lendOutputs()
    this.#output = new Driver(second.machineFor(owner), newCounters(second.name), before)
  }

  protected override transform(item: In): Steps<Out | Pause> {
    this.#input = { item }
    return this.#outputs()
  }

  protected override flush(): Steps<Out | Pause> {
    this.#inputEnded = true
    return this.#outputs()
  }

  protected override release(): void {
    this.#output.close()
  }

  #inputs(): Inputs<In> {
    const next = (): Next<In> | undefined => {
      const input = this.#input
      this.#input = undefined
      if (input) return { done: false, value: input.item }
      return this.#inputEnded ? DONE : undefined
    }
    return { next, close() {} }
  }

  /** Gives the outputs up to the point where the next input is wanted. */
  #outputs(): Steps<Out | Pause> {
    return new Steps<Out | Pause>(() => this.#output.next() ?? DONE)
  }
}
