// Measurements and a report made up for tests, in which `rows-5` is right, papaparse is wrong and
// one goal is missed.

import type { Measurement } from '../../bench/case-process'
import { figuresOf } from '../../bench/figures'
import type { BenchReport, CaseResult } from '../../bench/report'

const FEED = {
  shape: 'repeating' as const,
  seed: 1,
  items: 1100,
  copies: 1,
  path: 'item.tsv.gz',
  columns: ['itemId'],
  rows: 1000,
  rawBytes: 30e6,
  gzipBytes: 6e6,
  rawSha256: 'a',
}

/** A run for each time in seconds. */
export function runsOf(...seconds: number[]): Measurement[] {
  return seconds.map(time => ({ rows: 1000, seconds: time, cpuSeconds: time / 2, peakRssMb: 80 }))
}

export const rightVerdict = {
  right: true,
  unit: 'rows',
  count: 1000,
  expectedCount: 1000,
  identicalRows: 1000,
  checksum: 'a',
  expectedChecksum: 'a',
} as const

export const wrongVerdict = {
  ...rightVerdict,
  right: false,
  count: 920,
  identicalRows: 899,
  checksum: 'b',
} as const

const zlib = resultOf(
  { name: 'zlib', contender: 'node:zlib', title: 'alone', ours: false, verdict: rightVerdict },
  1,
)
const rows5 = resultOf(
  { name: 'rows-5', contender: 'feedmill', title: 'rows', ours: true, verdict: rightVerdict },
  2,
)
const papaparse = resultOf(
  {
    name: 'papaparse',
    contender: 'papaparse',
    title: 'objects',
    ours: false,
    verdict: wrongVerdict,
  },
  6,
)

export const madeReport: BenchReport = {
  machine: {
    date: '2026-01-02T03:04:05.000Z',
    node: 'v20.20.2',
    cpu: 'A processor',
    cores: 2,
    platform: 'linux-x64',
  },
  packages: { papaparse: '5.7.1' },
  feed: FEED,
  rounds: 3,
  cases: [
    { name: 'zlib', contenders: [zlib] },
    { name: 'rows-5', contenders: [rows5, papaparse] },
  ],
  goals: [
    { case: 'rows-5', goal: '≥ 1.2 × zlib', value: 0.5, measured: '0.50 ×', held: false },
    { case: 'rows-5', goal: '≥ 2 × papaparse', value: 3, measured: '3.00 ×', held: true },
  ],
  failures: [],
}

function resultOf(
  checked: Pick<CaseResult, 'name' | 'contender' | 'title' | 'ours' | 'verdict'>,
  seconds: number,
): CaseResult {
  const runs = runsOf(seconds, seconds, seconds)
  return { ...checked, rawBytes: FEED.rawBytes, ...figuresOf(runs, runsOf(1, 1, 1), FEED), runs }
}
