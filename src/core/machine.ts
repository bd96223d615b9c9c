// What every stage is underneath: a machine, which makes outputs of inputs, and the driver that
// pulls them out of it. A pipeline is drivers on top of each other, with no queue and no event
// between them; a stage that stands alone is one driver over what was written to it
// (stages/stage.ts).
//
//   reader ─next()─▶ Driver ─▶ outputs of the current input, one at a time
//                       └─next()─▶ inputs: the driver of the stage before, or an inbox
//
// The one pull loop of the project stands here. It lets nobody wait: whoever calls `next` in a loop
// decides when the event loop turns (event-loop.ts), and gets a `PAUSE` where nothing came of a
// step.
//
// If you change the order of steps here, also change src/README.md ("How data flows") and the laws
// in test/stages/laws.ts; if you change what is counted, also change pipeline/stage-profile.ts.

import { asFeedError, FeedError } from '../errors'
import { byteLengthOf, IdleTime, rowCountOf, type StageCounters } from './counters'
import { DONE, isPromise, PAUSE, PAUSED, type Pause, type Step, Steps } from './steps'

/**
 * What a machine makes of one input or of the end: a lazy sequence, synchronous or not, or both
 * (`Steps`). `undefined` means nothing. A `PAUSE` in it is no output.
 */
export type Outputs<Out> = Iterable<Out | Pause> | AsyncIterable<Out | Pause> | undefined

/** Makes outputs of inputs. It knows neither where these come from nor where those go. */
export interface Machine<In, Out> {
  /** The outputs of one input. Called again only when the last sequence is used up. */
  push(input: In): Outputs<Out>
  /** The outputs of the end of input. */
  end(): Outputs<Out>
  /** True once it takes no more input: `end` follows when the current sequence is used up. */
  readonly takesNoMore?: boolean
  /**
   * Frees what it holds, once.
   * @param hasEnded its last output was handed on; otherwise it is not wanted any more
   */
  close(hasEnded: boolean): void
}

/** A step, at once or later. `PAUSE`: nothing yet, ask again. */
export type Next<T> = Step<T | Pause> | Promise<Step<T | Pause>>

/** Where a driver takes its inputs from. */
export interface Inputs<T> {
  /**
   * Called again only when the last step has come. Undefined: nothing is there, and somebody else
   * knows when there is.
   */
  next(): Next<T> | undefined
  /** No more is wanted. */
  close(): void
}

/** The inputs of a source: none. */
export const NO_INPUTS: Inputs<never> = { next: () => DONE, close() {} }

interface Cursor<Out> {
  next(): Step<Out | Pause> | Promise<Step<Out | Pause>>
  return?(): unknown
}

/** No step came of it: take the next one. */
const GO_ON = Symbol('go on')

/**
 * Pulls outputs out of one machine, and inputs into it as they are needed. It counts both, and the
 * time of each.
 */
export class Driver<In, Out> implements Inputs<Out> {
  readonly #machine: Machine<In, Out>
  readonly #counters: StageCounters
  readonly #inputs: Inputs<In>
  readonly #idle: IdleTime
  /** The outputs of the current input. */
  #cursor: Cursor<Out> | undefined
  #inputsEnded = false
  /** `end` was called: behind its outputs there are none. */
  #isEnding = false
  #isOver = false
  /** Inside the cursor's `next`: a running generator cannot be closed. */
  #isRunning = false

  /** @param counters of the machine; their name stands in its errors */
  constructor(machine: Machine<In, Out>, counters: StageCounters, inputs: Inputs<In>) {
    this.#machine = machine
    this.#counters = counters
    this.#inputs = inputs
    this.#idle = new IdleTime(counters)
  }

  /** @throws FeedError what the machine fails with; the driver is closed by its owner then */
  next(): Next<Out> | undefined {
    this.#idle.leave()
    while (!this.#isOver) {
      const step = this.#cursor ? this.#nextOutput(this.#cursor) : this.#nextCursor()
      if (step !== GO_ON) return step
    }
    return DONE
  }

  close(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#closeCursor()
    this.#machine.close(false)
    this.#inputs.close()
  }

  #nextOutput(cursor: Cursor<Out>): Next<Out> | undefined | typeof GO_ON {
    const startedAt = performance.now()
    this.#isRunning = true
    let step: Step<Out | Pause> | Promise<Step<Out | Pause>>
    try {
      step = cursor.next()
    } catch (error) {
      throw asFeedError(error, this.#counters.stage)
    } finally {
      this.#isRunning = false
    }
    // The machine's own work may have ended the run.
    if (this.#isOver) this.#closeCursor(cursor)
    if (isPromise(step)) return this.#nextLater(step, startedAt)
    this.#counters.busyMs += performance.now() - startedAt
    return this.#accept(step)
  }

  async #nextLater(
    promise: Promise<Step<Out | Pause>>,
    startedAt: number,
  ): Promise<Step<Out | Pause>> {
    let step: Step<Out | Pause>
    try {
      step = await promise
    } catch (error) {
      throw asFeedError(error, this.#counters.stage)
    }
    this.#counters.busyMs += performance.now() - startedAt
    return this.#accept(step)
  }

  #accept(step: Step<Out | Pause>): Step<Out | Pause> {
    if (this.#isOver) return DONE
    if (step.done) {
      this.#cursor = undefined
      // Inputs that give nothing would follow each other here, and nothing else would have its
      // turn.
      return PAUSED
    }
    if (step.value === PAUSE) return PAUSED
    this.#countOutput(step.value)
    this.#idle.enter('blockedMs')
    return step
  }

  #countOutput(item: Out): void {
    const { stage } = this.#counters
    // A stream says null for nothing: an item that is null would be lost in one, and its reader
    // wait for ever.
    if (item === null)
      throw new FeedError('STAGE_FAILED', `${stage}: null is not an item`, { stage })
    this.#counters.itemsOut++
    this.#counters.bytesOut += byteLengthOf(item)
    this.#counters.rowsOut += rowCountOf(item)
  }

