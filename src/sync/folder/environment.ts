// The environment of a state folder: its files and its lock. A test may replace each of them.

import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DurableFiles, machineFiles, onDisk } from '../../engine/index'
import { type FolderLock, takeFolderLock } from './folder-lock'

export interface Environment {
  readonly files: DurableFiles
  /** See {@link takeFolderLock}. */
  lockFolder(folder: string): Promise<FolderLock>
  /** Makes a folder outside the state folder. */
  makeTemporaryFolder(): Promise<string>
}

export const machineEnvironment: Environment = {
  files: machineFiles,
  lockFolder: folder => takeFolderLock(folder),
  makeTemporaryFolder: () =>
    onDisk(tmpdir(), 'mkdtemp', () => mkdtemp(join(tmpdir(), 'feedmill-reader-'))),
}
