// The identity of a process, and whether another process still runs. A process number alone is not
// enough, because systems reuse it.

import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'

export interface ProcessIdentity {
  readonly pid: number
  readonly host: string
  /** The start of the process as its system reports it; empty where the system does not. */
  readonly startedAt: string
}

/** The processes that the lock asks about. */
export interface Processes {
  /** This process. */
  own(): ProcessIdentity
  /** Returns false only where the process has certainly ended. */
  mayRun(other: ProcessIdentity): boolean
}

export const machineProcesses: Processes = {
  own: () => ({ pid: process.pid, host: hostname(), startedAt: startOf(process.pid) }),
  mayRun: ({ pid, host, startedAt }) => {
    // The processes of another machine are not visible.
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
    // EPERM means that the process runs under another user.
    return (error as { code?: unknown }).code !== 'ESRCH'
  }
}

/**
 * Returns the id of the machine's boot, and the clock ticks from the boot to the start of the
 * process (proc(5), field 22 of stat).
 */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The second field is the program's name in brackets, which may contain spaces and brackets.
    const ticks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
    return ticks === undefined
      ? ''
      : `${readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()}/${ticks}`
  } catch {
    return ''
  }
}
