// The options that all measurements share, with their checks, and the benchmarks of the files.

import { FeedError, is, type OptionTable, optionInvalid, readOptions } from '../engine/index'
import type { BenchProcesses } from './bench-process'
import { MEASURE_NAMES, type MeasureName } from './statistics/measures'

/** All orders of three sides, three times. */
export const DEFAULT_ROUNDS = 18
/** All orders of three sides. Fewer runs prove nothing. */
export const LEAST_ROUNDS = 6

export interface BenchProgress {
  /** The share of the work that is done, from 0 to 1. */
  readonly done: number
  readonly what: string
  /**
   * The smallest change that the planned rounds find here. A comparison tells it once: before its
   * rounds, or behind the first six where the noise shows only then.
   */
  readonly provable?: string
}

export interface BenchOptions {
  /** The paths of the files with the benchmarks. */
  readonly files: readonly string[]
  /**
   * Runs of each benchmark. Default: 18. Bounds: 6 to 9,999 for a comparison, 1 to 9,999 for a
   * measurement.
   */
  readonly rounds?: number
  /** The names of the benchmarks to run. Default: all. */
  readonly only?: readonly string[]
  /** The measures that a comparison judges. Default: `time`, `cpu` and `memory`. */
  readonly measures?: readonly MeasureName[]
  /** The commit to compare with, by any name that git knows, such as `origin/main`. Default: none. */
  readonly base?: string
  /**
   * With `base`, a stated commit to compare with as well, such as the last release, because many
   * small changes pass, each compared with the one before. Its runs are made between the others.
   * Default: none.
   */
  readonly against?: string
  /**
   * With `base`, the command that builds the tree of the commit, such as `npm ci && npm run build`.
   * The shell runs it in the root of that tree, and in that of `against`, with the root of the
   * working tree in the environment variable FEEDMILL_BENCH_HEAD. Default: nothing is built.
   */
  readonly build?: string
  /** The path of a report to compare with, as `feedmill bench --save` writes it. Default: none. */
  readonly baseline?: string
  /** Called before and after each run. Default: none. */
  readonly onProgress?: (progress: BenchProgress) => void
}

const OPTIONS = {
  files: somePaths,
  rounds: [is.any, DEFAULT_ROUNDS],
  only: [is.texts],
  measures: [someMeasures, MEASURE_NAMES],
  base: [is.filledText],
  against: [is.filledText],
  build: [is.anyText],
  baseline: [is.filePath],
  onProgress: [is.callback, () => {}],
} satisfies OptionTable<BenchOptions>

/** The options with their defaults. */
export type BenchPlan = ReturnType<typeof benchPlan>

/** @throws FeedError OPTION_INVALID */
export function benchPlan(options: BenchOptions) {
  const plan = readOptions(options, OPTIONS)
  const { base, against, build, baseline } = plan
  if (build !== undefined && base === undefined)
    throw optionInvalid('build', 'used with base', build)
  if (against !== undefined && base === undefined)
    throw optionInvalid('against', 'used with base', against)
  if (base !== undefined && baseline !== undefined)
    throw optionInvalid('baseline', 'used without base', baseline)
  const isCompared = base !== undefined || baseline !== undefined
  is.wholeNumber(isCompared ? LEAST_ROUNDS : 1, 9_999)('rounds', plan.rounds)
  return plan
}

function somePaths(option: string, paths: readonly string[]): readonly string[] {
  for (const path of is.arrayOf(option, paths)) is.filePath(option, path)
  if (paths.length > 0) return paths
  throw optionInvalid(option, 'at least one path', paths)
}

function someMeasures(option: string, measures: readonly MeasureName[]): readonly MeasureName[] {
  for (const measure of is.arrayOf(option, measures)) is.choice(...MEASURE_NAMES)(option, measure)
  if (measures.length > 0) return measures
  throw optionInvalid(option, 'at least one measure', measures)
}

/** A benchmark in one of the files. */
export interface PlannedBench {
  readonly file: string
  readonly name: string
}

/**
 * Lists the wanted benchmarks, and prepares those that ask for it.
 * @throws FeedError BENCH_FILE_INVALID, BENCH_FAILED, OPTION_INVALID
 */
export async function preparedBenches(
  { files, only, onProgress }: BenchPlan,
  processes: BenchProcesses,
): Promise<readonly PlannedBench[]> {
  const benches: PlannedBench[] = []
  for (const file of files) {
    for (const { name, isPrepared } of await processes.list(file)) {
      if (benches.some(other => other.name === name)) throw repeated(file, name)
      if (only !== undefined && !only.includes(name)) continue
      onProgress({ done: 0, what: `preparing ${name}` })
      if (isPrepared) await processes.prepare(file, name)
      benches.push({ file, name })
    }
  }
  const unknown = only?.find(name => benches.every(bench => bench.name !== name))
  if (unknown !== undefined)
    throw optionInvalid('only', 'names of benchmarks in the files', unknown)
  return benches
}

function repeated(path: string, name: string): FeedError<'BENCH_FILE_INVALID'> {
  const reason = `another file has a benchmark with the name ${name}`
  return new FeedError('BENCH_FILE_INVALID', `${path}: ${reason}`, { path, reason })
}
