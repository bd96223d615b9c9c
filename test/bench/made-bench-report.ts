// Reports made of given figures, without a process having run.

import {
  type BenchReport,
  benchResult,
  correctedLevel,
  judgedMeasures,
  REPORT_VERSION,
} from '../../src/bench/bench-report'
import type { BenchRun } from '../../src/bench/bench-run'
import { newCounters } from '../../src/engine/core/counters'

const ROUNDS = 12

export const machine = {
  date: '2030-01-01T00:00:00.000Z',
  node: 'v20.20.2',
  cpu: 'a processor',
  cores: 2,
  platform: 'linux-x64',
}

export interface Factors {
  readonly time?: number
  readonly cpu?: number
  readonly memory?: number
}

/** Half a second over 60 MB in two stages, of which the second takes three times the first. */
export function madeRuns({ time = 1, cpu = 1, memory = 1 }: Factors = {}): BenchRun[] {
  return Array.from({ length: ROUNDS }, (_, round) => {
    const jitter = 1 + (round % 3) / 1000
    const elapsedMs = 500 * time * jitter
    const stages = [
      { ...newCounters('read'), busyMs: elapsedMs / 4, blockedMs: (elapsedMs * 3) / 4 },
      { ...newCounters('parse'), busyMs: (elapsedMs * 3) / 4, waitMs: elapsedMs / 4 },
    ]
    return {
      elapsedMs,
      cpuMs: 600 * cpu * jitter,
      peakRssBytes: 100e6 * memory,
      count: 1000,
      bytes: 60e6,
      stages,
    }
  })
}

export function measuredOnly(name = 'objects', runs = madeRuns()): BenchReport {
  return {
    kind: 'feedmill-bench',
    version: REPORT_VERSION,
    machine,
    rounds: runs.length,
    benches: [benchResult(name, runs)],
  }
}

/** @param factors by which the head takes more than the base */
export function compared(factors: Factors, name = 'objects'): BenchReport {
  const judging = { measures: ['time', 'cpu', 'memory'], benches: 1 } as const
  const [base, head] = [madeRuns(), madeRuns(factors)]
  const measures = judgedMeasures({ base, again: base.toReversed(), head }, judging)
  return {
    ...measuredOnly(name, head),
    against: { kind: 'commit', name: 'main (abc)', level: correctedLevel(judging), leftOut: [] },
    benches: [benchResult(name, head, measures)],
  }
}
