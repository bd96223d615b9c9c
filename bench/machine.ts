// Where and when a result was made: it means nothing without.

import { arch, availableParallelism, cpus, platform } from 'node:os'

export interface Machine {
  readonly date: string
  readonly node: string
  readonly cpu: string
  readonly cores: number
  readonly platform: string
}

/** In one line, as the head of a report. */
export function machineLine({ date, node, cpu, cores, platform }: Machine): string {
  return `${date} · Node ${node} · ${cpu} · ${cores} cores · ${platform}`
}

export function thisMachine(): Machine {
  return {
    date: new Date().toISOString(),
    node: process.version,
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    platform: `${platform()}-${arch()}`,
  }
}
