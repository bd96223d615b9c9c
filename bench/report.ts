// The results as tables for a terminal, and as the object that --json writes.

import { aligned } from '../src/bench/formats/bench-text'
import { type Machine, machineLine } from '../src/bench/machine'
import type { BenchFeed } from './bench-feed'
import type { CheckedCase, Measurement } from './case-process'
import type { Figures } from './figures'
import { type GoalResult, goalText } from './goals'
import type { TableCase } from './macro/cases'
import type { Verdict } from './macro/check'

/** One contender in one case. */
export interface CaseResult extends CheckedCase, Figures {
  /** The size of the file that the case read, before compression. */
  readonly rawBytes: number
  readonly runs: readonly Measurement[]
}

export interface BenchReport {
  readonly machine: Machine
  /** Versions of the packages that contend, by their names. */
  readonly packages: Readonly<Record<string, string>>
  readonly feed: BenchFeed
  readonly rounds: number
  /** A contender that stands in two cases was measured once. */
  readonly cases: readonly {
    readonly name: TableCase
    readonly contenders: readonly CaseResult[]
  }[]
  readonly goals: readonly GoalResult[]
  /** What failed the run; empty when nothing did. */
  readonly failures: readonly string[]
}

const HEADING = [
  'case',
  'contender',
  'MB/s',
  'rows/s',
  'spread',
  'CPU s',
  'peak RSS MB',
  '× zlib',
  'by CPU',
  'result',
]

export function tableOf(report: BenchReport): string {
  const { machine, cases, goals } = report
  const results = cases.flatMap(({ name, contenders }) =>
    contenders.map((contender, n) => lineOf(n === 0 ? name : '', contender, report)),
  )
  const titles = new Map(
    cases.flatMap(({ contenders }) =>
      contenders.map(({ name, contender, title }) => [name, `${contender}: ${title}`]),
    ),
  )
  return [
    machineLine(machine),
    `${feedText(report)}; medians of ${roundsText(report)}`,
    '',
    ...aligned([HEADING, ...results], [0, 1, HEADING.length - 1]),
    '',
    ...aligned([...titles]),
    ...(goals.length === 0
      ? []
      : ['', ...aligned([GOALS_HEADING, ...goals.map(goalLine)], [0, 1, 3])]),
  ].join('\n')
}

/** The rounds in words: slow contenders may have run fewer of them. */
export function roundsText({ rounds, cases }: Pick<BenchReport, 'rounds' | 'cases'>): string {
  const runs = cases.flatMap(({ contenders }) => contenders.map(result => result.runs.length))
  const [least, most] = [Math.min(rounds, ...runs), Math.max(...runs)]
  const text = `${most} interleaved rounds`
  return least === most ? text : `${text}, of the slowest contenders ${least}`
}

/** The measured file in words. */
export function feedText({ feed }: Pick<BenchReport, 'feed'>): string {
  const megabytes = (bytes: number) => (bytes / 1e6).toFixed(1)
  return `${feed.shape} item feed of seed ${feed.seed}: ${feed.rows} rows, ${megabytes(feed.rawBytes)} MB, ${megabytes(feed.gzipBytes)} MB of gzip`
}

/** Who it is, and on which file where that is not the one that all others read. */
export function contenderText(
  { contender, rawBytes }: CaseResult,
  { feed }: Pick<BenchReport, 'feed'>,
): string {
  return rawBytes === feed.rawBytes ? contender : `${contender}, ${(rawBytes / 1e6).toFixed(0)} MB`
}

function lineOf(name: string, result: CaseResult, report: BenchReport): string[] {
  return [
    name,
    contenderText(result, report),
    result.mbPerSecond.toFixed(0),
    result.rowsPerSecond === undefined ? '' : result.rowsPerSecond.toFixed(0),
    `${(result.spread * 100).toFixed(0)}%`,
    result.cpuSeconds.toFixed(2),
    result.peakRssMb.toFixed(0),
    result.timesZlib?.toFixed(2) ?? '',
    result.timesZlibCpu?.toFixed(2) ?? '',
    verdictText(result.verdict),
  ]
}

const GOALS_HEADING = ['case', 'goal', 'measured', '']

function goalLine(result: GoalResult): string[] {
  const { case: name, goal, measured } = result
  return [name, goal, measured, goalText(result)]
}

/** What the tables say of a case's result. */
export function verdictText({ right, unit, count, expectedCount, identicalRows }: Verdict): string {
  if (right) return 'right'
  if (identicalRows !== undefined)
    return `WRONG: ${count} of ${expectedCount} rows, ${identicalRows} of them right`
  return count === expectedCount
    ? `WRONG: ${count} ${unit}, another checksum`
    : `WRONG: ${count} of ${expectedCount} ${unit}`
}
