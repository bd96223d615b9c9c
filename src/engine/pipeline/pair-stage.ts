// A step that is no stage of this package (a generator over items, a Node Transform, a web
// TransformStream) as a stage. All three are a pair: a side that takes items, and a side that gives
// them when it likes. This file turns such a pair into a machine; pairs.ts has one pair for each
// kind. A pair never borrows its inputs and never lends its outputs, because foreign code may keep
// both.

import { DONE, type Step, Steps } from '../core/steps'
import { type Outputs, Stage } from '../stages/stage'

/** The two sides of a step. A failure of the step rejects `read`. */
export interface Pair<In, Out> {
  readonly name: string
  /**
   * Gives one item. The promise resolves when the step wants the next one, and may reject where the
   * step takes no more items. It is called again only after the last promise has resolved.
   */
  write(item: In): Promise<void>
  /**
   * Ends the input. The promise resolves when the side that takes items has finished, or needs no
   * end any more.
   */
  end(): Promise<void>
  /** Returns the next output. It is called again only after the last promise has resolved. */
  read(): Promise<Step<Out>>
  /**
   * Frees both sides, once.
   * @param reason why the step was stopped before its end, undefined where it has ended
   */
  close(reason: unknown): void
}

/**
 * One item at a time is inside the pair: the next one is asked for when the pair wants it and has
 * no output ready. An output that a pair makes later, without another item, is read with the next
 * item or at the end of input.
 */
export class PairStage<In, Out> extends Stage<In, Out> {
  readonly #pair: Pair<In, Out>
  #isReading = false
  /** Gives the step that was read, or throws the failure. */
  #answer: (() => Step<Out>) | undefined
  #hasEnded = false
  /** The failure of the side that takes items. */
  #refusal: { readonly error: unknown } | undefined
  #wake = () => {}

  constructor(pair: Pair<In, Out>) {
    super(pair.name)
    this.#pair = pair
  }

  protected override transform(item: In): Outputs<Out> {
    let isWanted = false
    const wanted = () => {
      isWanted = true
      this.#wake()
    }
    this.#pair.write(item).then(wanted, error => this.#refuse(error))
    return new Steps(async () => {
      const step = await this.#next(() => isWanted)
      // The step has ended before its input, as `take` does.
      if (this.#hasEnded) this.finishEarly()
      return step
    })
  }

  protected override flush(): Outputs<Out> {
    if (this.#hasEnded) return undefined
    const finished = this.#pair.end().catch(error => this.#refuse(error))
    return new Steps(async () => {
      const step = await this.#next(() => false)
      if (!step.done) return step
      await finished
      if (this.#refusal !== undefined) throw this.#refusal.error
      return step
    })
  }

  protected override release(): void {
    this.#pair.close(this.signal.aborted ? this.signal.reason : undefined)
  }

  #refuse(error: unknown): void {
    this.#refusal ??= { error }
    this.#wake()
  }

  /** Returns the next output, or DONE where the pair has ended or wants another item first. */
  async #next(isWanted: () => boolean): Promise<Step<Out>> {
    for (let hasTurned = false; ; ) {
      if (!this.#isReading) {
        this.#read()
        // An output that is ready counts before the wish for another item.
        await undefined
      }
      const answer = this.#answer
      if (answer !== undefined) {
        this.#answer = undefined
        this.#isReading = false
        const step = answer()
        this.#hasEnded = step.done === true
        return step
      }
      if (this.#refusal !== undefined) {
        // A stream that has ended early refuses items too: its end comes before the refusal.
        if (hasTurned) throw this.#refusal.error
        hasTurned = true
        await new Promise(setImmediate)
        continue
      }
      if (isWanted()) return DONE
      await new Promise<void>(resolve => {
        this.#wake = resolve
      })
    }
  }

  #read(): void {
    this.#isReading = true
    const settle = (answer: () => Step<Out>) => {
      this.#answer = answer
      this.#wake()
    }
    this.#pair.read().then(
      step => settle(() => step),
      error =>
        settle(() => {
          throw error
        }),
    )
  }
}
