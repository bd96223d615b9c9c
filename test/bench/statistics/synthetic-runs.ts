// Values as a shared machine gives them: most runs lie close together, some are disturbed and take
// much longer, none takes much less.

import type { SideValues } from '../../../src/bench/statistics/judge'
import type { Random } from '../../../src/bench/statistics/side-orders'

export interface Noise {
  /** Standard deviation of the logarithm of an undisturbed run. */
  readonly sigma: number
  /** Share of the runs that are disturbed: by four tenths more, on average. */
  readonly disturbed: number
}

/** CPU seconds, and time by the clock, as measured beside a few other busy processes. */
export const CPU_NOISE: Noise = { sigma: 0.025, disturbed: 0.02 }
export const CLOCK_NOISE: Noise = { sigma: 0.04, disturbed: 0.1 }
/** CPU seconds on a virtual machine with noisy neighbours. */
export const DRIFTING: Noise = { sigma: 0.08, disturbed: 0.02 }

export function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
}

export function syntheticRuns(
  rounds: number,
  headFactor: number,
  noise: Noise,
  random: Random,
): Required<Omit<SideValues, 'stated'>> {
  const run = () =>
    Math.exp(noise.sigma * normal(random)) *
    (random() < noise.disturbed ? 1 - 0.4 * Math.log(1 - random()) : 1)
  const runs = Array.from({ length: rounds }, () => {
    // What slows a whole round down, by up to three times.
    const drift = 1 + 2 * random()
    return { base: drift * run(), again: drift * run(), head: headFactor * drift * run() }
  })
  return {
    base: runs.map(({ base }) => base),
    again: runs.map(({ again }) => again),
    head: runs.map(({ head }) => head),
  }
}
