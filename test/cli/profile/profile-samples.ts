// Rounds and results made up for tests, where real ones would depend on the machine.

import type { Machine } from '../../../src/bench/machine'
import { type ProfileSubject, profileResult } from '../../../src/cli/profile/profile-result'
import type { RoundResult } from '../../../src/cli/profile/profile-round'
import { newCounters } from '../../../src/engine/core/counters'

export const subject: ProfileSubject = {
  file: { path: 'items.tsv.gz', format: 'gzip', bytes: 20_000_000, sha256: 'ab' },
  feed: 'item',
  reading: 5,
}

export const machine: Machine = {
  date: '2026-03-01T00:00:00.000Z',
  node: 'v20.1.0',
  cpu: 'A',
  cores: 2,
  platform: 'linux-x64',
}

/** 100 MB of TSV in two stages and a reader: 100,000 rows. */
export function round(elapsedMs: number, changed: Partial<RoundResult> = {}): RoundResult {
  const times = (busyMs: number, waitMs: number) => ({
    busyMs,
    waitMs,
    blockedMs: elapsedMs - busyMs - waitMs,
  })
  const share = elapsedMs / 10
  return {
    elapsedMs,
    idleMs: 0,
    cpuMs: elapsedMs * 1.5,
    peakRssBytes: 100e6,
    stages: [
      { ...newCounters('source'), bytesOut: 20_000_000, ...times(share, 0) },
      {
        ...newCounters('inflate and parse'),
        bytesIn: 20_000_000,
        bytesOut: 100_000_000,
        rowsOut: 100_000,
        ...times(6 * share, share),
      },
      {
        ...newCounters('reader'),
        bytesIn: 100_000_000,
        rowsIn: 100_000,
        ...times(3 * share, 7 * share),
      },
    ],
    columns: 39,
    rows: 100_000,
    badRows: 0,
    ...changed,
  }
}

export function resultOf(...elapsedMs: number[]) {
  return profileResult(
    subject,
    machine,
    elapsedMs.map(ms => round(ms)),
  )
}
