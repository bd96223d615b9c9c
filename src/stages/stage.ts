// The base of every stage: a Minipass stream over one machine. It is one piece because its pump and the events of
// Minipass share one state; the queue, the clock and the iterator stand beside it.
//
// A stage says what it makes of one input (`transform`) and of the end (`flush`), each as a lazy sequence.
// The base pulls the next output only when a reader wants it, so one input that yields a thousand
// outputs is still bounded by a paused reader (a plain Minipass `write` is not).
//
//   input ─write─▶ inbox ─▶ transform() ─one output at a time─▶ Minipass buffer (at most 1) ─▶ reader
//
// Between two steps the base lets the event loop turn when stages have worked for some milliseconds
// (event-loop.ts), whether they gave outputs or not. A sequence that works long without an output
// gives `PAUSE` in between (codec/steps.ts), so that there are steps.
//
// Exactly one terminal event: `end`, or one `error` with a FeedError, or `close` alone after a bare destroy().

import type { Duplex } from 'node:stream'
import { Minipass } from 'minipass'
import { isPromise, PAUSE, type Pause, Steps } from '../codec/steps'
import { asFeedError, FeedError } from '../errors'
import { filledText } from '../options'
import { byteLengthOf, type IdleFor, IdleTime, newCounters, rowCountOf, type StageCounters } from './counters'
import { eventLoopTurn, isTurnDue } from './event-loop'
import { Inbox } from './inbox'
import { nodeDuplex } from './node-duplex'
import { readItems } from './read-items'

/**
 * What `transform` and `flush` return: a lazy sequence, synchronous or not, or both (`Steps`).
 * `undefined` means nothing. A `PAUSE` in it is no output.
 */
export type Outputs<Out> = Iterable<Out | Pause> | AsyncIterable<Out | Pause> | undefined

interface Cursor<Out> {
  next(): IteratorResult<Out | Pause> | Promise<IteratorResult<Out | Pause>>
  return?(): unknown
}

/**
 * A stage's first steps never wait for the event loop: what little is written has its outputs before
 * `write` returns, however busy the machine is.
 */
const PROMPT_STEPS = 16

const END_EVENTS: ReadonlySet<unknown> = new Set(['end', 'prefinish', 'finish', 'close'])

/**
 * A step of a pipeline: takes items of `In`, gives items of `Out`, one batch at a time.
 *
 * Subclasses implement `transform` (and `flush`, `release` where needed). Inputs belong to the stage once
 * written: it never changes them, and its outputs may share their memory unless the subclass says otherwise.
 */
export abstract class Stage<In, Out> extends Minipass<Out, In> {
  /**
   * Never present at run time. A function-typed property is checked contravariantly in `In`, which plain Minipass
   * methods are not: it makes a wrong chain a compile error at the call that joins the two.
   */
  declare readonly __flow: (input: In) => Out

  readonly name: string
  readonly counters: StageCounters

  // Untyped, because a private member of type In would make stages invariant: one that takes more than it is given must fit.
  readonly #inbox = new Inbox()
  #cursor: Cursor<Out> | undefined
  #inputEnded = false
  #finishedEarly = false
  #flushed = false
  #pumping = false
  /** Inside the cursor's `next`: a running generator cannot be closed. */
  #running = false
  /** Inside `takeNext`: outputs go to its caller, the next one by way of `#ahead`. */
  #taking = false
  #ahead: Out | undefined
  #promptSteps = PROMPT_STEPS
  #holdsEnd = false
  #used = false
  #owesDrain = false
  /** No more work: the last output was handed on, or the stage was destroyed. */
  #settled = false
  #released = false
  #failure: FeedError | undefined
  #heir: Stage<never, unknown> | undefined
  readonly #idle: IdleTime
  readonly #abort = new AbortController()

  constructor(name: string = new.target.name) {
    super({ objectMode: true })
    this.name = filledText('name', name)
    this.counters = newCounters(name)
    this.#idle = new IdleTime(this.counters)
  }

