// The report of a measurement: figures, shares of the stages, and the judgement of a comparison. It
// is plain data, which JSON keeps. The formats that people and other programs read are in formats/.

import { is } from '../engine/index'
import type { BenchRun } from './bench-run'
import type { Machine } from './machine'
import { stageShares } from './stage-shares'
import { type Judgement, judge, type Sides, type SideValues } from './statistics/judge'
import { MEASURES, type MeasureName } from './statistics/measures'
import { median, spreadOf } from './statistics/median'

/** A change that would mislead a reader of older reports raises this number. */
export const REPORT_VERSION = 2

export interface BenchReport {
  readonly kind: 'feedmill-bench'
  readonly version: number
  readonly machine: Machine
  /**
   * The hash of the commit in the working directory, with `-dirty` behind it where tracked files
   * differ from it; missing outside a repository.
   */
  readonly commit?: string
  /** The runs of each benchmark, each in a process of its own. */
  readonly rounds: number
  /** What the benchmarks were compared with; missing where they were only measured. */
  readonly against?: BenchBase
  readonly benches: readonly BenchResult[]
}

export interface BenchBase {
  readonly kind: 'commit' | 'baseline'
  /** The name of the commit with its hash, or the path of the baseline with its time. */
  readonly name: string
  /** The name of the stated base with its hash; missing where there is none. */
  readonly stated?: string
  /** The confidence of each interval. It is corrected for the number of intervals. */
  readonly level: number
  /** Benchmarks that the base cannot run, so that nothing was compared. */
  readonly leftOut: readonly string[]
}

/** The figures of one benchmark, which are medians over the rounds. */
export interface BenchResult {
  readonly name: string
  readonly count: number
  readonly bytes?: number
  readonly seconds: number
  /** The time of the slowest run minus that of the fastest, as a share of the median. */
  readonly spread: number
  readonly cpuSeconds: number
  /** The peak memory of the whole process, in 10^6 bytes. */
  readonly peakRssMb: number
  readonly countPerSecond: number
  /** Megabytes are 10^6 bytes. */
  readonly mbPerSecond?: number
  /**
   * The share of each stage in the time of the run, from 0 to 1; empty for a function. Work that a
   * stage does while a later stage works costs nothing and is not counted.
   */
  readonly stages: readonly { readonly stage: string; readonly share: number }[]
  /** One judgement for each measure; missing where nothing was compared. */
  readonly measures?: readonly JudgedMeasure[]
  readonly runs: readonly BenchRun[]
}

/** What a comparison says about one measure of one benchmark, in seconds or in 10^6 bytes. */
export interface JudgedMeasure extends Judgement {
  readonly measure: MeasureName
  /** The name of the stated base, where the judgement is against that one. */
  readonly since?: string
}

export function benchResult(
  name: string,
  runs: readonly BenchRun[],
  measures?: readonly JudgedMeasure[],
): BenchResult {
  const { count, bytes } = runs[0]!
  const seconds = median(runs.map(({ elapsedMs }) => elapsedMs / 1000))
  return {
    name,
    count,
    ...(bytes !== undefined && { bytes }),
    seconds,
    spread: spreadOf(runs.map(({ elapsedMs }) => elapsedMs)),
    cpuSeconds: median(runs.map(({ cpuMs }) => cpuMs / 1000)),
    peakRssMb: median(runs.map(({ peakRssBytes }) => peakRssBytes / 1e6)),
    countPerSecond: count / seconds,
    ...(bytes !== undefined && { mbPerSecond: bytes / 1e6 / seconds }),
    stages: medianShares(runs),
    ...(measures !== undefined && { measures }),
    runs,
  }
}

/** The medians over the runs of the shares of each stage. */
function medianShares(runs: readonly BenchRun[]): BenchResult['stages'] {
  const shares = runs.map(({ stages, elapsedMs }) => stageShares(stages, elapsedMs))
  return runs[0]!.stages.map(({ stage }, place) => ({
    stage,
    share: median(shares.map(ofRun => ofRun[place]!)),
  }))
}

/** How often, at most, a comparison of equal versions may fail. */
const ALPHA = 0.05

/** How the intervals of a comparison are made. */
export interface Judging {
  readonly measures: readonly MeasureName[]
  /** The number of benchmarks that can fail together. */
  readonly benches: number
  /** The name of the stated base, where there is one. */
  readonly stated?: string | undefined
}

/**
 * Returns the confidence of each interval (the correction of Bonferroni): over all intervals
 * together, a share of {@link ALPHA} of the comparisons has one that lies above its true value.
 * Only such an interval can fail equal versions, so the other end may miss as often.
 */
export function correctedLevel({ measures, benches, stated }: Judging): number {
  const bases = stated === undefined ? 1 : 2
  return 1 - (2 * ALPHA) / (benches * measures.length * bases)
}

/**
 * Judges the runs of one benchmark, and once more against a stated base that has runs. Runs with
 * `again` were interleaved; runs without it were made at different times.
 */
export function judgedMeasures(runs: Sides<BenchRun>, judging: Judging): JudgedMeasure[] {
  const level = correctedLevel(judging)
  const wanted = MEASURES.filter(({ name }) => judging.measures.includes(name))
  const judged = (sides: Sides<BenchRun>, since?: string) =>
    wanted.map(({ name, of, floor }) => {
      const values = Object.entries(sides).map(([side, ofSide]) => [side, ofSide.map(of)])
      const judgement = judge(Object.fromEntries(values) as SideValues, { level, floor })
      return { measure: name, ...(since !== undefined && { since }), ...judgement }
    })
  const { stated = [], ...sides } = runs
  return [...judged(sides), ...(stated.length > 0 ? judged(runs, judging.stated) : [])]
}

/** A measure of a benchmark that a comparison has proved to be worse. */
export interface BenchRegression extends JudgedMeasure {
  readonly bench: string
}

/**
 * Returns the measures that got worse. It is empty for a report without a comparison.
 * @throws FeedError OPTION_INVALID
 */
export function regressionsIn(report: BenchReport): BenchRegression[] {
  return checkedReport(report).benches.flatMap(({ name, measures = [] }) =>
    measures
      .filter(({ verdict }) => verdict === 'worse')
      .map(judged => ({ bench: name, ...judged })),
  )
}

/** Checks that an object is a report. @throws FeedError OPTION_INVALID */
export function checkedReport(report: BenchReport): BenchReport {
  is.anObject('report', report, 'a report of benchmarks')
  if (report.kind !== 'feedmill-bench') is.choice('feedmill-bench')('report.kind', report.kind)
  return report
}
