// The base of every stage: one machine (core/machine.ts) as a Minipass stream. It is one piece
// because reading, writing and ending a stream share one state.
//
// A stage says what it makes of one input (`transform`) and of the end (`flush`), each as a lazy
// sequence. Alone, or between other streams, it drives that machine itself:
//
//   input ─write─▶ inbox ─▶ Driver ─one output at a time─▶ Minipass buffer (at most 1) ─▶ reader
//
// The next output is made only when a reader wants it, so one input that yields a thousand outputs
// is still bounded by a paused reader (a plain Minipass `write` is not). In a pipeline the run
// drives the machines of all stages (pipeline/run.ts), and nothing passes through these streams.
//
// Exactly one terminal event: `end`, or one `error` with a FeedError, or `close` alone after a bare
// destroy(). If you change what ends a stage, also change pipeline/run.ts and test/stages/laws.ts.

import type { Duplex } from 'node:stream'
import { Minipass } from 'minipass'
import { newCounters, type StageCounters } from '../core/counters'
import { eventLoopTurn, isTurnDue } from '../core/event-loop'
import { Driver, type Machine, type Next, type Outputs } from '../core/machine'
import { DONE, isPromise, PAUSE, type Pause, type Step } from '../core/steps'
import { asFeedError, FeedError } from '../errors'
import { filledText } from '../options'
import { Inbox } from './inbox'
import { nodeDuplex } from './node-duplex'
import { readItems } from './read-items'

export type { Outputs } from '../core/machine'

/** Who drives a stage's machine in its place. */
export interface StageOwner {
  /** The stage was destroyed from outside, or by its own work. */
  fail(error: FeedError): void
}

/**
 * A stage's first steps never wait for the event loop: what little is written has its outputs
 * before `write` returns, however busy the machine is.
 */
const PROMPT_STEPS = 16

const END_EVENTS: ReadonlySet<unknown> = new Set(['end', 'prefinish', 'finish', 'close'])

/**
 * A step of a pipeline: takes items of `In`, gives items of `Out`, one batch at a time.
 *
 * Subclasses implement `transform` (and `flush`, `release` where needed). Inputs belong to the
 * stage once written: it never changes them, and its outputs may share their memory unless the
 * subclass says otherwise. In a pipeline items do not pass through the stage's own stream: its
 * `end`, `error` and `close` are told, its `data` is not.
 */
export abstract class Stage<In, Out> extends Minipass<Out, In> {
  /**
   * Never present at run time. A function-typed property is checked contravariantly in `In`, which
   * plain Minipass methods are not: it makes a wrong chain a compile error at the call that joins
   * the two.
   */
  declare readonly __flow: (input: In) => Out

  readonly name: string
  readonly counters: StageCounters

  // Untyped, because a private member of type In would make stages invariant: one that takes more
  // than it is given must fit.
  readonly #inbox = new Inbox()
  readonly #driver: Driver<unknown, Out>
  #owner: StageOwner | undefined
  #inputEnded = false
  #finishedEarly = false
  #pumping = false
  #promptSteps = PROMPT_STEPS
  #holdsEnd = false
  #used = false
  #owesDrain = false
  /** No more work: the last output was handed on, or the stage was destroyed. */
  #settled = false
  #released = false
  #failure: FeedError | undefined
  readonly #abort = new AbortController()