  /** Outputs of one input. Called again only when the last sequence is used up. */
  protected abstract transform(input: In): Outputs<Out>

  /** Outputs of the end of input: where a stage throws if the input may not end here. */
  protected flush(): Outputs<Out> {
    return undefined
  }

  /**
   * @internal A stage that does the work of this one and of `next` in one, with the same results, for whoever wires both;
   * undefined where there is none. It counts on the counters of the two, which carry no items themselves then.
   */
  fuseWith(_next: Stage<never, unknown>): Stage<never, unknown> | undefined {
    return undefined
  }

  /** @internal Another stage does this one's work from here on, and frees what it holds. Who destroys this one destroys that one. */
  retire(heir: Stage<never, unknown>): void {
    this.#heir = heir
    this.#used = true
    this.#settled = true
    this.#released = true
    this.writable = false
  }

  /** Frees what the stage holds. Called once, after the terminal event is decided. */
  protected release(): void {}

  /**
   * Takes no more input: what `transform` has given so far is the whole output, and `flush` follows at once.
   * Later writes are dropped; whoever wires the stage destroys what stands before it.
   */
  protected finishEarly(): void {
    this.#finishedEarly = true
    this.#inputEnded = true
    this.#inbox.clear()
    this.writable = false
  }

  /**
   * Whether an output is made ahead for whoever has paused the stage. What fails then ends the run before the outputs that went before
   * are used up; worth it where outputs are waited for.
   */
  protected get worksAhead(): boolean {
    return true
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
   * This stage as a Duplex of Node, for whatever insists on one: `Duplex.toWeb(stage.toNodeDuplex())`
   * gives web streams. `Duplex.from(stage)` is no such thing: it takes a stage for a readable stream
   * alone, and its reader waits for ever for what nobody can write. A source has nothing to write:
   * use `Readable.from(source)`.
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

  override write(input: In): boolean
  override write(input: In, encoding?: unknown, callback?: unknown): boolean
  override write(input: In, encoding?: unknown, callback?: unknown): boolean {
    const done = typeof encoding === 'function' ? encoding : callback
    if (this.#finishedEarly && !this.destroyed) {
      // Dropped: a writer that nobody stops comes to its end, once all outputs were handed on.
      this.#owesDrain = !this.#settled
      return this.#settled
    }
    if (this.#settled) return false
    if (this.#inputEnded) {
      this.destroy(new FeedError('STAGE_WRITE_AFTER_END', `${this.name}: write after end`, { stage: this.name }))
      return false
    }
    this.counters.itemsIn++
    this.counters.bytesIn += byteLengthOf(input)
    this.counters.rowsIn += rowCountOf(input)
    this.#inbox.push(input)
    this.#pump()
    if (typeof done === 'function') done()
    const wantsMore = this.#wantsInput() || (this.#finishedEarly && this.#settled && !this.destroyed)
    if (!wantsMore) this.#owesDrain = true
    return wantsMore
  }

  override end(input?: unknown, encoding?: unknown, callback?: unknown): this {
    const done = [input, encoding, callback].find(value => typeof value === 'function') as (() => void) | undefined
    if (this.#inputEnded || this.#settled) return this
    if (input !== undefined && typeof input !== 'function') this.write(input as In)
    if (done) this.once('end', done)
    this.#inputEnded = true
    this.writable = false
    this.#holdingEnd(() => this.#pump())
    return this
  }

  override destroy(error?: unknown): this {
    this.#used = true
    const heir = this.#heir
    this.#heir = undefined
    heir?.destroy(error ?? new FeedError('STAGE_DESTROYED', `${this.name} was destroyed before its end`, { stage: this.name }))
    if (this.destroyed || this.emittedEnd) return this
    this.#settled = true
    this.writable = false
    const failure = error === undefined || error === null ? undefined : asFeedError(error, this.name)
    this.#failure = failure
    this.#inbox.clear()
    this.#ahead = undefined
    this.#abort.abort(failure ?? new FeedError('STAGE_DESTROYED', `${this.name} was destroyed`, { stage: this.name }))
    this.#closeCursor()
    // The terminal event is decided: what fails while letting go has no one to go to, and must not hold that event back.
    try {
      this.#releaseOnce()
    } catch {}
    if (failure === undefined || this.listenerCount('error') > 0) super.destroy(failure)
    else {
      // Who writes before anybody listens still gets the error as an event, not out of `write`.
      super.destroy()
      queueMicrotask(() => super.emit('error', failure))
    }
    super.emit('close')
    return this
  }

  /**
   * Node's adapters take an item that `read` returns behind the event `end` for an error, and miss a
   * `finish` that comes before `end()` has returned: both events come right after the call instead.
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

  // 'drain' on a Minipass means that its output side wants more: first serve that from what is here,
  // and tell the writer only when there is nothing left to serve.
  override emit<Event extends keyof Minipass.Events<Out>>(event: Event, ...args: Minipass.Events<Out>[Event]): boolean {
    if (this.#holdsEnd && END_EVENTS.has(event)) {
      queueMicrotask(() => super.emit(event, ...args))
      return false
    }
    if (event !== 'drain') return super.emit(event, ...args)
    if (this.#settled || this.#taking) return false
    this.demanded()
    this.#pump()
    if (!this.#owesDrain || !this.#wantsInput()) return false
    this.#owesDrain = false
    return super.emit('drain')
  }

  override read(size?: number | null): Out | null {
    if (this.#ahead !== undefined) this.#putBack(this.#ahead)
    this.demanded()
    if (this.bufferLength === 0) this.#pump()
    return this.#holdingEnd(() => super.read(size))
  }

  /**
   * @internal What `read` gives, for a reader that comes again and again: as far ahead, but without Minipass's buffer and events
   * in between where the next output is there at once.
   */
  takeNext(): Out | null {
    // Who listens sees what others read, too.
    if (this.flowing || this.listenerCount('data') > 0) return this.read()
    this.#taking = true
    try {
      if (this.#ahead === undefined && this.bufferLength === 0) this.#demand()
      const item = this.#ahead ?? super.read()
      this.#ahead = undefined
      if (item === null) return null
      this.#demand()
      this.#payDrain()
      return item
    } finally {
      this.#taking = false
    }
  }

  #demand(): void {
    this.demanded()
    this.#pump()
  }

  /** A reader asked for output. A source starts its work here. */
  protected demanded(): void {}

  // Minipass's own iterator drops its error listener between two steps and does not destroy on `break`.
  override [Symbol.asyncIterator](): AsyncGenerator<Out, void, void> {
    return readItems<Out>(this)
  }

  #wantsInput(): boolean {
    return !this.#settled && !this.#inputEnded && this.#inbox.length === 0 && this.#cursor === undefined && this.#wantsOutput()
  }

  #wantsOutput(): boolean {
    if (this.flowing) return this.#ahead === undefined
    return this.#ahead === undefined && this.bufferLength === 0 && (this.worksAhead || !this.paused)
  }

  #pump(): void {
    this.#used = true
    if (this.#pumping || this.#settled) return
    this.#pumping = true
    this.#idle.leave()
    try {
      while (this.#step()) {}
    } catch (error) {
      this.#pumping = false
      this.#running = false
      this.destroy(error)
    }
  }

  /** One unit of work. True: go on at once. False: `#pumping` is cleared, or a promise will clear it. */
  #step(): boolean {
    if (this.#settled) return this.#rest(undefined)
    if (this.#ahead !== undefined && this.flowing) this.#putBack(this.#ahead)
    if (!this.#wantsOutput()) return this.#rest('blockedMs')
    const cursor = this.#cursor
    if (cursor === undefined && this.#inbox.length === 0 && !this.#inputEnded) return this.#rest('waitMs')
    const startedAt = performance.now()
    if (this.#promptSteps > 0) this.#promptSteps--
    else if (isTurnDue(startedAt)) return this.#turn()
    if (cursor === undefined) {
      this.#nextCursor(startedAt)
      return true
    }
    this.#running = true
    const result = cursor.next()
    this.#running = false
    if (this.#settled) this.#closeCursor() // destroyed by its own work
    if (isPromise(result)) return this.#stepLater(result, startedAt)
    this.counters.busyMs += performance.now() - startedAt
    if (!this.#settled) this.#accept(result)
    return true
  }

  /** Goes on when the event loop has turned. */
  #turn(): false {
    eventLoopTurn().then(() => this.#resumeWith(() => {}))
    return false
  }

  #stepLater(result: Promise<IteratorResult<Out | Pause>>, startedAt: number): false {
    result.then(
      settled => {
        this.counters.busyMs += performance.now() - startedAt
        this.#resumeWith(() => this.#accept(settled))
      },
      error =>
        this.#resumeWith(() => {
          throw error
        }),
    )
    return false
  }

  #resumeWith(action: () => void): void {
    this.#pumping = false
    if (this.#settled) return
    try {
      action()
    } catch (error) {
      this.destroy(error)
      return
    }
    this.#pump()
    this.#payDrain()
  }

  #rest(idleFor: IdleFor | undefined): false {
    this.#pumping = false
    this.#idle.enter(idleFor)
    return false
  }

  /** Opens the sequence of the next input, or of the end. Behind that one there is none. */
  #nextCursor(startedAt: number): void {
    if (this.#inbox.length > 0) this.#open(this.transform(this.#inbox.take() as In))
    else if (this.#flushed) this.#finish()
    else {
      this.#flushed = true
      this.#open(this.flush())
    }
    this.counters.busyMs += performance.now() - startedAt
  }

  #open(outputs: Outputs<Out>): void {
    if (outputs === undefined || this.#settled) return
    if (outputs instanceof Steps) this.#cursor = outputs
    else this.#cursor = Symbol.asyncIterator in outputs ? outputs[Symbol.asyncIterator]() : outputs[Symbol.iterator]()
  }

  #accept(result: IteratorResult<Out | Pause>): void {
    if (result.done) {
      this.#cursor = undefined
      return
    }
    const item = result.value
    if (item === PAUSE) return
    // `read` says null for nothing: an item that is null would be lost, and its reader wait for ever.
    if (item === null) throw new FeedError('STAGE_FAILED', `${this.name}: null is not an item`, { stage: this.name })
    this.counters.itemsOut++
    this.counters.bytesOut += byteLengthOf(item)
    this.counters.rowsOut += rowCountOf(item)
    if (this.#taking && item !== undefined) this.#ahead = item
    else this.#handOn(item)
  }

  /** What was made for a caller of `takeNext`, for one who reads in another way. */
  #putBack(item: Out): void {
    this.#ahead = undefined
    this.#handOn(item)
  }

  #handOn(item: Out): void {
    const startedAt = performance.now()
    super.write(item as never)
    this.counters.blockedMs += performance.now() - startedAt
  }

  #finish(): void {
    this.#settled = true
    this.#releaseOnce()
    super.emit('close') // held back by Minipass until 'end' and 'finish' are out
    super.end()
    if (this.#owesDrain) super.emit('drain')
  }

  #releaseOnce(): void {
    if (this.#released) return
    this.#released = true
    this.release()
  }

  #closeCursor(): void {
    if (this.#running) return
    const cursor = this.#cursor
    this.#cursor = undefined
    if (cursor?.return === undefined) return
    // Called for its clean-up; what it throws now has no one to go to.
    try {
      const closing = cursor.return()
      if (isPromise(closing)) closing.catch(() => {})
    } catch {}
  }

  #payDrain(): void {
    if (!this.#owesDrain || !this.#wantsInput()) return
    this.#owesDrain = false
    super.emit('drain')
  }
}
