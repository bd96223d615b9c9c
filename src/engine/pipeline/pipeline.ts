// The typed builder: a source, stages whose types fit, and the calls that read what comes out. A
// pipeline is an immutable description; each terminal call runs it once (run.ts). The file is one
// piece because it checks each source and step in the call that receives it.

import { Readable } from 'node:stream'
import { isPromise } from '../core/steps'
import { FilesOfRun } from '../disk/files-of-run'
import { aborted, asFeedError, FeedError } from '../errors'
import { is, type OptionTable, optionInvalid, readOptions } from '../options'
import { inTime } from '../stages/wait'
import { type ElementOf, elementsOf, type NarrowedItem } from './batch'
import {
  type AnyIterable,
  ConcatIterator,
  ElementIterator,
  ItemIterator,
  IterableSource,
} from './iterators'
import { type MapAsyncOptions, MapAsyncRows } from './map-async'
import type { NodeTransform } from './pairs'
import { BatchRows, FilterRows, MapRows, TakeRows, TapRows } from './row-stages'
import { type AnyStage, type PipelineOptions, type PipelineSummary, Run } from './run'
import { checkSink, type Sink } from './sink'
import { SinkCalls } from './sink-calls'
import { type AnyStageLike, checkStageLike, isStage, type StageLike, stageOf } from './stage-like'
import { type StandardSchema, type ValidateOptions, ValidateRows } from './validate'

/**
 * The source of a pipeline. A function is called for each run, so that the pipeline can run more
 * than once.
 */
export type PipelineSource<T> =
  | AnyIterable<T>
  | Pipeline<T>
  | Blob
  | (() => AnyIterable<T> | Pipeline<T> | Blob)

/** The options of every pipeline. */
export const PIPELINE_OPTIONS = {
  signal: [is.withMethods<AbortSignal>('addEventListener', 'removeEventListener')],
  onProgress: [is.callback],
  progressMs: [is.durationMs()],
  onSettled: [is.callback],
} satisfies OptionTable<PipelineOptions>
const SOURCE = 'an iterable, a stream, a stage, a pipeline, a Blob, or a function that gives one'

/**
 * Starts a pipeline: `pipeline(source).to(stage).to(stage)`.
 *
 * A source is an iterable or async iterable of items (Node and web streams included), a source
 * stage, another pipeline, a Blob, or a function that returns one of these. Nothing runs before a
 * terminal call (`for await`, forEach, toArray, toNodeReadable, run).
 *
 * @throws FeedError OPTION_INVALID
 * @example
 * ```ts
 * import { pipeline } from 'feedmill'
 *
 * const even = pipeline(() => [1, 2, 3, 4]).filter(number => number % 2 === 0)
 * for await (const number of even) console.log(number)
 * console.log(await even.map(number => number * 10).toArray())
 * // => 2
 * // => 4
 * // => [ 20, 40 ]
 * ```
 */
export function pipeline<T>(
  source: Pipeline<T> | (() => Pipeline<T>),
  options?: PipelineOptions,
): Pipeline<T>
export function pipeline<T>(
  source: AnyIterable<T> | (() => AnyIterable<T>),
  options?: PipelineOptions,
): Pipeline<T>
export function pipeline(
  source: Blob | (() => Blob),
  options?: PipelineOptions,
): Pipeline<Uint8Array>
export function pipeline<T>(source: PipelineSource<T>, options: PipelineOptions = {}): Pipeline<T> {
  readOptions(options, PIPELINE_OPTIONS)
  if (typeof source === 'function') is.callback('source', source, SOURCE)
  else checkSource(source)
  const make = () => [sourceStage(typeof source === 'function' ? source() : source)]
  const repeatable = isRepeatable(source)
  return new Pipeline<T>(repeatable ? make : onlyOnce(make), [], options, repeatable)
}

const READ_ALREADY = 'the source has been read already: give the pipeline a function that makes one'

/**
 * A generator or stream is empty at the second read, so the second run would succeed with no items.
 */
function onlyOnce<R>(make: () => R): () => R {
  let used = false
  return () => {
    if (used) throw new FeedError('STAGE_REUSED', READ_ALREADY, { stage: 'source' })
    used = true
    return make()
  }
}

/**
 * @internal A pipeline that begins with a chain of stages which share state, so that each run needs
 * a new chain. The caller guarantees that the stages fit each other, and that the last one gives
 * `T`.
 */
export function pipelineOfChain<T>(
  chain: () => readonly AnyStage[],
  options: PipelineOptions = {},
): Pipeline<T> {
  return new Pipeline<T>(chain, [], options, true)
}

/**
 * A pipeline of any items, because pipelines of different items have no common `Pipeline<…>` type.
 */
