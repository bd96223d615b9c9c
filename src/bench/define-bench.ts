// What a benchmark is, and the check of one. Running it is bench-run.ts, finding it in a file is
// bench-file.ts.

import type { Pipeline, StageCounters } from '../engine/index'
import { is, type OptionTable, readOptions } from '../engine/index'

/** What one run of a benchmark gave. */
export interface BenchOutcome {
  /**
   * The rows that came out of a pipeline, or its items where these hold no rows; the number that a
   * function returned.
   */
  readonly count: number
  /** The counters of a pipeline's stages, in the order of the chain; empty for a function. */
  readonly stages: readonly StageCounters[]
}

/** One benchmark. */
export interface Bench {
  /** The name in reports. Trackers of benchmarks follow a benchmark by its name. */
  readonly name: string
  /**
   * The measured work: returns a new pipeline, which is then read to its end and its items dropped,
   * or does the work itself and returns the number of things that it processed. It is called once
   * in each process.
   */
  readonly pipeline: () =>
    | Pick<Pipeline<unknown>, 'run'>
    | number
    | Promise<Pick<Pipeline<unknown>, 'run'> | number>
  /**
   * The size of the input in bytes, for MB/s. A function is called after the run. Default: the
   * largest number of bytes that a stage of the pipeline took or gave.
   */
  readonly bytes?: number | (() => number | Promise<number>)
  /**
   * Checks each run: it returns false or throws where the result is wrong, and the benchmark then
   * fails with BENCH_RESULT_WRONG instead of measuring wrong work. It is called after the run.
   * Default: none.
   */
  readonly check?: (outcome: BenchOutcome) => unknown
  /**
   * Makes the input where it is missing. It is called once before all runs, in a process of its
   * own, so that its memory does not count. Default: none.
   */
  readonly prepare?: () => void | Promise<void>
}

const BENCH = {
  name: is.filledText,
  pipeline: is.callback,
  bytes: [checkedBytes],
  check: [is.callback],
  prepare: [is.callback],
} satisfies OptionTable<Bench>

/**
 * Describes a benchmark for `feedmill bench`. A file exports one, a list of them, or several by
 * name; a plain object of the same shape is accepted too. The file is a module that Node can load.
 * It is loaded in every measured process before the clock starts.
 *
 * @throws FeedError OPTION_INVALID
 * @example
 * ```ts
 * import { pipeline, TsvRowParser } from 'feedmill'
 * import { defineBench } from 'feedmill/bench'
 *
 * const text = Buffer.from(`itemId\ttitle\n${'v1|1|0\tone\n'.repeat(1000)}`)
 * const bench = defineBench({
 *   name: 'titles',
 *   pipeline: () => pipeline([text]).to(new TsvRowParser()).tap(row => row.text('title')),
 *   bytes: text.length,
 *   check: ({ count }) => count === 1000,
 * })
 * console.log(bench.name)
 * // => titles
 * ```
 */
export function defineBench(bench: Bench): Bench {
  readOptions(bench, BENCH, 'bench', '')
  return bench
}

type Bytes = NonNullable<Bench['bytes']>

function checkedBytes(option: string, bytes: Bytes): Bytes {
  return typeof bytes === 'function'
    ? is.callback(option, bytes)
    : is.finiteNumber(1)(option, bytes)
}
