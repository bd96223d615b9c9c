// A store on disk as it is at one moment, for a reader who leaves the store itself alone. LevelDB
// writes when it opens a database, so it gets an index folder of its own: links to the tables,
// which never change, and copies of the small files. The value log is only ever appended to, and
// its segments are opened at once: they can be read after a writer has removed them.

import { constants, copyFile, link, mkdir, readdir, symlink } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { machineFiles } from '../../disk/durable-files'
import { corruptState, onDisk } from '../../disk/state-errors'
import { FeedError } from '../../errors'
import { CLEAN_SHUTDOWN_MARKER, GROWING_FILE } from './clean-shutdown-marker'
import { liveTables } from './level-files'
import { INDEX, LevelStore, VALUES } from './level-store'
import { ValueLog } from './value-log'

/**
 * How a snapshot has the tables: `hard` links keep them while a writer removes its own, and need
 * the store's file system; `symbolic` links reach a file system that cannot be written. Where the
 * system refuses the link, the table is copied.
 */
export type SnapshotLinks = 'hard' | 'symbolic'

export interface LevelSnapshotOptions {
  /** Folder of the store. */
  readonly store: string
  /** Folder for the snapshot, made here and removed by the caller when the snapshot is closed. */
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
   * @throws FeedError STATE_CORRUPT, STATE_IO, STATE_LOCKED where another process writes to the
   * store at this moment
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
        await onDisk(path, 'copy', () => copyFile(join(store, path), join(place, path)))
      }
      // Only those that the manifest names. LevelDB may use the number of another one, and would
      // write into the file behind the link.
      for (const name of await liveTables(join(place, INDEX), index))
        await lend(join(index, name), join(place, INDEX, name), links)
      const log = await ValueLog.openForReading(values)
      if (isSame(before, await growingFiles(store))) return new LevelSnapshot(store, place, log)
      await log.close()
    } catch (error) {
      if (isSame(before, await growingFiles(store))) throw error
    }
    const message = `${store} is written to by another process: wait until that process has ended, or end it`
    throw new FeedError('STATE_LOCKED', message, { path: store })
  }

  /**
   * The store, which may be read and not written. The snapshot is closed with it.
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

  /** Where it was not opened. */
  close(): Promise<void> {
    return this.#log.close()
  }
}

/** Sizes of the files that a writer changes, by their paths in the store. */
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
 * A link is refused by file systems that have none, and for files of other users
 * (fs.protected_hardlinks).
 */
async function lend(from: string, to: string, links: SnapshotLinks): Promise<void> {
  await onDisk(from, 'copy', async () => {
    try {
      await (links === 'hard' ? link(from, to) : symlink(resolve(from), to))
    } catch {
      await copyFile(from, to, constants.COPYFILE_FICLONE)
    }
  })
}

/** What is found in a snapshot is damage of the store: the error names the store's file. */
function withPath(error: unknown, place: string, store: string): unknown {
  if (!FeedError.is(error) || (error.code !== 'STATE_CORRUPT' && error.code !== 'STATE_IO'))
    return error
  const path = error.context.path.replace(place, store)
  const message = error.message.replaceAll(place, store)
  if (error.code === 'STATE_CORRUPT')
    return new FeedError('STATE_CORRUPT', message, { ...error.context, path }, { cause: error })
  return new FeedError('STATE_IO', message, { ...error.context, path }, { cause: error })
}
