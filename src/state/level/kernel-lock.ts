// A lock on a folder that the operating system holds for the process and frees when the process
// ends, however it ends. Node has no call for such a lock, but LevelDB takes one (fcntl on its file
// LOCK) when a database is opened: so a database with nothing in it is the lock. The lock holds
// between containers and, where the file system has POSIX locks, machines.
//
// Two traps. LevelDB opens LOCK before it looks whether this process holds it already, and closes
// it then, which frees the process's own lock: callers must not ask twice in one process
// (sync/folder/state-lock.ts sees to it). And the file LOCK must never be removed: a process could
// lock the removed file while another locks a new one.

import { mkdir, readdir, realpath, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { onDisk } from '../../disk/state-errors'
import { FeedError } from '../../errors'
import { LevelDatabase } from './level-database'

/** A lock that is held. */
export interface KernelLock {
  release(): Promise<void>
}

const OPTIONS = { writeBufferBytes: 2 ** 16, cacheBytes: 2 ** 16, openTables: 1 }
/** What LevelDB makes beside LOCK. */
const DATABASE_FILE = /^(CURRENT|LOG(\.old)?|MANIFEST-\d+|\d+\.(log|ldb|sst|dbtmp))$/
/** Opening fails where another process clears damaged files away at the same moment. */
const ATTEMPTS = 5

/**
 * @param folder is made where it is missing; holds the files of the lock
 * @throws FeedError STATE_LOCKED where another process holds it, STATE_IO, DEPENDENCY_MISSING
 */
export async function takeKernelLock(folder: string): Promise<KernelLock> {
  // LevelDB compares paths as text: one folder must have one path.
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
 * A loss of power may damage the database. Nothing is in it, and whoever holds the lock does not
 * read it again.
 */
async function clearDatabase(path: string): Promise<void> {
  await onDisk(path, 'lock', async () => {
    for (const name of await readdir(path))
      if (DATABASE_FILE.test(name)) await rm(join(path, name), { force: true })
  })
}
