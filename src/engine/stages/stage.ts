// The base of every stage: one machine (core/machine.ts) as a Minipass stream. The file is one
// piece because reading, writing and ending a stream share one state.
//
// A stage defines the outputs of one input (`transform`) and of the end (`flush`), each as a lazy
// sequence. Outside a pipeline the stage drives its machine itself:
//
//   input ─write─▶ inbox ─▶ Driver ─one output at a time─▶ Minipass buffer (at most 1) ─▶ reader
//
// The stage makes the next output only when a reader wants it, so a paused reader bounds even an
// input with a thousand outputs, which a plain Minipass `write` does not. In a pipeline the run
// drives the machines of all stages (pipeline/run.ts), and no item passes through these streams.
//
// A stage has exactly one terminal event: `end`, or one `error` with a FeedError, or `close` alone
// after `destroy()` without an error.
//
// If you change what ends a stage, also change pipeline/run.ts and test/engine/stages/laws.ts.

import type { Duplex } from 'node:stream'
import { Minipass } from 'minipass'
import type { Secrets } from '../codec/secrets'
import { newCounters, type StageCounters } from '../core/counters'
import { Driver, type Machine, type Outputs } from '../core/machine'
import { DONE, isPromise, PAUSE, type Pause, type Step, turnIfDue } from '../core/steps'
import type { FilePlace } from '../disk/files-of-run'
import { asFeedError, FeedError } from '../errors'
import { is } from '../options'
import { Inbox } from './inbox'
import { nodeDuplex } from './node-duplex'
import { readItems } from './read-items'

export type { Outputs } from '../core/machine'

/** The owner of a stage, which drives the stage's machine in its place: a run of a pipeline. */
export interface StageOwner {
  /** Called when the stage was destroyed from outside, or by its own work. */
  fail(error: FeedError): void
}

/**
 * The first steps of a stage never wait for the event loop. A small input so has its outputs before
 * `write` returns, however busy the machine is.
 */
const PROMPT_STEPS = 16

const END_EVENTS: ReadonlySet<unknown> = new Set(['end', 'prefinish', 'finish', 'close'])

/**
 * A step of a pipeline: takes items of type `In`, gives items of type `Out`, one batch at a time.
 *
 * Subclasses implement `transform`, and `flush` and `release` where needed. An input belongs to the
 * stage after `write`. The stage never changes it, and outputs may share its memory unless the
 * subclass says otherwise. In a pipeline items do not pass through the stage's own stream: it emits
 * `end` and `close`, `error` only if it is destroyed from outside, and no `data`.
 *
 * @throws FeedError OPTION_INVALID at construction, for a name without text
 * @example
 * ```ts
 * import { FileSource, Gunzip, pipeline, Stage } from 'feedmill'
 * // given: path
 *
 * class Lengths extends Stage<Uint8Array, number> {
 *   protected override *transform(block: Uint8Array) {
 *     yield block.length
 *   }
 * }
 * console.log(await pipeline(new FileSource(path)).to(new Gunzip()).to(new Lengths()).toArray())
 * // => [ 68 ]
 * ```
 */
export abstract class Stage<In, Out> extends Minipass<Out, In> {
  /**
   * A property of the type only, never present at run time. The compiler checks a function-typed
   * property contravariantly in `In`, which it does not do for Minipass methods. So a wrong chain
   * is a compile error at the call that joins the two stages, whose message shows the name of this
   * property, what the stage takes and what it was given.
   */
  declare readonly takesItemsOfTheStageBefore: (input: In) => Out

  /** The name of the stage in errors and counters. */
  readonly name: string
  /** The items, bytes, rows and times of the stage so far. */
  readonly counters: StageCounters

  // The item type is erased, because a private member of type In would make stages invariant: a
  // stage that accepts more than it is given must fit.
  readonly #inbox = new Inbox()
  readonly #driver: Driver<unknown, Out>
  #owner: StageOwner | undefined
  #inputEnded = false
  #finishedEarly = false
  #pumping = false
  /** `read` was called and no output has come since: one is made for it, also while paused. */
  #isReadAsked = false
  #promptSteps = PROMPT_STEPS
  #holdsEnd = false
  #used = false
  #isDrainDue = false
  /** True once no work is left: the last output was passed on, or the stage was destroyed. */
  #settled = false
  #released = false
  #lastWork: Promise<void> | undefined
  #failure: FeedError | undefined
  readonly #abort = new AbortController()

