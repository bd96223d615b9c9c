// Drives a machine by hand: its outputs are made when the caller asks for them, on the caller's
// thread, with no stream and no promise. Which machines there are is the concern of the other files
// of this folder; none of them waits.

import type { StageCounters } from '../core/counters'
import { Driver, type Machine } from '../core/machine'
import { DONE, PAUSE, type Pause, type Step } from '../core/steps'
import { asFeedError, FeedError } from '../errors'

/**
 * Takes inputs by `push` and gives their outputs, without a stream: all work is done on the thread
 * of the caller, at the moment when an output is asked for.
 *
 * - Use up what `push` and `end` return, with `for … of` or a spread, before the next call:
 *   an input whose outputs nobody asks for is not read.
 * - An input may be cut anywhere. It may be overwritten once its outputs are used up, and every
 *   output belongs to the caller.
 * - Only `end` says that the input was whole: no output is confirmed before its loop has ended.
 * - An engine serves one input. Its memory is free after the loop over `end`, after an error, and
 *   after a loop that was left early. `close` frees it elsewhere.
 */
export interface Engine<In, Out, Facts> {
  /** What is known of the input so far. */
  readonly facts: Facts
  /**
   * Takes one input, and returns its outputs, each of which is made when it is asked for.
   *
   * @throws FeedError STAGE_NOT_ENDED where the outputs of the last call are not used up,
   * STAGE_WRITE_AFTER_END after `end`, STAGE_DESTROYED after `close` or a loop that was left early,
   * and after a failure this failure; from the sequence STAGE_INPUT_INVALID, and the errors of the
   * engine
   */
  push(input: In): IterableIterator<Out>
  /**
   * Ends the input, and returns the last outputs.
   *
   * @throws FeedError as `push` does; from the sequence also where the input may not end here
   */
  end(): IterableIterator<Out>
  /**
   * Frees the memory of the engine, at any time and any number of times. A loop over `push` then
   * ends; one over `end` throws STAGE_DESTROYED, because the rest of the input is lost.
   */
  close(): void
}

/**
 * Makes an engine of a machine that never waits.
 *
 * @param counters those of the machine; errors have their stage
 */
export function engineOf<In, Out, Facts>(
  counters: StageCounters,
  machine: Machine<In, Out>,
  factsOf: () => Facts,
): Engine<In, Out, Facts> {
  return new MachineEngine(counters, machine, factsOf)
}

class MachineEngine<In, Out, Facts> implements Engine<In, Out, Facts> {
  readonly #stage: string
  readonly #driver: Driver<In, Out>
  readonly #factsOf: () => Facts
  /** The input, or its end, that the driver has not taken. */
  #input: Step<In> | undefined
  /** True until the outputs of the last call are used up. */
  #isBusy = false
  /** Why the engine takes no more input. */
  #refusal: FeedError | undefined
  #isClosed = false

  constructor(counters: StageCounters, machine: Machine<In, Out>, factsOf: () => Facts) {
    const next = () => {
      const input = this.#input
      this.#input = undefined
      return input
    }
    this.#stage = counters.stage
    this.#driver = new Driver(machine, counters, { next, close() {} })
    this.#factsOf = factsOf
  }

  get facts(): Facts {
    return this.#factsOf()
  }

  push(input: In): IterableIterator<Out> {
    return this.#outputsOf({ done: false, value: input })
  }

  end(): IterableIterator<Out> {
    const outputs = this.#outputsOf(DONE, true)
    const message = `${this.#stage} was ended before this call: make a new engine`
    this.#refusal = new FeedError('STAGE_WRITE_AFTER_END', message, { stage: this.#stage })
    return outputs
  }

  close(): void {
    this.#isClosed = true
    this.#refusal ??= this.#destroyed()
    this.#driver.close()
  }

  #destroyed(): FeedError<'STAGE_DESTROYED'> {
    const message = `${this.#stage} was closed, or a loop over its outputs was left early: make a new engine`
    return new FeedError('STAGE_DESTROYED', message, { stage: this.#stage })
  }

  #outputsOf(input: Step<In>, isEnd = false): IterableIterator<Out> {
    if (this.#refusal !== undefined) throw this.#refusal
    if (this.#isBusy) {
      const message = `${this.#stage}: use up the outputs of the last call before the next one`
      throw new FeedError('STAGE_NOT_ENDED', message, { stage: this.#stage })
    }
    this.#isBusy = true
    this.#input = input
    return this.#outputs(isEnd)
  }

  *#outputs(isEnd: boolean): Generator<Out, void, void> {
    let isUsedUp = false
    try {
      for (let step = this.#next(); step && !step.done; step = this.#next())
        if (step.value !== PAUSE) yield step.value
      if (isEnd && this.#isClosed) throw this.#destroyed()
      isUsedUp = true
      this.#isBusy = false
    } catch (error) {
      this.#refusal = asFeedError(error, this.#stage)
      throw this.#refusal
    } finally {
      if (!isUsedUp) this.close()
    }
  }

  /** Undefined where the machine wants the next input. */
  #next(): Step<Out | Pause> | undefined {
    return this.#driver.next() as Step<Out | Pause> | undefined
  }
}