  /**
   * Opens the outputs of the next input or of the end. Behind those of the end everything is over.
   */
  #nextCursor(): Next<Out> | undefined | typeof GO_ON {
    if (this.#isEnding) return this.#finish()
    if (this.#inputsEnded || this.#machine.takesNoMore) return this.#open(DONE)
    const startedAt = performance.now()
    const input = this.#inputs.next()
    if (input === undefined) {
      this.#idle.enter('waitMs')
      return undefined
    }
    if (isPromise(input)) return this.#openLater(input, startedAt)
    this.#counters.waitMs += performance.now() - startedAt
    return this.#open(input)
  }

  async #openLater(
    promise: Promise<Step<In | Pause>>,
    startedAt: number,
  ): Promise<Step<Out | Pause>> {
    const input = await promise
    this.#counters.waitMs += performance.now() - startedAt
    if (!this.#isOver) this.#open(input)
    return PAUSED
  }

  #open(input: Step<In | Pause>): Step<Out | Pause> | typeof GO_ON {
    if (!input.done && input.value === PAUSE) return PAUSED
    const startedAt = performance.now()
    let outputs: Outputs<Out>
    try {
      outputs = input.done ? this.#end() : this.#push(input.value as In)
    } catch (error) {
      throw asFeedError(error, this.#counters.stage)
    }
    this.#counters.busyMs += performance.now() - startedAt
    if (outputs === undefined || this.#isOver) return PAUSED
    this.#cursor = cursorOf(outputs)
    return GO_ON
  }

  #push(input: In): Outputs<Out> {
    this.#counters.itemsIn++
    this.#counters.bytesIn += byteLengthOf(input)
    this.#counters.rowsIn += rowCountOf(input)
    return this.#machine.push(input)
  }

  #end(): Outputs<Out> {
    // Before the end's own outputs: a machine that takes no more has no use for what stands before
    // it.
    if (this.#machine.takesNoMore) this.#inputs.close()
    this.#inputsEnded = true
    this.#isEnding = true
    return this.#machine.end()
  }

  #finish(): Step<Out> {
    this.#isOver = true
    this.#machine.close(true)
    return DONE
  }

  #closeCursor(cursor = this.#cursor): void {
    if (this.#isRunning) return
    this.#cursor = undefined
    if (cursor?.return === undefined) return
    // It is called for its clean-up, and the run has its outcome: nobody is left to be told of a
    // failure.
    try {
      const closing = cursor.return()
      if (isPromise(closing)) closing.catch(() => {})
    } catch {}
  }
}

function cursorOf<Out>(outputs: NonNullable<Outputs<Out>>): Cursor<Out> {
  if (outputs instanceof Steps) return outputs
  return Symbol.asyncIterator in outputs
    ? outputs[Symbol.asyncIterator]()
    : outputs[Symbol.iterator]()
}

/**
 * Asks for one item ahead wherever items are waited for, so that a stage which waits for a network
 * works while the next one does. What is at hand is not asked for ahead: nothing would be gained,
 * and one item more be held.
 */
export class ReadAhead<T> implements Inputs<T> {
  readonly #inputs: Inputs<T>
  #ahead: Next<T> | undefined
  #isClosed = false

  constructor(inputs: Inputs<T>) {
    this.#inputs = inputs
  }

  next(): Next<T> | undefined {
    const ahead = this.#ahead
    this.#ahead = undefined
    const step = ahead ?? this.#inputs.next()
    return step && isPromise(step) ? this.#later(step) : step
  }

  close(): void {
    this.#isClosed = true
    this.#inputs.close()
  }

  async #later(promise: Promise<Step<T | Pause>>): Promise<Step<T | Pause>> {
    const step = await promise
    if (!step.done && step.value !== PAUSE && !this.#isClosed) this.#ahead = this.#askAhead()
    return step
  }

  /** A failure ahead is told in its turn, behind the item before it. */
  #askAhead(): Next<T> | undefined {
    try {
      const step = this.#inputs.next()
      if (step && isPromise(step)) step.catch(() => {})
      return step
    } catch (error) {
      const failed = Promise.reject<Step<T>>(error)
      failed.catch(() => {})
      return failed
    }
  }
}
