// Asynchronous iteration over a stage. Minipass's own iterator drops its error listener between two
// steps, and does not destroy the stream when its reader leaves early. The iterator is written by
// hand, so that an item that is there already takes one promise.

import { DONE, type Step } from '../core/steps'
import { FeedError } from '../errors'

/** The part of a stage that iteration needs. */
interface ReadableStage<Out> {
  readonly name: string
  readonly destroyed: boolean
  readonly emittedEnd: boolean
  readonly failure: FeedError | undefined
  read(): Out | null
  destroy(): unknown
  on(event: 'readable' | 'end' | 'close' | 'error', listener: () => void): unknown
  off(event: 'readable' | 'end' | 'close', listener: () => void): unknown
}

const EVENTS = ['readable', 'end', 'close'] as const

/**
 * Returns the items of the stage in order; leaving the loop early destroys the stage.
 * @throws FeedError the error of the stage, or STAGE_DESTROYED
 */
export function readItems<Out>(stage: ReadableStage<Out>): AsyncGenerator<Out, void, void> {
  return new ItemReader(stage)
}

class ItemReader<Out> implements AsyncGenerator<Out, void, void> {
  readonly #stage: ReadableStage<Out>
  readonly #onEvent = () => this.#wake()
  #wake = () => {}
  #isListening = false
  #isClosed = false
  /** The last step that waits. Steps that are requested meanwhile queue behind it. */
  #waiting: Promise<Step<Out>> | undefined

  constructor(stage: ReadableStage<Out>) {
    this.#stage = stage
  }

  next(): Promise<Step<Out>> {
    if (this.#waiting) return this.#waits(this.#behind(this.#waiting))
    try {
      const step = this.#stepNow()
      return step ? Promise.resolve(step) : this.#waits(this.#stepLater())
    } catch (error) {
      return Promise.reject(error)
    }
  }

  async return(): Promise<Step<Out>> {
    this.#close()
    return DONE
  }

  async throw(error: unknown): Promise<Step<Out>> {
    this.#close()
    throw error
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#close()
  }

  /** Returns undefined while no item is there. */
  #stepNow(): Step<Out> | undefined {
    if (this.#isClosed) return DONE
    if (!this.#isListening) this.#listen()
    const item = this.#stage.read()
    return item === null ? this.#stepAtEnd() : { done: false, value: item }
  }

  #stepAtEnd(): Step<Out> | undefined {
    const { failure, emittedEnd, destroyed, name } = this.#stage
    if (failure === undefined && !emittedEnd && !destroyed) return undefined
    this.#close()
    if (failure !== undefined) throw failure
    if (emittedEnd) return DONE
    throw new FeedError('STAGE_DESTROYED', `${name} was destroyed while being read`, {
      stage: name,
    })
  }

  async #stepLater(): Promise<Step<Out>> {
    for (;;) {
      await new Promise<void>(resolve => {
        this.#wake = resolve
      })
      const step = this.#stepNow()
      if (step) return step
    }
  }

  async #behind(before: Promise<unknown>): Promise<Step<Out>> {
    await before.catch(() => {})
    return this.#stepNow() ?? this.#stepLater()
  }

  #waits(step: Promise<Step<Out>>): Promise<Step<Out>> {
    const settled = () => {
      if (this.#waiting === step) this.#waiting = undefined
    }
    this.#waiting = step
    step.then(settled, settled)
    return step
  }

  #listen(): void {
    this.#isListening = true
    for (const event of EVENTS) this.#stage.on(event, this.#onEvent)
    // This listener stays after the end: a late failure of a stage without a reader must not end
    // the process as an unhandled error.
    this.#stage.on('error', this.#onEvent)
  }

  #close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    for (const event of EVENTS) this.#stage.off(event, this.#onEvent)
    if (this.#isListening && !this.#stage.emittedEnd) this.#stage.destroy()
    this.#wake()
  }
}
