// The folder of one reader, with its snapshot of the store and the stores of earlier times. It is
// inside the state folder, or in the system's folder for temporary files where the state folder
// cannot be written. The reader makes it under the lock of the state folder and removes it when it
// closes. The next process with the lock removes the folder of a reader that was killed.
//
//   readers/<process>-<random>/lock/    the reader's kernel lock (state/level/kernel-lock.ts)
//                              store/   the snapshot (state/level/level-snapshot.ts)

import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { FeedError } from '../../engine/index'
import type { KernelLock } from '../../state/index'
import type { Environment, StoreSnapshot } from '../folder/environment'
import { expectFree, processName, takeStateLock } from '../folder/state-lock'
import type { StatePaths } from '../folder/state-paths'
import { markerMissing, readMarker } from '../folder/state-paths'
import type { StateOrigin } from '../target/target'

export interface ReaderPlace {
  readonly folder: string
  /** The service and the marketplace of the state folder. */
  readonly origin: StateOrigin
  readonly snapshot: StoreSnapshot
  /** The system's code where the state folder cannot be written; undefined where it can. */
  readonly unwritable: string | undefined
  /** Removes the folder. The caller has closed the store before. */
  leave(): Promise<void>
}

/** The system's codes for a folder that this process may only read. */
const UNWRITABLE: ReadonlySet<string> = new Set(['EROFS', 'EACCES', 'EPERM'])

/**
 * @throws FeedError STATE_LOCKED while a run has the folder, STATE_FOREIGN, STATE_CORRUPT,
 * STATE_IO, DEPENDENCY_MISSING
 */
export async function makeReaderPlace(
  environment: Environment,
  paths: StatePaths,
): Promise<ReaderPlace> {
  try {
    return await placeInside(environment, paths)
  } catch (error) {
    const isUnwritable =
      FeedError.is(error) && error.code === 'STATE_IO' && UNWRITABLE.has(error.context.reason)
    if (!isUnwritable) throw error
    return placeOutside(environment, paths, error.context.reason)
  }
}

/**
 * Removes the folders of readers that have ended: those without a lock. The caller holds the lock
 * of the state folder, under which reader folders are made.
 */
export async function removeEndedReaders(
  { files, processes, lockFolder }: Environment,
  { readers }: StatePaths,
): Promise<void> {
  const own = processName(processes.own())
  for (const name of await files.list(readers)) {
    // A second request for a lock that this process holds would free it.
    if (name.startsWith(`${own}-`)) continue
    const folder = join(readers, name)
    const lock = await lockFolder(join(folder, LOCK)).catch(ifLockedOrGone)
    if (lock === undefined) continue
    await lock.release()
    await files.remove(folder)
  }
}

const [LOCK, STORE] = ['lock', 'store']

async function placeInside(environment: Environment, paths: StatePaths): Promise<ReaderPlace> {
  const { files, processes, lockFolder } = environment
  const stateLock = await takeStateLock(environment, paths.folder, 'read')
  try {
    const origin = await originOf(environment, paths)
    await removeEndedReaders(environment, paths)
    const folder = join(paths.readers, `${processName(processes.own())}-${randomUUID()}`)
    await files.makeFolder(folder)
    let lock: KernelLock | undefined
    const leave = async () => {
      await lock?.release()
      await files.remove(folder)
    }
    return await leavingOnFailure(leave, async () => {
      lock = await lockFolder(join(folder, LOCK))
      const snapshot = await environment.snapshotStore({
        store: paths.store,
        place: join(folder, STORE),
        links: 'hard',
      })
      return { folder, origin, snapshot, unwritable: undefined, leave }
    })
  } finally {
    await stateLock.release()
  }
}

/**
 * Makes the place outside a folder that cannot be written, where no process can take the lock. A
 * writer on this machine is known by its claim, and one on another machine by its changes while the
 * snapshot is made. A writer that begins later may remove tables; reads then fail, but are never
 * wrong.
 */
async function placeOutside(
  environment: Environment,
  paths: StatePaths,
  unwritable: string,
): Promise<ReaderPlace> {
  await expectFree(environment, paths.folder)
  const origin = await originOf(environment, paths)
  const folder = await environment.makeTemporaryFolder()
  const leave = () => environment.files.remove(folder)
  return leavingOnFailure(leave, async () => {
    const snapshot = await environment.snapshotStore({
      store: paths.store,
      place: join(folder, STORE),
      links: 'symbolic',
    })
    return { folder, origin, snapshot, unwritable, leave }
  })
}

async function originOf({ files }: Environment, paths: StatePaths): Promise<StateOrigin> {
  // The reader has seen the marker. Where it is missing now, the folder is being removed.
  const origin = await readMarker(files, paths)
  if (origin === undefined) throw markerMissing(paths)
  return origin
}

async function leavingOnFailure<T>(leave: () => Promise<void>, make: () => Promise<T>): Promise<T> {
  try {
    return await make()
  } catch (error) {
    await leave().catch(() => {})
    throw error
  }
}

/** A reader that leaves removes its folder without the lock of the state folder. */
function ifLockedOrGone(error: unknown): undefined {
  if (!FeedError.is(error)) throw error
  const isGone = error.code === 'STATE_IO' && error.context.reason === 'ENOENT'
  if (!isGone && error.code !== 'STATE_LOCKED') throw error
}
