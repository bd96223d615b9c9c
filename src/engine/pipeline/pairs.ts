// The three kinds of foreign steps as pairs (pair-stage.ts): a generator over the items that it is
// given, a Node Duplex or Transform, and a web TransformStream. Streams are recognised by shape in
// stage-like.ts.

import { inputInvalid } from '../core/input-invalid'
import { DONE, type Step } from '../core/steps'
import { FeedError } from '../errors'
import type { Pair } from './pair-stage'

interface Request<In> {
  readonly resolve: (step: IteratorResult<In, void>) => void
  readonly reject: (error: unknown) => void
}

/** The items that a generator reads. It holds one item, until the generator asks for it. */
export class GivenItems<In> implements AsyncIterableIterator<In, void> {
  /** Aborted where the run is stopped before the generator has ended. */
  readonly abort = new AbortController()
  #item: { readonly value: In } | undefined
  #isOver = false
  /** Steps that the generator waits for: more than one where it asks without waiting. */
  readonly #requests: Request<In>[] = []
  #onWanted = () => {}

  /** Resolves when the generator has taken the item and asks for the next one. */
  write(value: In): Promise<void> {
    return new Promise(resolve => {
      this.#onWanted = resolve
      this.#item = { value }
      this.#serve()
    })
  }

  end(): void {
    this.#isOver = true
    this.#serve()
  }

  /** Rejects the steps that are waited for: an end would look like the end of a whole input. */
  stop(reason: unknown): void {
    this.abort.abort(reason)
    this.#serve()
  }

  next(): Promise<IteratorResult<In, void>> {
    return new Promise((resolve, reject) => {
      this.#requests.push({ resolve, reject })
      this.#serve()
    })
  }

  /** The generator has left its loop: it reads no more, and may still have outputs. */
  async return(): Promise<IteratorResult<In, void>> {
    this.end()
    return DONE
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  #serve(): void {
    for (let request = this.#requests[0]; request !== undefined; request = this.#requests[0]) {
      const item = this.#item
      if (this.abort.signal.aborted) request.reject(this.abort.signal.reason)
      else if (this.#isOver) request.resolve(DONE)
      else if (item !== undefined) request.resolve({ done: false, value: item.value })
      else {
        this.#onWanted()
        return
      }
      this.#item = undefined
      this.#requests.shift()
    }
  }
}

export function generatorPair<In, Out>(
  name: string,
  items: GivenItems<In>,
  iterable: AsyncIterable<Out>,
): Pair<In, Out> {
  const outputs: AsyncIterator<Out, unknown> = iterable[Symbol.asyncIterator]()
  return {
    name,
    write: item => items.write(item),
    end: async () => items.end(),
    read: async () => {
      const step = await outputs.next()
      return step.done ? DONE : step
    },
    close: reason => {
      if (reason === undefined) return
      items.stop(reason)
      // `return` runs the `finally` of the generator. The run has its outcome already.
      outputs.return?.().catch(() => {})
    },
  }
}

/** A stream of Node, or one of the same shape, that is written to and read from. */
export type NodeTransform = NodeJS.ReadWriteStream & {
  readonly writableObjectMode?: boolean
  destroy?(error?: Error): unknown
}

export class NodePair<In, Out> implements Pair<In, Out> {
  readonly name: string
  readonly #stream: NodeTransform
  #isOver = false
  #failure: { readonly error: unknown } | undefined
  #request: { resolve(step: Step<Out>): void; reject(error: unknown): void } | undefined

  constructor(name: string, stream: NodeTransform) {
    this.name = name
    this.#stream = stream
    stream.on('readable', () => this.#serve())
    stream.on('end', () => {
      this.#isOver = true
      this.#serve()
    })
    // The listener stays after the end: a late failure must not end the process.
    stream.on('error', (error: unknown) => this.#fail(error))
    const closed = () => {
      const message = `${name} was destroyed before its end`
      this.#fail(new FeedError('STAGE_DESTROYED', message, { stage: name }))
    }
    stream.on('close', closed)
    const { destroy } = stream
    const state = (stream as { _writableState?: { emitClose?: unknown } })._writableState
    if (state?.emitClose !== false || destroy === undefined) return
    // Such a stream tells nobody that it was destroyed, except of an error.
    stream.destroy = error => {
      if (error === undefined || error === null) setImmediate(closed)
      return destroy.call(stream, error)
    }
  }

  /** A failed write rejects nothing: the stream reports its failure by an event. */
  async write(item: In): Promise<void> {
    const isBlock = typeof item === 'string' || item instanceof Uint8Array
    if (this.#stream.writableObjectMode === false && !isBlock)
      throw inputInvalid(this.name, 'blocks of bytes (Uint8Array) or text', item)
    // Node tells the end of a stream in the next tick. A stream that has ended may fail on an item.
    await new Promise<void>(process.nextTick)
    if (this.#isOver) return
    return new Promise(resolve => {
      this.#stream.write(item as Uint8Array, error => {
        if (error) return
        // What the stream has made of this item is read before the next one is given.
        this.#serve()
        resolve()
      })
    })
  }

  end(): Promise<void> {
    return new Promise((resolve, reject) => {
      const finished = (error?: Error | null) => (error ? reject(error) : resolve())
      this.#stream.end(finished)
    })
  }

  read(): Promise<Step<Out>> {
    return new Promise((resolve, reject) => {
      this.#request = { resolve, reject }
      this.#serve()
    })
  }

  close(): void {
    this.#request = undefined
    this.#stream.destroy?.()
  }

  #fail(error: unknown): void {
    this.#failure ??= { error }
    this.#serve()
  }

  #serve(): void {
    const request = this.#request
    if (request === undefined) return
    const item = this.#isOver || this.#failure ? null : this.#stream.read()
    if (item === null && !this.#isOver && !this.#failure) return
    this.#request = undefined
    if (item !== null) request.resolve({ done: false, value: item as Out })
    else if (this.#isOver) request.resolve(DONE)
    else request.reject(this.#failure!.error)
  }
}

/**
 * The two sides of a web TransformStream. The writer is written as properties, so that a stream for
 * other items than those of the pipeline is a compile error.
 */
export interface WebTransform<In, Out> {
  readonly readable: ReadableStream<Out>
  readonly writable: {
    readonly getWriter: () => {
      // The DOM's types take only bytes whose buffer is an ArrayBuffer; those of a block do not
      // say.
      readonly write: (
        item: In extends Uint8Array ? In & { readonly buffer: ArrayBuffer } : In,
      ) => Promise<void>
      readonly close: () => Promise<void>
      readonly abort: (reason?: unknown) => Promise<void>
    }
  }
}

export function webPair<In, Out>(name: string, stream: WebTransform<In, Out>): Pair<In, Out> {
  const writer = stream.writable.getWriter()
  const reader = stream.readable.getReader()
  return {
    name,
    write: item => writer.write(item as never),
    // A stream that has called `terminate` has closed its readable side, and answers with a
    // TypeError of its own. Any failure of its code fails the readable side too.
    end: async () => {
      try {
        await writer.close()
      } catch (error) {
        if (!(error instanceof TypeError)) throw error
      }
    },
    read: async () => {
      const { done, value } = await reader.read()
      return done ? DONE : { done, value }
    },
    close: reason => {
      reader.cancel(reason).catch(() => {})
      writer.abort(reason).catch(() => {})
    },
  }
}
