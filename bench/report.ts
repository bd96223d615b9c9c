// The results as a table, and as the object that --json writes.

import type { BenchFeed } from './bench-feed'
import type { CheckedCase, Measurement } from './case-process'
import type { Figures } from './figures'
import type { Machine } from './machine'
import type { Verdict } from './macro/check'

export interface CaseResult extends CheckedCase, Figures {
  readonly runs: readonly Measurement[]
}

export interface BenchReport {
  readonly machine: Machine
  readonly feed: BenchFeed
  readonly rounds: number
  readonly cases: readonly CaseResult[]
  /** What failed the run; empty when nothing did. */
  readonly failures: readonly string[]
}

const HEADING = ['case', 'MB/s', 'rows/s', 'spread', 'CPU s', 'peak RSS MB', '× papaparse', '× zlib', 'result']

export function tableOf({ machine, feed, rounds, cases }: BenchReport): string {
  const { rows, rawBytes, gzipBytes, seed } = feed
  const megabytes = (bytes: number) => (bytes / 1e6).toFixed(1)
  return [
    `${machine.date} · Node ${machine.node} · ${machine.cpu} · ${machine.cores} cores · ${machine.platform}`,
    `item feed of seed ${seed}: ${rows} rows, ${megabytes(rawBytes)} MB, ${megabytes(gzipBytes)} MB of gzip; medians of ${rounds} interleaved rounds`,
    '',
    ...aligned([HEADING, ...cases.map(lineOf)]),
    '',
    ...aligned(cases.map(({ name, title }) => [name, title])),
  ].join('\n')
}

function lineOf(result: CaseResult): string[] {
  return [
    result.name,
    result.mbPerSecond.toFixed(0),
    result.rowsPerSecond === undefined ? '' : result.rowsPerSecond.toFixed(0),
    `${(result.spread * 100).toFixed(0)}%`,
    result.cpuSeconds.toFixed(2),
    result.peakRssMb.toFixed(0),
    result.timesPapaparse.toFixed(2),
    result.timesZlib.toFixed(2),
    verdictText(result.verdict),
  ]
}

/** What the table says of a case's result. */
export function verdictText({ right, count, expectedCount, identicalRows }: Verdict): string {
  if (right) return 'right'
  if (identicalRows === undefined) return `WRONG: ${count} of ${expectedCount} bytes`
  return `WRONG: ${count} of ${expectedCount} rows, ${identicalRows} of them right`
}

/** Lines of columns: words to the left in the first and the last one, numbers to the right between. */
function aligned(lines: readonly (readonly string[])[]): string[] {
  const last = lines[0]!.length - 1
  const widths = lines[0]!.map((_, column) => Math.max(...lines.map(line => line[column]!.length)))
  return lines.map(line =>
    line
      .map((cell, column) => (column === 0 || column === last ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
      .join('  ')
      .trimEnd(),
  )
}
