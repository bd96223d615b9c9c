// A snapshot of a store on disk for a reader. LevelDB writes to a database when it opens it, so the
// snapshot has an index folder of its own, with links to the tables, which never change, and copies
// of the small files. The segments of the value log are append-only and are opened at once, so that
// they can be read after a writer has removed them.

import { constants, copyFile, link, mkdir, readdir, symlink } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { corruptState, FeedError, machineFiles, onDisk } from '../../engine/index'
import { liveTables } from './level-files'
import { INDEX, LevelStore, VALUES } from './level-store'
import { CLEAN_SHUTDOWN_MARKER, GROWING_FILE } from './store-meta'
import { ValueLog } from './value-log'

/**
 * The links of a snapshot to the tables. `hard` links survive the removal of a table by a writer
 * and need the file system of the store. `symbolic` links lead to a file system that cannot be
 * written. Where the system refuses a link, the table is copied.
 */
export type SnapshotLinks = 'hard' | 'symbolic'

export interface LevelSnapshotOptions {
  /** Folder of the store. */
  readonly store: string
  /**
   * Folder for the snapshot, which is made here. The caller removes it when the snapshot is closed.
   */
  readonly place: string
  readonly links: SnapshotLinks
}

export class LevelSnapshot {
  readonly #store: string
  readonly #place: string
  readonly #log: ValueLog

  private constructor(store: string, place: string, log: ValueLog) {
    this.#store = store
    this.#place = place
    this.#log = log
  }

  /**
   * @throws FeedError STATE_CORRUPT, STATE_IO; STATE_LOCKED where another process writes to the
   * store meanwhile
   */
  static async take({ store, place, links }: LevelSnapshotOptions): Promise<LevelSnapshot> {
    const [index, values] = [join(store, INDEX), join(store, VALUES)]
    if ((await machineFiles.size(values)) === undefined)
      throw corruptState(store, 'the store is missing')
    if ((await machineFiles.size(join(index, 'CURRENT'))) === undefined)
      throw corruptState(store, 'the index of the values is missing')
    const before = await growingFiles(store)
    try {
      await onDisk(place, 'mkdir', () => mkdir(join(place, INDEX), { recursive: true }))
      for (const path of before.keys()) {
        await onDisk(path, 'copy', () =>
          copyFile(join(store, path), join(place, path), constants.COPYFILE_EXCL),
        )
      }
      // Only the tables that the manifest names are linked. LevelDB may reuse the number of another
      // one, and would write into the file behind the link.
      for (const name of await liveTables(join(place, INDEX), index))
        await lend(join(index, name), join(place, INDEX, name), links)
      const log = await ValueLog.openForReading(values)
      if (isSame(before, await growingFiles(store))) return new LevelSnapshot(store, place, log)
      await log.close()
    } catch (error) {
      if (isSame(before, await growingFiles(store))) throw error
    }
    const message = `another process writes to ${store}: wait until that process has ended, or end it`
    throw new FeedError('STATE_LOCKED', message, { path: store })
  }

  /**
   * Opens the store for reading. The snapshot is closed with the store.
   * @throws FeedError STATE_CORRUPT, STATE_IO, DEPENDENCY_MISSING
   */
  async open(memoryBytes: number): Promise<LevelStore> {
    try {
      return await LevelStore.openSnapshot({
        store: this.#store,
        place: this.#place,
        log: this.#log,
        memoryBytes,
      })
    } catch (error) {
      await this.#log.close()
      throw withPath(error, this.#place, this.#store)
    }
  }

  /** Closes a snapshot that was not opened. */
  close(): Promise<void> {
    return this.#log.close()
  }
}

/** Returns the sizes of the files that a writer changes, by their paths in the store. */
async function growingFiles(store: string): Promise<ReadonlyMap<string, number>> {
  const index = join(store, INDEX)
  const names = (await onDisk(index, 'read', () => readdir(index))).filter(name =>
    GROWING_FILE.test(name),
  )
  const found = new Map<string, number>()
  for (const path of [CLEAN_SHUTDOWN_MARKER, ...names.sort().map(name => join(INDEX, name))]) {
    const bytes = await machineFiles.size(join(store, path))
    if (bytes !== undefined) found.set(path, bytes)
  }
  return found
}

function isSame(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): boolean {
  return (
    before.size === after.size && [...before].every(([path, bytes]) => after.get(path) === bytes)
  )
}

/**
 * The system refuses a link on a file system without links, and for files of other users
 * (fs.protected_hardlinks).
 */
async function lend(from: string, to: string, links: SnapshotLinks): Promise<void> {
  await onDisk(from, 'copy', async () => {
    try {
      await (links === 'hard' ? link(from, to) : symlink(resolve(from), to))
    } catch {
      await copyFile(from, to, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL)
    }
  })
}

/**
 * Returns the error with the path of the store's file: damage in a snapshot is damage of the store.
 */
function withPath(error: unknown, place: string, store: string): unknown {
  if (!FeedError.is(error) || (error.code !== 'STATE_CORRUPT' && error.code !== 'STATE_IO'))
    return error
  const path = error.context.path.replace(place, store)
  const message = error.message.replaceAll(place, store)
  if (error.code === 'STATE_CORRUPT')
    return new FeedError('STATE_CORRUPT', message, { ...error.context, path }, { cause: error })
  return new FeedError('STATE_IO', message, { ...error.context, path }, { cause: error })
}