  constructor(name: string = new.target.name) {
    super({ objectMode: true })
    this.name = is.filledText('name', name)
    this.counters = newCounters(name)
    this.#driver = new Driver<unknown, Out>(this.#machine(), this.counters, {
      next: () => this.#nextInput(),
      close() {},
    })
  }

  /**
   * Returns the outputs of one input. It is called again only after the last sequence has ended.
   */
  protected abstract transform(input: In): Outputs<Out>

  /** Returns the outputs of the end of input. It throws where the input may not end here. */
  protected flush(): Outputs<Out> {
    return undefined
  }

  /**
   * Frees the resources of the stage. It is called once, after the terminal event is decided. Where
   * the stage still has to write, it returns a promise, which its run waits for before it settles.
   */
  protected release(): void | Promise<void> | undefined {}

  /** @internal The promise of `release`. */
  get lastWork(): Promise<void> | undefined {
    return this.#lastWork
  }

  /**
   * True for a stage that is done with an input once its outputs are used up, because it copies
   * what it keeps. The stage before it in a pipeline may then overwrite the memory of the input
   * (`lendOutputs`).
   */
  get borrowsInputs(): boolean {
    return false
  }

  /**
   * Called once, before a run begins, where the next stage of the pipeline borrows its inputs. From
   * then on an output must stay unchanged only until the next one is asked for. A stage that uses
   * this returns true.
   */
  lendOutputs(): boolean {
    return false
  }

  /**
   * @internal True where nobody writes to the memory of an output again, unless it is lent. A run
   * copies the bytes of other stages for a stage that keeps its inputs.
   */
  ownsOutputs = false

  /**
   * The path or the address of the file that a run reads, as errors show it. A source that knows it
   * says so, and the run tells its other stages.
   */
  origin: string | undefined
  /** @internal What the stage was given that no error of its run may show. */
  declare secrets?: Secrets

  /** Paths of the files that the stage reads: a run refuses an output that is one of them. */
  declare reads?: readonly FilePlace[]
  /** @internal The files that it writes beside its outputs. */
  declare writes?: readonly FilePlace[]

  /**
   * @internal The size of the file that a run reads, compressed or not. A source that knows it says
   * so before its first output.
   */
  fileBytes: number | undefined

  /** @internal The source of the run, which knows more of the file. */
  source: { readonly fileBytes: number | undefined } = this

  /**
   * Called once, before a run begins, with the bytes that the next stage of the pipeline requires
   * at the start of its input. Returns those that this stage requires at the start of its own.
   */
  requireStart(_ofOutput: Uint8Array | undefined): Uint8Array | undefined {
    return undefined
  }

  /**
   * Ends the input of the stage: the current outputs of `transform` are its last, and those of
   * `flush` follow. Later writes are dropped. The code that wired the stage destroys the stages
   * before it.
   */
  protected finishEarly(): void {
    this.#finishedEarly = true
    this.#inputEnded = true
    this.#inbox.clear()
    this.writable = false
  }

  /**
   * A signal that is aborted when the stage is destroyed. Pass it to every call that the stage
   * waits for.
   */
  protected get signal(): AbortSignal {
    return this.#abort.signal
  }

  /** The error that ended the stage, or undefined where none did. */
  get failure(): FeedError | undefined {
    return this.#failure
  }

  /** True once the stage was written to, read from or destroyed: an instance serves one run. */
  get used(): boolean {
    return this.#used
  }

  /** Node's adapters read this: items are no text, and must not be cut or joined. */
  get readableObjectMode(): boolean {
    return true
  }

  get writableObjectMode(): boolean {
    return true
  }

  /**
   * @internal Tells Node that a stage is both written to and read. Without it `Duplex.from` makes a
   * stream that cannot be written to, so that its reader never gets anything.
   */
  readonly _readableState = {}

  /**
   * Returns this stage as a Duplex of Node, for code that needs one:
   * `Duplex.toWeb(stage.toNodeDuplex())` gives web streams. `Duplex.from(stage)` gives the stage
   * itself, which `Duplex.toWeb` refuses with ERR_INVALID_ARG_TYPE. A source has no input: use
   * `Readable.from(source)`.
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

  /** @internal Returns the stage's machine for a run, which drives it from here on. */
  machineFor(owner: StageOwner): Machine<In, Out> {
    this.#owner = owner
    this.#used = true
    return this.#machine()
  }

  #machine(): Machine<unknown, Out> {
    return {
      push: input => this.transform(input as In),
      end: () => this.flush(),
      takesNoMore: () => this.#finishedEarly,
      close: hasEnded => {
        if (hasEnded) this.#finish()
        else this.#endEarly()
      },
    }
  }

  override write(input: In): boolean
  override write(input: In, encoding?: unknown, callback?: unknown): boolean
  override write(input: In, encoding?: unknown, callback?: unknown): boolean {
    const done = typeof encoding === 'function' ? encoding : callback
    if (this.#finishedEarly && !this.destroyed) {
      // The input is dropped, so that a writer which nothing stops reaches its end after all
      // outputs.
      this.#isDrainDue = !this.#settled
      return this.#settled
    }
    if (this.#settled || this.#owner !== undefined) return false
    if (this.#inputEnded) {
      this.destroy(
        new FeedError(
          'STAGE_WRITE_AFTER_END',
          `${this.name} was ended before this write: write to a new stage`,
          {
            stage: this.name,
          },
        ),
      )
      return false
    }
    this.#inbox.push(input)
    this.#pump()
    if (typeof done === 'function') done()
    const wantsMore =
      this.#wantsInput() || (this.#finishedEarly && this.#settled && !this.destroyed)
    if (!wantsMore) this.#isDrainDue = true
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
    this.#endEarly()
    return this
  }

  override read(size?: number | null): Out | null {
    if (this.#owner !== undefined) return null
    this.demanded()
    if (this.bufferLength === 0) {
      this.#isReadAsked = true
      this.#pump()
    }
    return this.#holdingEnd(() => super.read(size))
  }

  // Minipass emits 'drain' when its output side wants more. The stage first serves that from its
  // inbox, and passes the event to the writer only when nothing is left to serve.
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
    return this.#emitDueDrain()
  }

  /** Called when a reader asks for output. A source starts its work here. */
  protected demanded(): void {}

  // Minipass's own iterator drops its error listener between two steps and does not destroy on
  // `break`.
  override [Symbol.asyncIterator](): AsyncGenerator<Out, void, void> {
    return readItems<Out>(this)
  }

  /**
   * Delays the end events until right after the call. Node's adapters treat an item that `read`
   * returns after the event `end` as an error, and miss a `finish` that comes before `end()` has
   * returned.
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
    return this.flowing || (this.bufferLength === 0 && (this.#isReadAsked || !this.paused))
  }

  /** Makes outputs while the reader wants them and inputs are there. */
  #pump(): void {
    this.#used = true
    if (this.#pumping) return
    this.#pumping = true
    try {
      while (!this.#settled && this.#wantsOutput()) {
        const isPrompt = this.#promptSteps > 0
        if (isPrompt) this.#promptSteps--
        const step = (isPrompt ? undefined : turnIfDue()) ?? this.#driver.next()
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
        this.#emitDueDrain()
      },
      error => {
        this.#pumping = false
        this.destroy(error)
      },
    )
  }

  #handOn(step: Step<Out | Pause>): void {
    if (step.done || step.value === PAUSE || this.#settled) return
    this.#isReadAsked = false
    super.write(step.value as never)
  }

  /** Ends the stage after all outputs were passed on. */
  #finish(): void {
    if (this.#settled) return
    try {
      this.#releaseOnce()
    } catch (error) {
      this.destroy(error)
      return
    }
    this.#settled = true
    this.writable = false
    super.emit('close') // Minipass delays it until after 'end' and 'finish'.
    super.end()
    if (this.#isDrainDue) super.emit('drain')
  }

  /** Ends the stage early: after a failure, or because no reader wants its outputs any more. */
  #endEarly(): void {
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
    // The terminal event is decided already, so a failure of `release` must not delay it, and no
    // caller could receive that failure.
    try {
      this.#releaseOnce()
    } catch {}
    if (failure === undefined || this.listenerCount('error') > 0) super.destroy(failure)
    else {
      // A writer that writes before a listener is added gets the error as an event, not as an
      // exception from `write`.
      super.destroy()
      if (this.#owner === undefined) queueMicrotask(() => super.emit('error', failure))
    }
    const close = () => super.emit('close')
    if (this.#lastWork === undefined) close()
    else this.#lastWork.then(close, close)
  }

  #releaseOnce(): void {
    if (this.#released) return
    this.#released = true
    this.#lastWork = this.release() ?? undefined
    // The run reports a failure. Outside of a pipeline no caller could receive it.
    this.#lastWork?.catch(() => {})
  }

  #emitDueDrain(): boolean {
    if (!this.#isDrainDue || !this.#wantsInput()) return false
    this.#isDrainDue = false
    return super.emit('drain')
  }
}
