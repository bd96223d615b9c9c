// The environment of a state folder: files, processes, the lock and stores. A test may replace each
// of them.

import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { machineFiles, onDisk } from '../../engine/index'
import type { KeyedStore } from '../../state/index'
import {
  LevelSnapshot,
  type LevelSnapshotOptions,
  LevelStore,
  takeKernelLock,
} from '../../state/index'
import { machineProcesses } from './process-identity'
import type { LockEnvironment } from './state-lock'

export interface Environment extends LockEnvironment {
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
