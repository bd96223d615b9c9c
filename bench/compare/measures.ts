// What is gated of each case. All three are the smaller the better, and each catches what the
// others miss.

import type { Measurement } from '../case-process'

export type MeasureName = 'time' | 'cpu' | 'rss'

export interface Measure {
  readonly name: MeasureName
  readonly unit: string
  readonly digits: number
  of(run: Measurement): number
  /** A difference of the medians below this, in the measure's unit, never fails. */
  readonly floor: number
}

export const MEASURES: readonly Measure[] = [
  // What a user waits for. Only this one sees that two threads no longer run beside each other.
  { name: 'time', unit: 's', digits: 3, of: run => run.seconds, floor: 0 },
  // What a machine pays, of all threads. It goes on counting work that hides behind a slower
  // thread, and not what neighbours take.
  { name: 'cpu', unit: 's', digits: 3, of: run => run.cpuSeconds, floor: 0 },
  // When the collector runs is chance. The floor is half of what peak memory may grow by from 100
  // MB of rows to 1 GB.
  { name: 'rss', unit: 'MB', digits: 0, of: run => run.peakRssMb, floor: 4 },
]
