// Asynchronous iteration over a stage. Minipass's own iterator drops its error listener between two
// steps, and does not destroy the stream when its reader leaves early. By hand and not by a
// generator: what is there already costs one promise.

import { DONE, type Step } from '../core/steps'
import { FeedError } from '../errors'

/** What iteration needs of a stage. */
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
 * The stage's items in order; leaving early destroys it.
 * @throws FeedError the stage's own, or STAGE_DESTROYED
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
  /** The last step that waits: steps that are asked for meanwhile take their turn behind it. */
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

  /** Undefined: nothing yet. */
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
    // Stays after the end: a late failure of a stage that nobody reads any more is not the end of
    // the process.
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
