// The measures that a comparison judges. Of each measure less is better, and each one catches what
// the others miss.

import type { RunFigures } from '../bench-run'

export type MeasureName = 'time' | 'cpu' | 'memory'

export interface Measure {
  readonly name: MeasureName
  readonly unit: string
  readonly digits: number
  of(run: RunFigures): number
  /** A difference of the medians below this value, in the unit of the measure, never fails. */
  readonly floor: number
}

export const MEASURES: readonly Measure[] = [
  // What a user waits for. Only this one sees that two threads no longer run beside each other.
  { name: 'time', unit: 's', digits: 3, of: ({ elapsedMs }) => elapsedMs / 1000, floor: 0 },
  // What a machine pays, for all threads. It also counts work that hides behind a slower thread,
  // and it does not count what other processes take.
  { name: 'cpu', unit: 's', digits: 3, of: ({ cpuMs }) => cpuMs / 1000, floor: 0 },
  // When the garbage collector runs is chance. The floor is half of what peak memory may grow by
  // from 100 MB of rows to 1 GB.
  { name: 'memory', unit: 'MB', digits: 0, of: ({ peakRssBytes }) => peakRssBytes / 1e6, floor: 4 },
]

export const MEASURE_NAMES = MEASURES.map(({ name }) => name)
