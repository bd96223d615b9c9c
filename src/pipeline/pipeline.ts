// The typed builder: a source and stages that fit each other, and what can be done with what comes
// out. A pipeline is a description and never changes; each terminal call runs it once (run.ts).
// It is one piece because what a source or a step may be is checked where it is given.

import { Readable } from 'node:stream'
import { isPromise } from '../core/steps'
import { asFeedError, FeedError } from '../errors'
import {
  callback,
  durationMs,
  filledText,
  knownOptions,
  type OptionNames,
  optionInvalid,
  wholeNumber,
  withMethods,
} from '../options'
import type { Stage } from '../stages/stage'
import { type ElementOf, elementsOf } from './batch'
import { type AnyIterable, IterableSource } from './iterable-source'
import { ConcatIterator, ElementIterator, ItemIterator } from './iterators'
import { FilterRows, MapRows, TakeRows, TapRows } from './row-stages'
import { type AnyStage, type PipelineOptions, type PipelineSummary, Run } from './run'
import type { Sink } from './sink'

/**
 * Where items come from. A function is called for each run, so that the pipeline can run more than
 * once.
 */
export type PipelineSource<T> = AnyIterable<T> | Pipeline<T> | (() => AnyIterable<T> | Pipeline<T>)

/** A stage, or a function that makes one for each run. An instance serves one run. */
export type Step<In, Out> = Stage<In, Out> | (() => Stage<In, Out>)

type AnyStep = AnyStage | (() => AnyStage)

const OPTION_NAMES: OptionNames<PipelineOptions> = {
  signal: true,
  onProgress: true,
  progressMs: true,
  onSettled: true,
}
const SOURCE = 'an iterable, a stream, a stage, a pipeline, or a function that gives one'
const STEP = 'a stage (an instance of its class), or a function that makes one'

/**
 * Starts a pipeline: `pipeline(source).to(stage).to(stage)`.
 *
 * Sources: any iterable or async iterable of items (Node and web streams are such), a source stage,
 * another pipeline, or a function that gives one of these. Nothing runs before a terminal (`for
 * await`, forEach, toArray, toNodeReadable, run) is called.
 */
export function pipeline<T>(
  source: Pipeline<T> | (() => Pipeline<T>),
  options?: PipelineOptions,
): Pipeline<T>
export function pipeline<T>(
  source: AnyIterable<T> | (() => AnyIterable<T>),
  options?: PipelineOptions,
): Pipeline<T>
export function pipeline<T>(source: PipelineSource<T>, options: PipelineOptions = {}): Pipeline<T> {
  knownOptions(options, OPTION_NAMES)
  if (typeof source === 'function') callback('source', source, SOURCE)
  else checkSource(source)
  const make = () => [sourceStage(typeof source === 'function' ? source() : source)]
  const repeatable = isRepeatable(source)
  return new Pipeline<T>(repeatable ? make : onlyOnce(make), [], options, repeatable)
}

/** A generator or stream read a second time would be empty, and the second run a silent success. */
function onlyOnce<R>(make: () => R): () => R {
  let used = false
  return () => {
    if (used)
      throw new FeedError(
        'STAGE_REUSED',
        'the source has been read already: give the pipeline a function that makes one',
        {
          stage: 'source',
        },
      )
    used = true
    return make()
  }
}

/**
 * @internal A pipeline that begins with a chain of stages which know of each other, so that each
 * run needs a chain of its own. The caller answers for their fitting each other, and for `T`.
 */
export function pipelineOfChain<T>(
  chain: () => readonly AnyStage[],
  options: PipelineOptions = {},
): Pipeline<T> {
  return new Pipeline<T>(chain, [], options, true)
}

/** A pipeline of whatever items: pipelines of different items have no common `Pipeline<…>`. */
interface AnyPipeline<T> {
  batches(): ItemIterator<T>
}

type ItemOf<P> = P extends AnyPipeline<infer T> ? T : never

/**
 * The items of several pipelines, one pipeline after the other; the next one starts when the one
 * before has ended.
 */
