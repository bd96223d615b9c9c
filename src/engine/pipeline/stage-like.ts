// What `Pipeline.to` takes, and how each kind becomes a stage for one run. Stages and streams are
// recognised by shape, because two copies of a package may meet in one process.

import { isPromise } from '../core/steps'
import { asFeedError, FeedError } from '../errors'
import { is, optionInvalid } from '../options'
import type { Stage } from '../stages/stage'
import { type Pair, PairStage } from './pair-stage'
import {
  GivenItems,
  generatorPair,
  NodePair,
  type NodeTransform,
  type WebTransform,
  webPair,
} from './pairs'
import type { AnyStage } from './run'

/**
 * A stage, a Transform or other Duplex of Node, or a web TransformStream. The types of Node streams
 * do not say what they give, so a caller states it: `.to<Row>(transform)`.
 */
export type StreamLike<In, Out> = Stage<In, Out> | WebTransform<In, Out> | NodeTransform

/**
 * What {@link Pipeline.to} takes: a stage or a stream, or a function. One instance serves only one
 * run.
 *
 * A function is called once for each run, with the items and a signal that is aborted where the run
 * is stopped. It returns a stage or stream, which then gets the items; or an async iterable of
 * outputs, for which it reads the items itself, as an async generator does. A function that makes a
 * Node stream has a signature of its own in {@link Pipeline.to}: Node types what a stream gives as
 * `any`, which would be inferred for `Out` and let a wrong chain compile.
 *
 * @example
 * ```ts
 * import { createGunzip, gzipSync } from 'node:zlib'
 * import { pipeline } from 'feedmill'
 *
 * const lengths = pipeline([gzipSync('a,b,c')])
 *   .to<Buffer>(() => createGunzip())
 *   .to(new TextDecoderStream())
 *   .to(async function* lengthsOf(texts) {
 *     for await (const text of texts) yield text.length
 *   })
 * console.log(await lengths.toArray())
 * // => [ 5 ]
 * ```
 */
export type StageLike<In, Out> =
  | StreamLike<In, Out>
  | ((
      items: AsyncIterable<In>,
      signal: AbortSignal,
      // What can be written to is a stream, and has its own type.
    ) => Stage<In, Out> | WebTransform<In, Out> | (AsyncIterable<Out> & { readonly write?: never }))

export type AnyStageLike =
  | StageLike<never, unknown>
  | ((items: AsyncIterable<never>, signal: AbortSignal) => NodeTransform)

const STEP =
  'a stage, a Transform of Node, a web TransformStream, a function that makes one, or an async generator function over the items'

/** Node and web streams that a run has taken. Each serves one run. */
const taken = new WeakSet<object>()

/** @throws FeedError OPTION_INVALID */
export function checkStageLike(step: unknown): void {
  if (typeof step === 'function') is.callback('step', step as () => unknown, STEP)
  else if (!isStage(step) && !isNodeTransform(step) && !isWebTransform(step))
    throw optionInvalid('step', STEP, step)
}

/**
 * Returns the stage of a step for one run.
 * @throws FeedError OPTION_INVALID, STAGE_REUSED, STAGE_FAILED where the step's function throws
 */
export function stageOf(step: AnyStageLike): AnyStage {
  if (typeof step !== 'function') return stageOfStream(step)
  const items = new GivenItems<never>()
  let made: unknown
  try {
    made = step(items, items.abort.signal)
  } catch (error) {
    throw asFeedError(error, step.name || 'pipeline')
  }
  if (isStage(made) || isNodeTransform(made) || isWebTransform(made))
    return stageOfStream(made, step.name)
  if (isAsyncIterable(made))
    return new PairStage(generatorPair(step.name || 'generator', items, made))
  throw notMade(made)
}

function stageOfStream(stream: StreamLike<never, unknown>, givenName = ''): AnyStage {
  if (isStage(stream)) return stream
  const name = givenName || nameOf(stream)
  refuseTaken(stream, name)
  const pair: Pair<never, unknown> = isWebTransform(stream)
    ? webPair<never, unknown>(name, stream)
    : new NodePair(name, stream)
  return new PairStage(pair)
}

/** A stream that has ended would end the run without an item and without an error. */
function refuseTaken(stream: StreamLike<never, unknown>, stage: string): void {
  const { readable, writable } = stream
  const isUsed = isWebTransform(stream)
    ? stream.readable.locked || (stream.writable as { locked?: unknown }).locked === true
    : readable === false || writable === false
  if (isUsed || taken.has(stream)) {
    const message = `${stage} is in use or has ended: give the pipeline a function that makes one`
    throw new FeedError('STAGE_REUSED', message, { stage })
  }
  taken.add(stream)
}

function notMade(made: unknown): FeedError<'OPTION_INVALID'> {
  // The mistake is reported here; a rejection of the promise has no other reader.
  if (typeof made === 'object' && made !== null && isPromise(made))
    Promise.resolve(made).catch(() => {})
  const isGenerator = typeof made === 'object' && made !== null && Symbol.iterator in made
  const advice = isGenerator ? ' (a generator that waits for its items is async)' : ''
  return optionInvalid('step()', `a stage, a stream or an async iterable${advice}`, made)
}

function nameOf(stream: object): string {
  const { name } = stream.constructor
  return name === '' || name === 'Object' ? 'stream' : name
}

export function isStage(value: unknown): value is AnyStage {
  const { counters, machineFor } = (value ?? {}) as { counters?: unknown; machineFor?: unknown }
  return counters !== undefined && typeof machineFor === 'function'
}

function isNodeTransform(value: unknown): value is NodeTransform {
  const stream = (value ?? {}) as Record<string, unknown>
  return ['on', 'read', 'write', 'end'].every(method => typeof stream[method] === 'function')
}

function isWebTransform(value: unknown): value is WebTransform<never, unknown> {
  const { readable, writable } = (value ?? {}) as Record<
    string,
    Record<string, unknown> | undefined
  >
  return typeof readable?.getReader === 'function' && typeof writable?.getWriter === 'function'
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}
