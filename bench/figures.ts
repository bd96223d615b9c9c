// From measurements to figures: medians of the rounds, and ratios taken round by round, so that
// what slows a whole round down cancels.

import { median, spreadOf } from '../src/bench/statistics/median'
import type { BenchFeed } from './bench-feed'
import type { Measurement } from './case-process'
import type { MacroCaseName } from './macro/cases'

/** The figures of one case: medians over the rounds. */
export interface Figures {
  /** The bytes of the file before compression, in 10^6, for each second. */
  readonly mbPerSecond: number
  /** Rows that the case made, right or wrong. Undefined where it makes none. */
  readonly rowsPerSecond: number | undefined
  /**
   * The slowest run less the fastest, as a share of the median: how much the machine was disturbed.
   */
  readonly spread: number
  readonly cpuSeconds: number
  readonly peakRssMb: number
  /**
   * Speed as a multiple of zlib's, the median over the rounds. Undefined without zlib, or on
   * another file than it.
   */
  readonly timesZlib: number | undefined
  /** The same by the CPU time of all threads, which other work on the machine disturbs less. */
  readonly timesZlibCpu: number | undefined
}

/** The measurements of each case that was measured, one a round. */
export type Rounds = { readonly [name in MacroCaseName]?: readonly Measurement[] }

export function figuresOf(
  own: readonly Measurement[],
  zlib: readonly Measurement[] | undefined,
  feed: Pick<BenchFeed, 'rawBytes'>,
): Figures {
  const times = own.map(measurement => measurement.seconds)
  const seconds = median(times)
  const rows = own[0]?.rows
  return {
    mbPerSecond: feed.rawBytes / 1e6 / seconds,
    rowsPerSecond: rows === undefined ? undefined : rows / seconds,
    spread: spreadOf(times),
    cpuSeconds: median(own.map(measurement => measurement.cpuSeconds)),
    peakRssMb: median(own.map(measurement => measurement.peakRssMb)),
    timesZlib: zlib && speedRatio(own, zlib),
    timesZlibCpu: zlib && speedRatio(own, zlib, 'cpuSeconds'),
  }
}

/**
 * How many times as fast one is as the other, on the same file. A slow contender has fewer rounds,
 * so only the rounds that both ran are compared.
 */
export function speedRatio(
  own: readonly Measurement[],
  other: readonly Measurement[],
  by: 'seconds' | 'cpuSeconds' = 'seconds',
): number {
  const shared = own.slice(0, other.length)
  return median(shared.map((run, round) => other[round]![by] / run[by]))
}

/** How much more memory one takes than the other, in 10^6 bytes. */
export function peakGrowth(own: readonly Measurement[], other: readonly Measurement[]): number {
  const shared = own.slice(0, other.length)
  return median(shared.map(({ peakRssMb }, round) => peakRssMb - other[round]!.peakRssMb))
}