  constructor(name: string = new.target.name) {
    super({ objectMode: true })
    this.name = filledText('name', name)
    this.counters = newCounters(name)
    this.#driver = new Driver<unknown, Out>(this.#machine(), this.counters, {
      next: () => this.#nextInput(),
      close() {},
    })
  }

  /** Outputs of one input. Called again only when the last sequence is used up. */
  protected abstract transform(input: In): Outputs<Out>

  /** Outputs of the end of input: where a stage throws if the input may not end here. */
  protected flush(): Outputs<Out> {
    return undefined
  }

  /** Frees what the stage holds. Called once, after the terminal event is decided. */
  protected release(): void {}

  /**
   * True for a stage that is done with an input once its outputs are used up: it copies what it
   * keeps. The stage before it in a pipeline may then write over the input's memory
   * (`lendOutputs`).
   */
  get borrowsInputs(): boolean {
    return false
  }

  /**
   * Called once, before a run begins, where the next stage of a pipeline borrows its inputs: from
   * here on an output has to stay as it is only until the next one is asked for. A stage that makes
   * use of that returns true, and is then never asked for an output ahead.
   */
  lendOutputs(): boolean {
    return false
  }

  /**
   * Takes no more input: what `transform` has given so far is the whole output, and `flush` follows
   * at once. Later writes are dropped; whoever wires the stage destroys what stands before it.
   */
  protected finishEarly(): void {
    this.#finishedEarly = true
    this.#inputEnded = true
    this.#inbox.clear()
    this.writable = false
  }

  /** Aborted when the stage is destroyed: hand it to whatever the stage waits for. */
  protected get signal(): AbortSignal {
    return this.#abort.signal
  }

  /** The error that ended the stage, if one did. */
  get failure(): FeedError | undefined {
    return this.#failure
  }

  /** True once it was written to, read from or destroyed: an instance serves one run. */
  get used(): boolean {
    return this.#used
  }

  /** What Node's adapters go by: items are no text, and not cut or joined. */
  get readableObjectMode(): boolean {
    return true
  }

  get writableObjectMode(): boolean {
    return true
  }

  /**
   * This stage as a Duplex of Node, for whatever insists on one:
   * `Duplex.toWeb(stage.toNodeDuplex())` gives web streams. `Duplex.from(stage)` is no such thing:
   * it takes a stage for a readable stream alone, and its reader waits for ever for what nobody can
   * write. A source has nothing to write: use `Readable.from(source)`.
   */
  toNodeDuplex(): Duplex {
    return nodeDuplex({
      write: item => this.write(item as In),
      end: () => this.end(),
      destroy: error => this.destroy(error),
      once: (event, listener) => this.once(event, listener),
      off: (event, listener) => this.off(event, listener),
      [Symbol.asyncIterator]: () => this[Symbol.asyncIterator](),
    })
  }

  /** @internal The stage's machine, for a run that drives it from here on. */
  machineFor(owner: StageOwner): Machine<In, Out> {
    this.#owner = owner
    this.#used = true
    return this.#machine()
  }

  #machine(): Machine<unknown, Out> {
    const isFinishedEarly = () => this.#finishedEarly
    return {
      push: input => this.transform(input as In),
      end: () => this.flush(),
      get takesNoMore() {
        return isFinishedEarly()
      },
      close: hasEnded => {
        if (hasEnded) this.#finish()
        else this.#settle()
      },
    }
  }

  override write(input: In): boolean
  override write(input: In, encoding?: unknown, callback?: unknown): boolean
  override write(input: In, encoding?: unknown, callback?: unknown): boolean {
    const done = typeof encoding === 'function' ? encoding : callback
    if (this.#finishedEarly && !this.destroyed) {
      // Dropped: a writer that nobody stops comes to its end, once all outputs were handed on.
      this.#owesDrain = !this.#settled
      return this.#settled
    }
    if (this.#settled || this.#owner !== undefined) return false
    if (this.#inputEnded) {
      this.destroy(
        new FeedError('STAGE_WRITE_AFTER_END', `${this.name}: write after end`, {
          stage: this.name,
        }),
      )
      return false
    }
    this.#inbox.push(input)
    this.#pump()
    if (typeof done === 'function') done()
    const wantsMore =
      this.#wantsInput() || (this.#finishedEarly && this.#settled && !this.destroyed)
    if (!wantsMore) this.#owesDrain = true
    return wantsMore
  }

  override end(input?: unknown, encoding?: unknown, callback?: unknown): this {
    const done = [input, encoding, callback].find(value => typeof value === 'function') as
      | (() => void)
      | undefined
    if (this.#inputEnded || this.#settled || this.#owner !== undefined) return this
    if (input !== undefined && typeof input !== 'function') this.write(input as In)
    if (done) this.once('end', done)
    this.#inputEnded = true
    this.writable = false
    this.#holdingEnd(() => this.#pump())
    return this
  }

  override destroy(error?: unknown): this {
    this.#used = true
    if (this.#settled) return this
    this.#failure =
      error === undefined || error === null ? undefined : asFeedError(error, this.name)
    if (this.#owner === undefined) this.#driver.close()
    else {
      const message = `${this.name} was destroyed before its end`
      this.#owner.fail(
        this.#failure ?? new FeedError('STAGE_DESTROYED', message, { stage: this.name }),
      )
    }
    this.#settle()
    return this
  }

  override read(size?: number | null): Out | null {
    if (this.#owner !== undefined) return null
    this.demanded()
    if (this.bufferLength === 0) this.#pump()
    return this.#holdingEnd(() => super.read(size))
  }

  // 'drain' on a Minipass means that its output side wants more: first serve that from what is
  // here, and tell the writer only when there is nothing left to serve.
  override emit<Event extends keyof Minipass.Events<Out>>(
    event: Event,
    ...args: Minipass.Events<Out>[Event]
  ): boolean {
    if (this.#holdsEnd && END_EVENTS.has(event)) {
      queueMicrotask(() => super.emit(event, ...args))
      return false
    }
    if (event !== 'drain') return super.emit(event, ...args)
    if (this.#settled || this.#owner !== undefined) return false
    this.demanded()
    this.#pump()
    return this.#payDrain()
  }

  /** A reader asked for output. A source starts its work here. */
  protected demanded(): void {}

  // Minipass's own iterator drops its error listener between two steps and does not destroy on
  // `break`.
  override [Symbol.asyncIterator](): AsyncGenerator<Out, void, void> {
    return readItems<Out>(this)
  }

  /**
   * Node's adapters take an item that `read` returns behind the event `end` for an error, and miss
   * a `finish` that comes before `end()` has returned: both events come right after the call
   * instead.
   */
  #holdingEnd<R>(call: () => R): R {
    const before = this.#holdsEnd
    this.#holdsEnd = true
    try {
      return call()
    } finally {
      this.#holdsEnd = before
    }
  }

  #nextInput(): Step<unknown> | undefined {
    if (this.#inbox.length > 0) return { done: false, value: this.#inbox.take() }
    return this.#inputEnded ? DONE : undefined
  }

  #wantsInput(): boolean {
    return (
      !this.#settled &&
      !this.#inputEnded &&
      !this.#pumping &&
      this.#inbox.length === 0 &&
      this.#wantsOutput()
    )
  }

  #wantsOutput(): boolean {
    return this.flowing || (this.bufferLength === 0 && !this.paused)
  }

  /** Makes outputs for as long as the reader wants them and inputs are there. */
  #pump(): void {
    this.#used = true
    if (this.#pumping) return
    this.#pumping = true
    try {
      while (!this.#settled && this.#wantsOutput()) {
        if (this.#promptSteps > 0) this.#promptSteps--
        else if (isTurnDue(performance.now())) {
          this.#resumeAfter(eventLoopTurn())
          return
        }
        const step: Next<Out> | undefined = this.#driver.next()
        if (step === undefined) break
        if (isPromise(step)) {
          this.#resumeAfter(step)
          return
        }
        this.#handOn(step)
      }
      this.#pumping = false
    } catch (error) {
      this.#pumping = false
      this.destroy(error)
    }
  }

  #resumeAfter(waiting: Promise<Step<Out | Pause> | undefined>): void {
    waiting.then(
      step => {
        this.#pumping = false
        if (this.#settled) return
        if (step) this.#handOn(step)
        this.#pump()
        this.#payDrain()
      },
      error => {
        this.#pumping = false
        this.destroy(error)
      },
    )
  }

  #handOn(step: Step<Out | Pause>): void {
    if (step.done || step.value === PAUSE || this.#settled) return
    super.write(step.value as never)
  }

  /** All outputs were handed on. */
  #finish(): void {
    if (this.#settled) return
    this.#releaseOnce()
    this.#settled = true
    this.writable = false
    super.emit('close') // held back by Minipass until 'end' and 'finish' are out
    super.end()
    if (this.#owesDrain) super.emit('drain')
  }

  /** The end that is no good one: of a failure, or because nobody wants the outputs any more. */
  #settle(): void {
    if (this.#settled) return
    const failure = this.#failure
    this.#settled = true
    this.#used = true
    this.writable = false
    this.#inbox.clear()
    this.#abort.abort(
      failure ??
        new FeedError('STAGE_DESTROYED', `${this.name} was destroyed`, { stage: this.name }),
    )
    // The terminal event is decided: a failure of letting go must not hold it back, and nobody is
    // left to be told of it.
    try {
      this.#releaseOnce()
    } catch {}
    if (failure === undefined || this.listenerCount('error') > 0) super.destroy(failure)
    else {
      // Who writes before anybody listens still gets the error as an event, not out of `write`.
      super.destroy()
      if (this.#owner === undefined) queueMicrotask(() => super.emit('error', failure))
    }
    super.emit('close')
  }

  #releaseOnce(): void {
    if (this.#released) return
    this.#released = true
    this.release()
  }

  #payDrain(): boolean {
    if (!this.#owesDrain || !this.#wantsInput()) return false
    this.#owesDrain = false
    return super.emit('drain')
  }
}