export function concat<P extends AnyPipeline<unknown>>(
  pipelines: AnyIterable<P>,
  options: PipelineOptions = {},
): Pipeline<ItemOf<P>> {
  if (!isIterable(pipelines))
    throw optionInvalid('pipelines', 'a list of pipelines, or another iterable of them', pipelines)
  if (Array.isArray(pipelines)) pipelines.forEach(checkPipeline)
  knownOptions(options, OPTION_NAMES)
  const items = () =>
    new ConcatIterator<ItemOf<P>>(pipelines as AnyIterable<AnyPipeline<ItemOf<P>>>)
  if (!Array.isArray(pipelines)) return pipeline(items(), options)
  // As often as all of them: one that cannot be read again would be missing from a second run.
  return new Pipeline(() => [sourceStage(items())], [], options, pipelines.every(isRepeatable))
}

export class Pipeline<T> implements AsyncIterable<ElementOf<T>> {
  /** The source stage, and stages that come with it. */
  readonly #source: () => readonly AnyStage[]
  readonly #steps: readonly AnyStep[]
  readonly #options: PipelineOptions
  /**
   * @internal True where each run gets its own source and stages, so that a run can be done again.
   */
  readonly repeatable: boolean

  /** @internal Use {@link pipeline}. */
  constructor(
    source: () => readonly AnyStage[],
    steps: readonly AnyStep[],
    options: PipelineOptions,
    repeatable: boolean,
  ) {
    const { progressMs, signal, onProgress, onSettled } = options
    if (progressMs !== undefined) durationMs('progressMs', progressMs)
    if (signal !== undefined)
      withMethods('signal', signal, ['addEventListener', 'removeEventListener'])
    if (onProgress !== undefined) callback('onProgress', onProgress)
    if (onSettled !== undefined) callback('onSettled', onSettled)
    this.#source = source
    this.#steps = steps
    this.#options = options
    this.repeatable = repeatable
  }

  /** Adds a stage. One that does not take what comes before is a compile error here. */
  to<Out>(step: Step<T, Out>): Pipeline<Out> {
    if (typeof step === 'function') callback('step', step, STEP)
    else checkStage(step)
    const repeatable = this.repeatable && typeof step === 'function'
    return new Pipeline<Out>(
      this.#source,
      [...this.#steps, step as AnyStep],
      this.#options,
      repeatable,
    )
  }

  /**
   * Keeps the rows (or members, or items) for which `keep` is true. It answers at once: a promise
   * ends the run with OPTION_INVALID.
   */
  filter(keep: (element: ElementOf<T>) => boolean): Pipeline<T> {
    callback('keep', keep)
    return this.to(() => new FilterRows<T>(keep))
  }

  /**
   * Makes something else of each row, one row after the other; where `map` returns a promise, of
   * what that gives. A row that is kept by the result pins its batch: see `Row.detach`.
   */
  map<U>(map: (element: ElementOf<T>) => U): Pipeline<Awaited<U>[]> {
    callback('map', map)
    return this.to(() => new MapRows<T, U>(map))
  }

  /** Shows each row to `see` as it passes, waiting where it returns a promise. */
  tap(see: (element: ElementOf<T>) => unknown): Pipeline<T> {
    callback('see', see)
    return this.to(() => new TapRows<T>(see))
  }

  /**
   * Ends after the first `count` rows and destroys what stands before; the file's end is then not
   * verified.
   */
  take(count: number): Pipeline<T> {
    wholeNumber('count', count, 0)
    return this.to(() => new TakeRows<T>(count))
  }

  /**
   * Row by row (or member by member). Leaving the loop early destroys everything. Rows are
   * unconfirmed until the loop ends by itself.
   */
  [Symbol.asyncIterator](): AsyncIterableIterator<ElementOf<T>, void> {
    return new ElementIterator<T>(this.batches())
  }

  /** Item by item, as the last stage gives them: the cheapest way to read. */
  batches(): ItemIterator<T> {
    return new ItemIterator<T>(() => this.#start())
  }

  /** Calls `use` with every row in order, waiting where it returns a promise. */
  async forEach(use: (element: ElementOf<T>) => void | Promise<void>): Promise<PipelineSummary> {
    callback('use', use)
    return this.#consume(async item => {
      for (const element of elementsOf(item)) {
        const pending = use(element)
        if (pending !== undefined) await pending
      }
    })
  }

  /**
   * All rows. Holds them all, and with them their batches: for small results and tests. Starts
   * again as {@link run} does.
   */
  async toArray(): Promise<ElementOf<T>[]> {
    let all: ElementOf<T>[] = []
    const restart = () => {
      all = []
    }
    const write = (item: T) => {
      for (const element of elementsOf(item)) all.push(element)
    }
    await this.run({ name: 'toArray', open: restart, write, commit() {}, abort() {} })
    return all
  }