interface AnyPipeline<T> {
  batches(): ItemIterator<T>
}

type ItemOf<P> = P extends AnyPipeline<infer T> ? T : never

/**
 * Concatenates pipelines: their items come one pipeline after the other, and the next pipeline
 * starts when the one before has ended.
 *
 * @throws FeedError OPTION_INVALID
 * @example
 * ```ts
 * import { concat, pipeline } from 'feedmill'
 *
 * const both = concat([pipeline(['a', 'b']), pipeline(['c'])])
 * console.log(await both.toArray())
 * // => [ 'a', 'b', 'c' ]
 * ```
 */
export function concat<P extends AnyPipeline<unknown>>(
  pipelines: AnyIterable<P>,
  options: PipelineOptions = {},
): Pipeline<ItemOf<P>> {
  if (!isIterable(pipelines))
    throw optionInvalid('pipelines', 'a list of pipelines, or another iterable of them', pipelines)
  if (Array.isArray(pipelines)) pipelines.forEach(checkPipeline)
  readOptions(options, PIPELINE_OPTIONS)
  const items = () =>
    new ConcatIterator<ItemOf<P>>(pipelines as AnyIterable<AnyPipeline<ItemOf<P>>>)
  if (!Array.isArray(pipelines)) return pipeline(items(), options)
  // The result can be read as often as every member can: a member that cannot be read again would
  // be missing from a second run.
  return new Pipeline(() => [sourceStage(items())], [], options, pipelines.every(isRepeatable))
}

/**
 * A source with the stages after it, as {@link pipeline} starts it. It is a description that never
 * changes: each method that adds a stage returns a new pipeline, and each terminal call runs it
 * once.
 */
export class Pipeline<T> implements AsyncIterable<ElementOf<T>> {
  /** Makes the source stage, and the stages that belong to it. */
  readonly #source: () => readonly AnyStage[]
  readonly #steps: readonly AnyStageLike[]
  readonly #options: PipelineOptions
  /**
   * @internal True where each run gets its own source and stages, so that the pipeline can run
   * again.
   */
  readonly repeatable: boolean

  /** @internal Use {@link pipeline}. */
  constructor(
    source: () => readonly AnyStage[],
    steps: readonly AnyStageLike[],
    options: PipelineOptions,
    repeatable: boolean,
  ) {
    is.callback('source', source, 'what pipeline() makes: call it in place of new Pipeline()')
    this.#source = source
    this.#steps = steps
    this.#options = options
    this.repeatable = repeatable
  }

