// The machine of a stage, and the driver that pulls outputs out of it. A machine turns inputs into
// outputs and knows no stream. A pipeline is a chain of drivers, with no queue and no event between
// them. A stage outside a pipeline is one driver over the items that were written to it
// (stages/stage.ts).
//
//   reader ─next()─▶ Driver ─▶ outputs of the current input, one at a time
//                       └─next()─▶ inputs: the driver of the stage before, or an inbox
//
// The only pull loop of the project is `Driver.next`. The driver never yields to the event loop by
// itself: a caller that loops over `next` decides when to yield (steps.ts), and gets a `PAUSE`
// where a step had no output.
//
// If you change the order of steps, also change src/README.md ("How data flows") and the laws in
// test/engine/stages/laws.ts. If you change what is counted, also change bench/stage-shares.ts.

import { batchTopic } from '../diagnostics/channels'
import { ofRun } from '../diagnostics/run-watch'
import { asFeedError, FeedError } from '../errors'
import { byteLengthOf, IdleTime, rowCountOf, type StageCounters } from './counters'
import { DONE, isPromise, PAUSE, PAUSED, type Pause, type Step, Steps } from './steps'

/**
 * The outputs of one input, or of the end of input: a lazy sequence that is synchronous,
 * asynchronous or mixed (`Steps`). `undefined` means that there are none. A `PAUSE` in the sequence
 * is no output.
 */
export type Outputs<Out> = Iterable<Out | Pause> | AsyncIterable<Out | Pause> | undefined

/**
 * Turns inputs into outputs. A machine does not know where inputs come from or where outputs go.
 */
export interface Machine<In, Out> {
  /**
   * Returns the outputs of one input. The driver calls it again only after the last sequence has
   * ended.
   */
  push(input: In): Outputs<Out>
  /** Returns the outputs of the end of input. */
  end(): Outputs<Out>
  /**
   * Returns true once the machine accepts no more input: the driver then calls `end` after the
   * current sequence.
   */
  takesNoMore(): boolean
  /**
   * Frees the resources of the machine. The driver calls it once.
   * @param hasEnded true after the last output was passed on, false where the run was stopped
   * before
   */
  close(hasEnded: boolean): void
}

/** A step, or the promise of one. The value `PAUSE` means: no output yet, ask again. */
export type Next<T> = Step<T | Pause> | Promise<Step<T | Pause>>

/** The place where a driver takes its inputs from. */
export interface Inputs<T> {
  /**
   * Returns the next step. The caller waits for the last step before it calls again. Returns
   * undefined while nothing is there and the caller will learn in another way when something is.
   */
  next(): Next<T> | undefined
  /** Tells the supplier that the driver wants no more inputs. */
  close(): void
}

/** The inputs of a source, which has none. */
export const NO_INPUTS: Inputs<never> = { next: () => DONE, close() {} }

interface Cursor<Out> {
  next(): Step<Out | Pause> | Promise<Step<Out | Pause>>
  return?(): unknown
}

/** Tells the pull loop to go on: the call had no step. */
const GO_ON = Symbol('go on')

/**
 * Pulls outputs out of one machine, and inputs into it when they are needed. It counts both, and
 * the time of each.
 */
export class Driver<In, Out> implements Inputs<Out> {
  readonly #machine: Machine<In, Out>
  readonly #counters: StageCounters
  readonly #inputs: Inputs<In>
  readonly #idle: IdleTime
  /** The outputs of the current input. */
  #cursor: Cursor<Out> | undefined
  /** True after `end` was called on the machine: no output follows those of the end. */
  #isEnding = false
  #isOver = false
  /** True inside the cursor's `next`: a generator that runs cannot be closed. */
  #isRunning = false

  /** @param counters the counters of the machine; errors carry their stage name */
  constructor(machine: Machine<In, Out>, counters: StageCounters, inputs: Inputs<In>) {
    this.#machine = machine
    this.#counters = counters
    this.#inputs = inputs
    this.#idle = new IdleTime(counters)
  }

  /**
   * @throws FeedError the failure of the machine, or of the inputs, which passes unchanged; the run
   * then closes all drivers
   */
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
    // The machine's own work may have closed this driver.
    if (this.#isOver) this.#closeCursor(cursor)
    if (isPromise(step)) return this.#nextLater(step, startedAt)
    this.#counters.busyMs += performance.now() - startedAt
    return this.#countStep(step)
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
    return this.#countStep(step)
  }

  #countStep(step: Step<Out | Pause>): Step<Out | Pause> {
    if (this.#isOver) return DONE
    // Without the check a step that is no object would be an item without end.
    if (typeof step !== 'object' || step === null) throw notAStep(this.#counters.stage)
    if (step.done) {
      this.#cursor = undefined
      // Without this pause, a long series of inputs without outputs would never yield to the event
      // loop.
      return PAUSED
    }
    if (step.value === PAUSE) return PAUSED
    this.#countOutput(step.value)
    this.#idle.enter('blockedMs')
    return step
  }

  #countOutput(item: Out): void {
    const { stage } = this.#counters
    // A stream reads null as "no item": a null item would be lost, and its reader would wait for
    // ever.
    if (item === null)
      throw new FeedError('STAGE_FAILED', `${stage}: null is not an item`, { stage })
    this.#counters.itemsOut++
    const bytes = byteLengthOf(item)
    const rows = rowCountOf(item)
    this.#counters.bytesOut += bytes
    this.#counters.rowsOut += rows
    if (batchTopic.hasSubscribers) batchTopic.publish({ ...ofRun(), stage, rows, bytes })
  }

  /**
   * Opens the outputs of the next input, or of the end of input. After the outputs of the end the
   * driver is over.
   */
  #nextCursor(): Next<Out> | undefined | typeof GO_ON {
    if (this.#isEnding) return this.#finish()
    if (this.#machine.takesNoMore()) return this.#open(DONE)
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
    // The inputs are closed before the outputs of the end: a machine that takes no more input does
    // not need the stages before it.
    if (this.#machine.takesNoMore()) this.#inputs.close()
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
    // `return` is called for its clean-up only. The run has its outcome already, so no caller could
    // receive a failure from here.
    try {
      const closing = cursor.return()
      if (isPromise(closing)) closing.catch(() => {})
    } catch {}
  }
}

function notAStep(stage: string): FeedError<'STAGE_FAILED'> {
  const message = `${stage}: the iterator's next() gave no object with done and value`
  return new FeedError('STAGE_FAILED', message, { stage })
}

function cursorOf<Out>(outputs: NonNullable<Outputs<Out>>): Cursor<Out> {
  if (outputs instanceof Steps) return outputs
  return Symbol.asyncIterator in outputs
    ? outputs[Symbol.asyncIterator]()
    : outputs[Symbol.iterator]()
}
