// Compares with a saved report of the same machine. Its runs were made at another time, so they
// prove less than runs that are interleaved.

import { readFile } from 'node:fs/promises'
import { FeedError } from '../engine/index'
import { type BenchPlan, LEAST_ROUNDS } from './bench-plan'
import {
  type BenchReport,
  correctedLevel,
  type Judging,
  judgedMeasures,
  REPORT_VERSION,
} from './bench-report'
import { provableLine } from './formats/provable-line'
import { machineDifferences, thisMachine } from './machine'

/** Reads a report that was saved on this machine. @throws FeedError OPTION_INVALID */
export async function savedReport(path: string, here = thisMachine()): Promise<BenchReport> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw refused(path, String(error))
  })
  const report = parsed(path, text)
  const differences = machineDifferences(report.machine, here)
  if (differences.length > 0)
    throw refused(path, `it was made on another machine: ${differences.join('; ')}`)
  if (report.rounds < LEAST_ROUNDS)
    throw refused(path, `it has ${report.rounds} rounds, and a comparison needs ${LEAST_ROUNDS}`)
  return report
}

/**
 * Says before the runs what they can prove against a baseline: as much as the baseline shows against
 * itself, as far as it has so many rounds.
 */
export function provableAgainst(
  { benches, rounds }: BenchReport,
  plan: Pick<BenchPlan, 'measures' | 'rounds'>,
): string {
  const judging = { ...plan, benches: benches.length }
  const judged = benches.flatMap(({ runs }) => judgedMeasures({ base: runs, head: runs }, judging))
  return provableLine(judged, rounds, Math.min(rounds, plan.rounds), judging)
}

/** Adds the judgement of the benchmarks that both reports have. */
export function judgedAgainst(
  report: BenchReport,
  baseline: BenchReport,
  path: string,
  options: Omit<Judging, 'benches'>,
): BenchReport {
  const before = new Map(baseline.benches.map(bench => [bench.name, bench]))
  const missing = report.benches.filter(({ name }) => !before.has(name))
  const judging = { ...options, benches: report.benches.length - missing.length }
  if (judging.benches === 0) throw refused(path, 'it has none of these benchmarks')
  return {
    ...report,
    against: {
      kind: 'baseline',
      name: `${path} of ${baseline.machine.date}`,
      level: correctedLevel(judging),
      leftOut: missing.map(({ name }) => `${name}: the baseline does not have it`),
    },
    benches: report.benches.map(bench => {
      const base = before.get(bench.name)
      if (base === undefined) return bench
      return { ...bench, measures: judgedMeasures({ base: base.runs, head: bench.runs }, judging) }
    }),
  }
}

function parsed(path: string, text: string): BenchReport {
  let value: Partial<BenchReport> | null
  try {
    value = JSON.parse(text) as Partial<BenchReport> | null
  } catch {
    throw refused(path, 'it is not JSON')
  }
  if (value?.kind !== 'feedmill-bench') throw refused(path, 'it is not a report of benchmarks')
  if (value.version !== REPORT_VERSION)
    throw refused(path, `it has version ${value.version}, and this version reads ${REPORT_VERSION}`)
  if (!value.machine || !Array.isArray(value.benches) || !value.benches.every(hasFigures))
    throw refused(path, 'it is not complete')
  return value as BenchReport
}

function hasFigures({ name, runs }: Partial<BenchReport['benches'][number]>): boolean {
  return (
    typeof name === 'string' &&
    Array.isArray(runs) &&
    runs.every(({ elapsedMs, cpuMs, peakRssBytes }) =>
      [elapsedMs, cpuMs, peakRssBytes].every(figure => figure > 0),
    )
  )
}

function refused(path: string, reason: string): FeedError<'OPTION_INVALID'> {
  return new FeedError('OPTION_INVALID', `${path} cannot be the baseline: ${reason}`, {
    option: 'baseline',
    expected: 'a report that `feedmill bench --save` wrote on this machine',
    received: reason,
  })
}
