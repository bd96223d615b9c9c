// Lazy sequences of outputs. A sequence answers at once where it can, and with a promise only where
// it waits. This file also has `PAUSE`, with which a machine yields the thread while it works
// without an output, and decides when stages yield to the event loop. The
// sequences of the hot path are `Steps`, and no async generators.

import { setImmediate } from 'node:timers'

export type Step<T> = IteratorResult<T, void>

/** The step at the end of a sequence. */
export const DONE: IteratorReturnResult<void> = { done: true, value: undefined }

/**
 * An element of a sequence that is no output: it means "no output yet, ask again". A machine gives
 * it after a bounded amount of work without an output (about a millisecond's), so machines need no
 * clock: the caller of the driver decides whether the event loop turns before the next step. A
 * `PAUSE` is neither counted nor passed on. The symbol is global, so that two copies of the package
 * in one process agree on it.
 */
export const PAUSE: unique symbol = Symbol.for('feedmill.pause')
export type Pause = typeof PAUSE

/** The step whose value is `PAUSE`. */
export const PAUSED: IteratorYieldResult<Pause> = { done: false, value: PAUSE }

/**
 * A sequence of one step at a time: `next` must not be called again before the last step has
 * resolved.
 */
export class Steps<T> implements AsyncIterable<T> {
  readonly next: () => Step<T> | Promise<Step<T>>

  constructor(next: () => Step<T> | Promise<Step<T>>) {
    this.next = next
  }

  /** The same steps, each as a promise. */
  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, void> {
    for (let step = await this.next(); !step.done; step = await this.next()) yield step.value
  }
}

export function isPromise<T>(value: T | Promise<T>): value is Promise<T> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function'
}

/** Stages may work for so long before timers, sockets and abort signals are served. */
const SLICE_MS = 10

/**
 * When the first stage began to work in the current turn; undefined while none has. All stages of
 * the thread share it, because they share the event loop.
 */
let workingSince: number | undefined
/** One promise for all stages that wait for the next turn. */
let nextTurn: Promise<undefined> | undefined

/** Returns true when stages have worked in this turn for so long that they must yield. */
function isTurnDue(now: number): boolean {
  if (workingSince !== undefined) return now - workingSince > SLICE_MS
  workingSince = now
  // The immediate must not keep the process alive: with no other work, no stage waits for it.
  setImmediate(endSlice).unref()
  return false
}

/** Resolves after timers and sockets had their turn. */
function eventLoopTurn(): Promise<undefined> {
  nextTurn ??= new Promise(resolve => {
    setImmediate(() => {
      nextTurn = undefined
      endSlice()
      resolve(undefined)
    })
  })
  return nextTurn
}

/** Returns a turn of the event loop to wait for where one is due, and undefined otherwise. */
export function turnIfDue(): Promise<undefined> | undefined {
  return isTurnDue(performance.now()) ? eventLoopTurn() : undefined
}

function endSlice(): void {
  workingSince = undefined
}