  /**
   * Adds a stage of this package or of your own, a Transform of Node, a web TransformStream, a
   * function that makes one, or an async generator function over the items. A stage that does not
   * accept the items before it is a compile error here. Items are passed as the stage before gives
   * them, so a generator over rows reads batches: `for await (const batch of items)`.
   *
   * Every kind has counters, backpressure and typed errors, with the name of the function or the
   * class. A generator or stream that ends before its input ends the run well, as `take` does. When
   * a run stops early, a Node stream is destroyed, both sides of a web stream are cancelled, and
   * the
   * `finally` of a generator runs; the function's second argument is a signal that is aborted then.
   * What a step throws is STAGE_FAILED with its name; a stream that is destroyed before its end is
   * STAGE_DESTROYED, and one that is in use or has ended is STAGE_REUSED.
   *
   * @throws FeedError OPTION_INVALID
   */
  to<Out>(step: StageLike<T, Out>): Pipeline<Out>
  to<Out = unknown>(
    step: (items: AsyncIterable<T>, signal: AbortSignal) => NodeTransform,
  ): Pipeline<Out>
  to<Out>(
    step: StageLike<T, Out> | ((items: AsyncIterable<T>, signal: AbortSignal) => NodeTransform),
  ): Pipeline<Out> {
    checkStageLike(step)
    const repeatable = this.repeatable && typeof step === 'function'
    return new Pipeline<Out>(
      this.#source,
      [...this.#steps, step as unknown as AnyStageLike],
      this.#options,
      repeatable,
    )
  }

  /**
   * Keeps the rows (or members, or items) for which `keep` returns true. `keep` is synchronous: a
   * promise ends the run with OPTION_INVALID. A type predicate narrows the type of the elements.
   */
  filter<E extends ElementOf<T>>(
    keep: (element: ElementOf<T>) => element is E,
  ): Pipeline<NarrowedItem<T, E>>
  filter(keep: (element: ElementOf<T>) => boolean): Pipeline<T>
  filter(keep: (element: ElementOf<T>) => boolean): Pipeline<unknown> {
    is.callback('keep', keep)
    return this.to(() => new FilterRows<T>(keep))
  }

  /**
   * Replaces each row by what `map` returns, in order; a promise is awaited first. A row that the
   * result refers to keeps the memory of its whole batch: see `Row.detach`.
   */
  map<U>(map: (element: ElementOf<T>) => U): Pipeline<Awaited<U>[]> {
    is.callback('map', map)
    return this.to(() => new MapRows<T, U>(map))
  }

  /**
   * Replaces each row by what `map` resolves to, with up to `concurrency` calls at a time. Calls go
   * on over the border between two batches. A failure of one call ends the run at once: no other
   * call is made, and the signal, the second argument of `map`, is aborted for the calls that run.
   * Results come in arrays of those that are there; results of calls that end while the source has
   * no next item come with that item.
   *
   * @throws FeedError OPTION_INVALID
   */
  mapAsync<U>(
    map: (element: ElementOf<T>, signal: AbortSignal) => U,
    options: MapAsyncOptions = {},
  ): Pipeline<Awaited<U>[]> {
    is.callback('map', map)
    // The options are checked at this call, and not where the run makes the stage.
    new MapAsyncRows<T, U>(map, options)
    return this.to(() => new MapAsyncRows<T, U>(map, options))
  }

  /**
   * Replaces each row by what a schema of another library makes of its `toObject()`: one of Zod,
   * Valibot, ArkType, or anything else with the property `~standard` of Standard Schema, version 1.
   * Objects and other elements are given as they are. Without a schema of the parser the cells are
   * text, or null where they are empty.
   *
   * A row that the schema refuses is ROW_INVALID, and one with a cell that cannot be read is
   * CELL_INVALID: `onBadRow` says what becomes of both. Rows keep their order, and an asynchronous
   * schema is asked about one row at a time. What it throws is STAGE_FAILED with the position.
   *
   * @throws FeedError OPTION_INVALID
   */
  validate<Out>(
    schema: StandardSchema<Out>,
    options: ValidateOptions<ElementOf<T>> = {},
  ): Pipeline<Out[]> {
    // The arguments are checked at this call, and not where the run makes the stage.
    new ValidateRows<T, Out>(schema, options)
    return this.to(() => new ValidateRows<T, Out>(schema, options))
  }

  /**
   * Regroups the elements into arrays of `count`; the last one may be shorter. This holds one
   * array. In contrast, {@link batches} reads the items as they are. A row in an array keeps the
   * memory of its whole batch: see `Row.detach`.
   *
   * @throws FeedError OPTION_INVALID
   */
  batch(count: number): Pipeline<ElementOf<T>[]> {
    is.wholeNumber()('count', count)
    return this.to(() => new BatchRows<T>(count))
  }

  /** Calls `see` with each row as it passes, and waits where it returns a promise. */
  tap(see: (element: ElementOf<T>) => unknown): Pipeline<T> {
    is.callback('see', see)
    return this.to(() => new TapRows<T>(see))
  }

  /**
   * Ends after the first `count` rows and destroys the stages before; the end of the file is then
   * not verified.
   */
  take(count: number): Pipeline<T> {
    is.wholeNumber(0)('count', count)
    return this.to(() => new TakeRows<T>(count))
  }

  /**
   * Iterates row by row (or member by member, or item by item). Leaving the loop early destroys all
   * stages. Rows are unconfirmed until the loop ends by itself.
   */
  [Symbol.asyncIterator](): AsyncIterableIterator<ElementOf<T>, void> {
    return new ElementIterator<T>(this.batches())
  }

  /** Iterates item by item, as the last stage gives them, which is the cheapest way to read. */
  batches(): ItemIterator<T> {
    return new ItemIterator<T>(files => this.#start(false, files))
  }

  /** Calls `use` with every row in order, and waits where it returns a promise. */
  async forEach(use: (element: ElementOf<T>) => void | Promise<void>): Promise<PipelineSummary> {
    is.callback('use', use)
    const run = this.#start()
    const { signal } = this.#options
    const onLate = () => aborted('pipeline', 'the run was aborted', signal?.reason)
    try {
      await useAll<T>(run, async item => {
        for (const element of elementsOf(item)) {
          const pending = use(element)
          if (pending !== undefined) await inTime(pending, signal, onLate)
        }
      })
    } catch (error) {
      run.fail(asFeedError(error, 'pipeline'))
    }
    return run.finish()
  }

  /**
   * Collects all rows. The array holds all rows and their batches in memory, so it is meant for
   * small results and tests. A replaced file is read again as {@link run} does.
   */
  async toArray(): Promise<ElementOf<T>[]> {
    let all: ElementOf<T>[] = []
    const restart = () => {
      all = []
    }
    const write = (item: T) => {
      for (const element of elementsOf(item)) all.push(element)
    }
    const sink = { name: 'toArray', open: restart, write, commit() {}, abort() {} }
    await this.#attempt(sink, this.repeatable, true)
    return all
  }

  /** Returns a Node stream of the rows in object mode; of bytes where the items are byte blocks. */
  toNodeReadable(): Readable {
    return Readable.from(new ElementIterator<T>(new ItemIterator<T>(() => this.#start(true))))
  }

  /**
   * Runs the pipeline into a sink. The sink is committed after every stage has ended without an
   * error, and aborted otherwise. A file that was replaced while it was read (RANGE_FILE_REPLACED)
   * is read again from its start, once, where the source and all steps are given as functions.
   *
   * @throws FeedError OPTION_INVALID where the argument is no sink, or would write a file that the run
   * reads or another of its sinks writes, before anything is opened; or the error of the run
   */
  async run(sink: Sink<T>): Promise<PipelineSummary> {
    checkSink(sink)
    return this.#attempt(sink, this.repeatable)
  }

  async #attempt(sink: Sink<T>, mayRepeat: boolean, keeps = false): Promise<PipelineSummary> {
    const files = new FilesOfRun()
    files.add(sink)
    const calls = new SinkCalls(sink, this.#options.signal)
    const run = this.#start(keeps, files)
    run.hasSink = true
    try {
      await calls.wait('open', sink.open?.())
      await useAll<T>(run, item => calls.wait('write', sink.write(item)))
      await run.close()
      await calls.wait('prepare', sink.prepare?.())
      calls.refuseAborted()
      await calls.wait('commit', sink.commit())
      run.sinkCounts = sink.counts?.()
    } catch (cause) {
      run.fail(asFeedError(cause, sink.name))
      await run.close().catch(() => {})
      run.error = run.covered(await calls.abort(run.error!))
      await run.settle()
      if (mayRepeat && calls.isAborted && run.error.code === 'RANGE_FILE_REPLACED')
        return this.#attempt(sink, false, keeps)
    }
    return run.finish()
  }

  #start(keeps = false, files = new FilesOfRun()): Run {
    const steps = this.#steps.map(stageOf)
    const stages = [...madeStages('source', this.#source), ...steps]
    for (const stage of stages) {
      files.add(stage)
      if (stage instanceof IterableSource) stage.files = files
    }
    return new Run(stages, this.#options, keeps)
  }
}

/** Calls the caller's functions for a run, and wraps what they throw in a FeedError. */
function madeStages(stage: string, make: () => readonly AnyStage[]): readonly AnyStage[] {
  try {
    return make()
  } catch (error) {
    throw asFeedError(error, stage)
  }
}

/** Uses one item after the other. @throws FeedError the error of the run */
async function useAll<T>(run: Run, use: (item: T) => void | Promise<void>): Promise<void> {
  for (;;) {
    const next = run.next()
    const step = isPromise(next) ? await next : next
    if (step.done) return
    const pending = use(step.value as T)
    if (pending !== undefined) await pending
  }
}

function sourceStage<T>(source: AnyIterable<T> | Pipeline<T> | Blob): AnyStage {
  checkSource(source)
  if (isBlob(source)) return new IterableSource(source.stream())
  // A stage that is no source gets its input from elsewhere, and is read as a stream.
  if (isStage(source) && isSource(source)) return source
  return new IterableSource(isPipeline<T>(source) ? source.batches() : source)
}

/** Tells whether a source can be read more than once from its start. */
function isRepeatable(source: PipelineSource<unknown>): boolean {
  if (typeof source === 'function' || Array.isArray(source) || isBlob(source)) return true
  return isPipeline(source) && source.repeatable
}

function checkSource(source: unknown): void {
  if (isStage(source) || isPipeline(source) || isIterable(source) || isBlob(source)) return
  if (typeof (source as { getReader?: unknown } | null | undefined)?.getReader === 'function')
    return
  throw optionInvalid('source', SOURCE, source)
}

/** Blobs are recognised by shape, as streams are. */
function isBlob(value: unknown): value is Blob {
  const { stream, size } = (value ?? {}) as Partial<Blob>
  return typeof stream === 'function' && typeof size === 'number'
}

export function isIterable(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    (Symbol.asyncIterator in value || Symbol.iterator in value)
  )
}

function checkPipeline(member: unknown): void {
  if (!isPipeline(member))
    throw optionInvalid('pipelines', 'a list of nothing but pipelines', member)
}

function isSource(stage: AnyStage): boolean {
  return typeof (stage as { produce?: unknown }).produce === 'function'
}

function isPipeline<T>(source: unknown): source is Pipeline<T> {
  return typeof (source as { batches?: unknown } | null | undefined)?.batches === 'function'
}
