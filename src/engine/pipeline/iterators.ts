// Async iterators over a run: by item, by element, and over several pipelines; and the source stage
// over any iterable. The iterators are written by
// hand for two reasons. Leaving one ends the run at once, even while it waits; an async generator
// queues `return` behind the pending step. And the next element of a batch costs only one promise.

import { FilesOfRun, type NamedFiles } from '../disk/files-of-run'
import { Source } from '../stages/source'
import { type ElementOf, elementsOf } from './batch'
import type { Run } from './run'

export class ItemIterator<T> implements AsyncIterableIterator<T, void> {
  readonly #start: (files?: FilesOfRun) => Run
  /** The files of the run over this one. */
  files: FilesOfRun | undefined
  #run: Run | undefined
  #left = false

  /** @param start called at the first step, so that an iterator without a reader starts no run */
  constructor(start: (files?: FilesOfRun) => Run) {
    this.#start = start
  }

  async next(): Promise<IteratorResult<T, void>> {
    if (this.#left) return { value: undefined, done: true }
    const run = (this.#run ??= this.#start(this.files))
    try {
      const result = await run.next()
      if (!result.done) return result as IteratorResult<T, void>
    } catch (error) {
      await run.settle()
      throw error
    }
    await run.finish()
    return { value: undefined, done: true }
  }

  async return(): Promise<IteratorResult<T, void>> {
    this.#left = true
    const before = this.#run?.error
    await this.#run?.settle()
    // The failure of a stage that still had to write.
    if (this.#run?.error !== before) throw this.#run?.error
    return { value: undefined, done: true }
  }

  /** What a pipeline over this one waits for before it settles. */
  lastWork(): Promise<void> | undefined {
    return this.#run?.settle()
  }

  [Symbol.asyncIterator](): this {
    return this
  }
}

export class ElementIterator<T> implements AsyncIterableIterator<ElementOf<T>, void> {
  readonly #items: ItemIterator<T>
  #elements: Iterator<ElementOf<T>> | undefined
  /** The last step that waits for an item. Steps that are requested meanwhile queue behind it. */
  #waiting: Promise<unknown> | undefined

  constructor(items: ItemIterator<T>) {
    this.#items = items
  }

  next(): Promise<IteratorResult<ElementOf<T>, void>> {
    const result = this.#waiting === undefined ? this.#elements?.next() : undefined
    return result && !result.done ? Promise.resolve(result) : this.#inTurn()
  }

  async return(): Promise<IteratorResult<ElementOf<T>, void>> {
    this.#elements = undefined
    await this.#items.return()
    return { value: undefined, done: true }
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  #inTurn(): Promise<IteratorResult<ElementOf<T>, void>> {
    const step = () => this.#nextElement()
    const waiting = this.#waiting === undefined ? step() : this.#waiting.then(step, step)
    const settled = () => {
      if (this.#waiting === waiting) this.#waiting = undefined
    }
    this.#waiting = waiting
    waiting.then(settled, settled)
    return waiting
  }

  async #nextElement(): Promise<IteratorResult<ElementOf<T>, void>> {
    for (;;) {
      const result = this.#elements?.next()
      if (result && !result.done) return result
      const item = await this.#items.next()
      if (item.done) return item
      this.#elements = elementsOf(item.value)[Symbol.iterator]()
    }
  }
}

/**
 * The items of several pipelines, one pipeline after the other. Leaving the iterator ends the
 * running pipeline at once.
 */
export class ConcatIterator<T> implements AsyncIterableIterator<T, void> {
  readonly #pipelines: AsyncIterator<Readable<T>> | Iterator<Readable<T>>
  #current: ItemIterator<T> | undefined
  files: FilesOfRun | undefined
  #left = false

  constructor(pipelines: AnyIterable<Readable<T>>) {
    this.#pipelines =
      Symbol.asyncIterator in pipelines
        ? pipelines[Symbol.asyncIterator]()
        : pipelines[Symbol.iterator]()
  }

  async next(): Promise<IteratorResult<T, void>> {
    while (!this.#left) {
      const item = await this.#current?.next()
      if (item && !item.done) return item
      const following = await this.#pipelines.next()
      if (following.done) break
      this.#current = following.value.batches()
      this.#current.files = new FilesOfRun(this.files)
    }
    return { value: undefined, done: true }
  }

  async return(): Promise<IteratorResult<T, void>> {
    this.#left = true
    await this.#current?.return()
    await this.#pipelines.return?.()
    return { value: undefined, done: true }
  }

  lastWork(): Promise<void> | undefined {
    return this.#current?.lastWork()
  }

  [Symbol.asyncIterator](): this {
    return this
  }
}

/** The part of a pipeline that this file reads. */
interface Readable<T> {
  batches(): ItemIterator<T>
}

export type AnyIterable<T> = AsyncIterable<T> | Iterable<T>

/**
 * A source over any iterable: arrays, generators, Node streams, web streams, and the batches of
 * other pipelines. Destroying it also destroys or cancels the iterable at once, even while a read
 * is pending.
 */
export class IterableSource<T> extends Source<T> {
  /** The files of the run of this source. */
  files: FilesOfRun | undefined
  readonly #iterable: AnyIterable<T>
  #cancel = () => {}

  constructor(iterable: AnyIterable<T>) {
    super('source')
    this.#iterable = iterable
    // A stream of Node may read a file.
    const { reads = [iterable], writes = [] } = iterable as NamedFiles
    Object.assign(this, { reads, writes })
    // A stream has read ahead already, so its blocks are nobody else's.
    this.ownsOutputs = Array.isArray(iterable) || 'getReader' in iterable || 'pipe' in iterable
    if (isWebStream<T>(iterable)) this.#cancel = () => void iterable.cancel().catch(() => {})
  }

  protected override produce(): AnyIterable<T> {
    const within: object = this.#iterable
    if (within instanceof ItemIterator || within instanceof ConcatIterator)
      within.files = this.files
    return isWebStream<T>(this.#iterable) ? this.#readWebStream(this.#iterable) : this.#iterable
  }

  protected override release(): Promise<void> | undefined {
    this.#cancel()
    const { destroy, lastWork } = this.#iterable as { destroy?: unknown; lastWork?: unknown }
    if (typeof destroy === 'function') destroy.call(this.#iterable)
    return typeof lastWork === 'function' ? lastWork.call(this.#iterable) : undefined
  }

  // The iterator of a web stream queues `return` behind the pending read; its reader cancels at
  // once.
  async *#readWebStream(stream: ReadableStream<T>): AsyncGenerator<T, void, void> {
    const reader = stream.getReader()
    this.#cancel = () => void reader.cancel().catch(() => {})
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  }
}

function isWebStream<T>(value: object): value is ReadableStream<T> {
  return typeof (value as { getReader?: unknown }).getReader === 'function'
}
