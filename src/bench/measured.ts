// Measures one piece of work in this process. For the figures to mean anything, the process does
// nothing else: fresh-process.ts starts it.

export interface RunFigures {
  /** The time of the work. It includes the warm-up of the code, but not the loading. */
  readonly elapsedMs: number
  /** The CPU time of all threads, user and system. */
  readonly cpuMs: number
  /** The peak memory of the whole process since its start. */
  readonly peakRssBytes: number
}

export async function measured<T>(
  work: () => T | Promise<T>,
): Promise<{ readonly value: T; readonly figures: RunFigures }> {
  const cpuBefore = process.cpuUsage()
  const startedAt = performance.now()
  const value = await work()
  const elapsedMs = performance.now() - startedAt
  const { user, system } = process.cpuUsage(cpuBefore)
  // cpuUsage is in microseconds, maxRSS in KiB.
  const peakRssBytes = process.resourceUsage().maxRSS * 1024
  return { value, figures: { elapsedMs, cpuMs: (user + system) / 1000, peakRssBytes } }
}
