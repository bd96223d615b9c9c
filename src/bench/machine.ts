// Where and when figures were measured. Figures without that mean little.

import { arch, availableParallelism, cpus, platform } from 'node:os'

export interface Machine {
  /** When the measurement began, in ISO 8601. */
  readonly date: string
  readonly node: string
  readonly cpu: string
  readonly cores: number
  readonly platform: string
}

export function thisMachine(now = new Date()): Machine {
  return {
    date: now.toISOString(),
    node: process.version,
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    platform: `${platform()}-${arch()}`,
  }
}

/** Returns the machine in one line, as the head of a report. */
export function machineLine({ date, node, cpu, cores, platform }: Machine): string {
  return `${date} · Node ${node} · ${cpu} · ${cores} cores · ${platform}`
}

const WORDS = { cpu: 'CPU', cores: 'cores', node: 'Node', platform: 'platform' } as const

/** Returns the properties in which two machines differ: `cores 2, here 4`. */
export function machineDifferences(before: Machine, here: Machine): string[] {
  return (Object.keys(WORDS) as (keyof typeof WORDS)[])
    .filter(key => before[key] !== here[key])
    .map(key => `${WORDS[key]} ${before[key]}, here ${here[key]}`)
}
