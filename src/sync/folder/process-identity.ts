// Which process this is, and whether another one still runs: a process number alone is used again
// by others.

import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'

export interface ProcessIdentity {
  readonly pid: number
  readonly host: string
  /** When the process began, as its system tells it; empty where it does not. */
  readonly startedAt: string
}

/** Processes as the lock sees them. */
export interface Processes {
  /** This process. */
  own(): ProcessIdentity
  /** False only where the process is known to have ended. */
  mayRun(other: ProcessIdentity): boolean
}

export const machineProcesses: Processes = {
  own: () => ({ pid: process.pid, host: hostname(), startedAt: startOf(process.pid) }),
  mayRun: ({ pid, host, startedAt }) => {
    // What runs on another machine cannot be known from here.
    if (host !== hostname()) return true
    const started = startOf(pid)
    return exists(pid) && (startedAt === '' || started === '' || started === startedAt)
  },
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: it runs, under another user.
    return (error as { code?: unknown }).code !== 'ESRCH'
  }
}

/**
 * The boot of the machine, and the clock ticks from it to the process's start (proc(5), field 22 of
 * stat).
 */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The second field is the program's name in brackets, which may have spaces and brackets in it.
    const ticks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
    return ticks === undefined
      ? ''
      : `${readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()}/${ticks}`
  } catch {
    return ''
  }
}