  /** A Node stream of the rows, in object mode; of bytes where the items are byte blocks. */
  toNodeReadable(): Readable {
    return Readable.from(this)
  }

  /**
   * Runs to the end into a sink: committed when every stage has ended without error, aborted
   * otherwise. A file that was replaced while it was read (RANGE_FILE_REPLACED) is read again from
   * its start, once, where the source and all steps are given as functions.
   * @throws FeedError OPTION_INVALID for what is no sink, before anything is read; or that of the
   * failure
   */
  async run(sink: Sink<T>): Promise<PipelineSummary> {
    filledText('sink.name', withMethods('sink', sink, ['write', 'commit', 'abort']).name)
    return this.#attempt(sink, this.repeatable)
  }

  async #attempt(sink: Sink<T>, mayRepeat: boolean): Promise<PipelineSummary> {
    try {
      await sink.open?.()
      const summary = await this.#consume(item => sink.write(item))
      await sink.commit()
      return summary
    } catch (cause) {
      const error = asFeedError(cause, sink.name)
      // The first failure is the one to tell. A sink that could not abort is not opened again.
      const isAborted = await aborted(sink, error)
      if (!mayRepeat || !isAborted || error.code !== 'RANGE_FILE_REPLACED') throw error
      return this.#attempt(sink, false)
    }
  }

  async #consume(use: (item: T) => void | Promise<void>): Promise<PipelineSummary> {
    const run = this.#start()
    try {
      for (;;) {
        const next = run.next()
        const step = isPromise(next) ? await next : next
        if (step.done) break
        const pending = use(step.value as T)
        if (pending !== undefined) await pending
      }
    } catch (error) {
      run.fail(asFeedError(error, 'pipeline'))
      throw run.error ?? error
    }
    run.finish()
    return run.summary
  }

  #start(): Run {
    const steps = made('pipeline', () =>
      this.#steps.map(step => (typeof step === 'function' ? checkStage(step()) : step)),
    )
    return new Run([...made('source', this.#source), ...steps], this.#options)
  }
}

/** What the caller's functions make for a run; what they throw is typed. */
function made(stage: string, make: () => readonly AnyStage[]): readonly AnyStage[] {
  try {
    return make()
  } catch (error) {
    throw asFeedError(error, stage)
  }
}

async function aborted<T>(sink: Sink<T>, error: FeedError): Promise<boolean> {
  try {
    await sink.abort(error)
    return true
  } catch {
    return false
  }
}

function sourceStage<T>(source: AnyIterable<T> | Pipeline<T>): AnyStage {
  checkSource(source)
  // Another stage than a source is written to by others, and read as any stream.
  if (isStage(source) && isSource(source)) return source
  return new IterableSource(isPipeline<T>(source) ? source.batches() : source)
}

/** Whether a source can be read more than once from its start. */
function isRepeatable(source: PipelineSource<unknown>): boolean {
  if (typeof source === 'function' || Array.isArray(source)) return true
  return isPipeline(source) && source.repeatable
}

function checkSource(source: unknown): void {
  if (isStage(source) || isPipeline(source) || isIterable(source)) return
  if (typeof (source as { getReader?: unknown } | null | undefined)?.getReader === 'function')
    return
  throw optionInvalid('source', SOURCE, source)
}

function isIterable(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    (Symbol.asyncIterator in value || Symbol.iterator in value)
  )
}

function checkStage(step: unknown): AnyStage {
  if (isStage(step)) return step
  throw optionInvalid('step', STEP, step)
}

function checkPipeline(member: unknown): void {
  if (!isPipeline(member))
    throw optionInvalid('pipelines', 'a list of nothing but pipelines', member)
}

// All by shape: two copies of the package may meet in one process.
function isStage(source: unknown): source is AnyStage {
  const { counters, machineFor } = (source ?? {}) as { counters?: unknown; machineFor?: unknown }
  return counters !== undefined && typeof machineFor === 'function'
}

function isSource(stage: AnyStage): boolean {
  return typeof (stage as { produce?: unknown }).produce === 'function'
}

function isPipeline<T>(source: unknown): source is Pipeline<T> {
  return typeof (source as { batches?: unknown } | null | undefined)?.batches === 'function'
}
