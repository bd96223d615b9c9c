// The results as tables for a terminal, and as the object that --json writes.

import { type Machine, machineLine } from '../src/bench/machine'
import type { BenchFeed } from './bench-feed'
import type { CheckedCase, Measurement } from './case-process'
import type { Figures } from './figures'
import type { GoalResult } from './goals'
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
    `${feedText(report)}; medians of ${report.rounds} interleaved rounds`,
    '',
    ...aligned([HEADING, ...results], [0, 1, HEADING.length - 1]),
    '',
    ...aligned([...titles]),
    ...(goals.length === 0
      ? []
      : ['', ...aligned([GOALS_HEADING, ...goals.map(goalLine)], [0, 1, 3])]),
  ].join('\n')
}

/** The measured file in words. */
export function feedText({ feed }: Pick<BenchReport, 'feed'>): string {
  const megabytes = (bytes: number) => (bytes / 1e6).toFixed(1)
  return `item feed of seed ${feed.seed}: ${feed.rows} rows, ${megabytes(feed.rawBytes)} MB, ${megabytes(feed.gzipBytes)} MB of gzip`
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
    result.timesZlib === undefined ? '' : result.timesZlib.toFixed(2),
    verdictText(result.verdict),
  ]
}

const GOALS_HEADING = ['case', 'goal', 'measured', '']

function goalLine({ case: name, goal, measured, held }: GoalResult): string[] {
  return [name, goal, measured, held ? 'held' : 'MISSED']
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

/**
 * Lines of columns: words to the left, numbers to the right.
 * @param words the columns of words; default the first and the last
 */
export function aligned(
  lines: readonly (readonly string[])[],
  words: readonly number[] = [0, lines[0]!.length - 1],
): string[] {
  const widths = lines[0]!.map((_, column) => Math.max(...lines.map(line => line[column]!.length)))
  return lines.map(line =>
    line
      .map((cell, column) =>
        words.includes(column) ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!),
      )
      .join('  ')
      .trimEnd(),
  )
}
