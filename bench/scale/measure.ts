// What one piece of work costs, in a process that does nothing else.

import { monitorEventLoopDelay } from 'node:perf_hooks'

export interface ScaleMeasurement {
  /**
   * From the first file's opening, or request, to the closing of the result. Loading the code is not
   * counted.
   */
  readonly seconds: number
  /** The CPU time of all threads, user and system. */
  readonly cpuSeconds: number
  /** The peak of the whole process, in 10⁶ bytes. */
  readonly peakRssMb: number
  /** The longest time for which the event loop stood still. */
  readonly longestStopMs: number
}

export async function measure(make: () => Promise<void>): Promise<ScaleMeasurement> {
  const stops = monitorEventLoopDelay({ resolution: 1 })
  stops.enable()
  const cpuBefore = process.cpuUsage()
  const startedAt = performance.now()
  await make()
  const seconds = (performance.now() - startedAt) / 1000
  const { user, system } = process.cpuUsage(cpuBefore)
  // cpuUsage is in microseconds, maxRSS in KiB.
  return {
    seconds,
    cpuSeconds: (user + system) / 1e6,
    peakRssMb: (process.resourceUsage().maxRSS * 1024) / 1e6,
    longestStopMs: stops.max / 1e6,
  }
}

/** Says a measurement in words. */
export function costOf({ seconds, cpuSeconds, peakRssMb }: ScaleMeasurement): string {
  const [wall, cpu] = [seconds.toFixed(2), cpuSeconds.toFixed(2)]
  return `${wall} s, ${cpu} s of processor time, ${peakRssMb.toFixed(0)} MB`
}
