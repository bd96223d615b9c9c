// The folder that a reader has for itself, with its snapshot of the store and the stores of earlier
// times. It is inside the state folder, or among the system's temporary files where the state
// folder cannot be written. It is made while the reader holds the folder's lock, and removed when
// the reader closes; that of a reader that was killed is removed by the next process with the lock.
//
//   readers/<process>-<random>/lock/    a kernel lock (state/level/kernel-lock.ts), held as long as the reader lives
//                              store/   the snapshot (state/level/level-snapshot.ts)

import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { FeedError } from '../../errors'
import type { KernelLock } from '../../state/level/kernel-lock'
import type { Environment, StoreSnapshot } from '../folder/environment'
import { processName, StateLock } from '../folder/state-lock'
import { markerMissing, readMarker, type StateOrigin } from '../folder/state-marker'
import type { StatePaths } from '../folder/state-paths'

export interface ReaderPlace {
  readonly folder: string
  /** What the state folder was of. */
  readonly origin: StateOrigin
  readonly snapshot: StoreSnapshot
  /** Why the state folder cannot be written, as the system's code; undefined where it can. */
  readonly unwritable: string | undefined
  /** Removes the folder. The store is closed before. */
  leave(): Promise<void>
}

/** What the system says of a folder that this process may only read. */
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
 * The caller holds the lock of the folder: readers are made under it, so one that has no lock has
 * ended.
 */
export async function removeEndedReaders(
  { files, processes, lockFolder }: Environment,
  { readers }: StatePaths,
): Promise<void> {
  const own = processName(processes.own())
  for (const name of await files.list(readers)) {
    // To ask for a lock that this process has would free it.
    if (name.startsWith(`${own}-`)) continue
    const folder = join(readers, name)
    const lock = await lockFolder(join(folder, LOCK)).catch(ifLocked)
    if (lock === undefined) continue
    await lock.release()
    await files.remove(folder)
  }
}

const [LOCK, STORE] = ['lock', 'store']

async function placeInside(environment: Environment, paths: StatePaths): Promise<ReaderPlace> {
  const { files, processes, lockFolder } = environment
  const stateLock = await StateLock.take(environment, paths.folder, 'read')
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
 * Nobody can ask for the lock there. A writer of this machine is known by its claim, one of another
 * machine by what it changes while the snapshot is made; one that begins later may remove tables,
 * and reading fails then, but is never wrong.
 */
async function placeOutside(
  environment: Environment,
  paths: StatePaths,
  unwritable: string,
): Promise<ReaderPlace> {
  await StateLock.expectFree(environment, paths.folder)
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
  // A reader has seen the marker: where it is gone now, somebody removes the folder.
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

function ifLocked(error: unknown): undefined {
  if (!(FeedError.is(error) && error.code === 'STATE_LOCKED')) throw error
}
