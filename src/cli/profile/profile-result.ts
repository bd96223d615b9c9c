// Makes the result of the rounds: medians, the spread of the rounds, and the stage that limits the
// speed. `--json` and `--save` write this result.

import type { Machine } from '../../bench/index'
import { median, spreadOf } from '../../bench/index'
import { type StageCounters, stageProfile } from '../../index'
import { type Bottleneck, bottleneckOf } from './profile-bottleneck'
import type { CellReading } from './profile-cells'
import type { ProfiledFile } from './profile-file'
import type { RoundResult } from './profile-round'

/** A change that would mislead a reader of older results raises this number. */
export const RESULT_VERSION = 2

/** What the figures measure. Two results are comparable only when all of these fields are equal. */
export interface ProfileSubject {
  readonly file: ProfiledFile
  /** The name of the feed, or of the schema. */
  readonly feed: string
  /** The file of a schema of the user. */
  readonly schema?: { readonly path: string; readonly sha256: string }
  readonly reading: CellReading
}

/** Medians over the rounds. Megabytes are 10^6 bytes, also of memory. */
export interface ProfileTotals {
  readonly seconds: number
  /** The time of the slowest round minus that of the fastest, as a share of the median. */
  readonly spread: number
  /** Counts the file before compression. */
  readonly mbPerSecond: number
  /** Counts the file as it is on the disk. */
  readonly fileMbPerSecond: number
  readonly rowsPerSecond: number
  /** The CPU time of all threads, user and system. */
  readonly cpuSeconds: number
  readonly peakRssMb: number
}

/** Medians over the rounds of the counters of the stage. */
export interface StageFigures extends StageCounters {
  /** Shares of the time of the run, see `stageProfile`. */
  readonly share: number
  /**
   * The larger of the input and the output, divided by the busy time. It is 0 for a stage that was
   * never busy.
   */
  readonly mbPerSecond: number
  readonly rowsPerSecond: number
}

export interface ProfileResult extends ProfileSubject {
  readonly kind: 'feedmill-profile'
  readonly version: number
  readonly machine: Machine
  readonly columns: number
  readonly rows: number
  readonly badRows: number
  readonly firstBad?: string
  /** Bytes of the file before compression, as the stages counted them. */
  readonly rawBytes: number
  readonly totals: ProfileTotals
  readonly stages: readonly StageFigures[]
  readonly bottleneck: Bottleneck
  readonly rounds: readonly RoundResult[]
}

/** @param rounds at least one round, all of one file and therefore with the same chain of stages */
export function profileResult(
  subject: ProfileSubject,
  machine: Machine,
  rounds: readonly RoundResult[],
): ProfileResult {
  const { columns, rows, badRows, firstBad } = rounds[0]!
  const stages = rounds[0]!.stages.map((_, place) =>
    medianCounters(rounds.map(round => round.stages[place]!)),
  )
  // Each round has its own shares, so that a disturbance of a whole round cancels out.
  const profiles = rounds.map(round => stageProfile(round, round))
  const shares = stages.map((_, place) => median(profiles.map(profile => profile.shares[place]!)))
  const rawBytes = Math.max(...stages.map(mostBytes))
  return {
    kind: 'feedmill-profile',
    version: RESULT_VERSION,
    ...subject,
    machine,
    columns,
    rows,
    badRows,
    ...(firstBad !== undefined && { firstBad }),
    rawBytes,
    totals: totalsOf(rounds, rawBytes, subject.file.bytes),
    stages: stages.map((counters, place) => stageFigures(counters, shares[place]!)),
    bottleneck: bottleneckOf(rounds, profiles, shares),
    rounds,
  }
}

function totalsOf(
  rounds: readonly RoundResult[],
  rawBytes: number,
  fileBytes: number,
): ProfileTotals {
  const times = rounds.map(({ elapsedMs }) => elapsedMs / 1000)
  const seconds = median(times)
  return {
    seconds,
    spread: spreadOf(times),
    mbPerSecond: rawBytes / 1e6 / seconds,
    fileMbPerSecond: fileBytes / 1e6 / seconds,
    rowsPerSecond: rounds[0]!.rows / seconds,
    cpuSeconds: median(rounds.map(({ cpuMs }) => cpuMs)) / 1000,
    peakRssMb: median(rounds.map(({ peakRssBytes }) => peakRssBytes)) / 1e6,
  }
}

function stageFigures(counters: StageCounters, share: number): StageFigures {
  const { busyMs, rowsIn, rowsOut } = counters
  const perSecond = (count: number) => (busyMs > 0 ? count / (busyMs / 1000) : 0)
  return {
    ...counters,
    share,
    mbPerSecond: perSecond(mostBytes(counters) / 1e6),
    rowsPerSecond: perSecond(Math.max(rowsIn, rowsOut)),
  }
}

function mostBytes({ bytesIn, bytesOut }: StageCounters): number {
  return Math.max(bytesIn, bytesOut)
}

function medianCounters(counters: readonly StageCounters[]): StageCounters {
  const medians = { ...counters[0]! }
  for (const key of ['busyMs', 'waitMs', 'blockedMs'] as const)
    medians[key] = median(counters.map(one => one[key]))
  return medians
}
