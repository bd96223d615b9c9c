// The environment of a state folder: files, processes, the lock and stores. A test may replace each
// of them. A process has an identity beside its number, because systems reuse numbers.

import { readFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DurableFiles, machineFiles, onDisk } from '../../engine/index'
import {
  type KernelLock,
  type KeyedStore,
  LevelSnapshot,
  type LevelSnapshotOptions,
  LevelStore,
  takeKernelLock,
} from '../../state/index'

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

export interface Environment {
  readonly files: DurableFiles
  readonly processes: Processes
  /** See {@link takeKernelLock}. */
  lockFolder(folder: string): Promise<KernelLock>
  /** @param mustExist with true a missing store is STATE_CORRUPT; with false it is made */
  openStore(folder: string, memoryBytes: number, mustExist: boolean): Promise<KeyedStore>
  /**
   * Takes a snapshot of a store. The caller sees to it that no writer changes the store meanwhile.
   */
  snapshotStore(options: LevelSnapshotOptions): Promise<StoreSnapshot>
  /** Makes a folder outside the state folder. */
  makeTemporaryFolder(): Promise<string>
}

/**
 * A snapshot of a store. The caller either opens it, and closes the store, or closes it unopened.
 */
export interface StoreSnapshot {
  open(memoryBytes: number): Promise<KeyedStore>
  close(): Promise<void>
}

export const machineEnvironment: Environment = {
  files: machineFiles,
  processes: machineProcesses,
  lockFolder: takeKernelLock,
  openStore: (folder, memoryBytes, mustExist) =>
    LevelStore.open(folder, { memoryBytes, mustExist }),
  snapshotStore: options => LevelSnapshot.take(options),
  makeTemporaryFolder: () =>
    onDisk(tmpdir(), 'mkdtemp', () => mkdtemp(join(tmpdir(), 'feedmill-reader-'))),
}
