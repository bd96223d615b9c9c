// The contract of sinks, which store the items of a pipeline. Nothing is final before `commit`.

import type { FeedError } from '../errors'
import { is } from '../options'

/** What a sink has done with the rows of a run. */
export interface SinkCounts {
  /** Rows that the sink wrote, and that no later row of the run has replaced. */
  readonly written: number
  /** Rows that the sink left out, because a quarantine took them. */
  readonly leftOut: number
  /**
   * Rows that gave way to a later row of the run with the same key; undefined where SQLite got more
   * than a million keys, and `written` then has these rows too.
   */
  readonly replaced: number | undefined
}

/**
 * The contract between a pipeline and a sink: `open`, any number of `write`s, then `prepare` and
 * `commit`, or `abort`. A failure of any of them is followed by `abort`. The pipeline calls
 * `prepare` and `commit` only after every stage has ended without an error, so the trailers and the
 * total size of the file are verified. What a sink holds back until then never becomes visible.
 * After `abort` the same sink may be opened again.
 *
 * Where the signal of a run is aborted and a call of the sink does not return within a moment,
 * `abort` comes beside that call, and again when the call returns.
 *
 * @example
 * ```ts
 * import { pipeline, type Sink } from 'feedmill'
 *
 * class Total implements Sink<number> {
 *   readonly name = 'Total'
 *   #sum = 0
 *   readonly write = (value: number) => void (this.#sum += value)
 *   commit = () => console.log('verified:', this.#sum)
 *   abort = () => void (this.#sum = 0)
 * }
 * await pipeline([1, 2, 3]).run(new Total())
 * // => verified: 6
 * ```
 */
export interface Sink<T> {
  readonly name: string
  /**
   * The files that the sink writes, as paths or streams of Node. A run refuses a sink that would
   * write a file which the run reads, or which another of its sinks writes.
   */
  readonly writes?: readonly (string | object)[]
  open?(): void | Promise<void>
  /**
   * Writes one item. This is a property and not a method, so that a sink for other items than those
   * of the pipeline is a compile error.
   */
  readonly write: (item: T) => void | Promise<void>
  /**
   * Does all the work of the end that may fail, such as writing the rest and syncing it, so that
   * `commit` has one short step left: a rename, or the COMMIT of a database. Several sinks of one
   * run (`tee`) are all prepared before the first one commits.
   */
  prepare?(): void | Promise<void>
  commit(): void | Promise<void>
  /** Returns what was done with the rows of the last run that was committed, where it is known. */
  counts?(): SinkCounts | undefined
  abort(error: FeedError): void | Promise<void>
}

/** @throws FeedError OPTION_INVALID */
export function checkSink<T>(sink: Sink<T>): void {
  const methods = is.withMethods<Sink<T>>('write', 'commit', 'abort')
  is.filledText('sink.name', methods('sink', sink).name)
}
