// A lock on a folder that the operating system holds for the process and frees when the process
// ends, also when it is killed. Node has no call for such a lock, but LevelDB takes one (fcntl on
// its file LOCK) when it opens a database: an empty database is the lock. The lock holds between
// containers, and between machines where the file system has POSIX locks.
//
// Two rules follow. A process must not ask twice for one lock, because LevelDB then opens and
// closes LOCK, which frees the lock that the process holds (sync/folder/state-lock.ts prevents it).
// The file LOCK must never be removed, because one process could lock the removed file while
// another locks a new one.

import { mkdir, readdir, realpath, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { FeedError, onDisk } from '../../engine/index'
import { LevelDatabase } from './level-database'

/** A lock that is held. */
export interface KernelLock {
  release(): Promise<void>
}

const OPTIONS = { writeBufferBytes: 2 ** 16, cacheBytes: 2 ** 16, openTables: 1 }
/** The files that LevelDB makes beside LOCK. */
const DATABASE_FILE = /^(CURRENT|LOG(\.old)?|MANIFEST-\d+|\d+\.(log|ldb|sst|dbtmp))$/
/** Opening may fail while another process removes damaged files, so it is tried again. */
const ATTEMPTS = 5

/**
 * @param folder folder for the files of the lock; a missing one is made
 * @throws FeedError STATE_LOCKED where another process holds it, STATE_IO, DEPENDENCY_MISSING
 */
export async function takeKernelLock(folder: string): Promise<KernelLock> {
  // LevelDB compares paths as text, so one folder must have one path.
  const path = await onDisk(folder, 'lock', async () => {
    await mkdir(folder, { recursive: true })
    return realpath(folder)
  })
  for (let attempt = 1; ; attempt++) {
    try {
      const database = await LevelDatabase.open(path, OPTIONS)
      return { release: () => database.close() }
    } catch (error) {
      const isFinal =
        FeedError.is(error) &&
        (error.code === 'STATE_LOCKED' || error.code === 'DEPENDENCY_MISSING')
      if (isFinal || attempt === ATTEMPTS) throw error
      await clearDatabase(path)
    }
  }
}

/**
 * A power loss may damage the database. It is empty, and the holder of the lock does not read it
 * again.
 */
async function clearDatabase(path: string): Promise<void> {
  await onDisk(path, 'lock', async () => {
    for (const name of await readdir(path))
      if (DATABASE_FILE.test(name)) await rm(join(path, name), { force: true })
  })
}
