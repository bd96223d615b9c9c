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
  const { stage } = counters
  /** The input, or its end, that the driver has not taken. */
  let given: Step<In> | undefined
  /** True until the outputs of the last call are used up. */
  let isBusy = false
  /** Why the engine takes no more input. */
  let refusal: FeedError | undefined
  let isClosed = false
  const next = () => {
    const input = given
    given = undefined
    return input
  }
  const driver = new Driver(machine, counters, { next, close() {} })
  /** Gives undefined where the machine wants the next input. */
  const nextOutput = () => driver.next() as Step<Out | Pause> | undefined
  const destroyed = () => {
    const message = `${stage} was closed, or a loop over its outputs was left early: make a new engine`
    return new FeedError('STAGE_DESTROYED', message, { stage })
  }
  const close = () => {
    isClosed = true
    refusal ??= destroyed()
    driver.close()
  }
  function* outputs(isEnd: boolean): Generator<Out, void, void> {
    let isUsedUp = false
    try {
      for (let step = nextOutput(); step && !step.done; step = nextOutput())
        if (step.value !== PAUSE) yield step.value
      if (isEnd && isClosed) throw destroyed()
      isUsedUp = true
      isBusy = false
    } catch (error) {
      refusal = asFeedError(error, stage)
      throw refusal
    } finally {
      if (!isUsedUp) close()
    }
  }
  const outputsOf = (input: Step<In>, isEnd = false) => {
    if (refusal !== undefined) throw refusal
    if (isBusy) {
      const message = `${stage}: use up the outputs of the last call before the next one`
      throw new FeedError('STAGE_NOT_ENDED', message, { stage })
    }
    isBusy = true
    given = input
    return outputs(isEnd)
  }
  return {
    get facts() {
      return factsOf()
    },
    push: input => outputsOf({ done: false, value: input }),
    end: () => {
      const last = outputsOf(DONE, true)
      const message = `${stage} was ended before this call: make a new engine`
      refusal = new FeedError('STAGE_WRITE_AFTER_END', message, { stage })
      return last
    },
    close,
  }
}
