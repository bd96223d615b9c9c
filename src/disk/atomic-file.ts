// A file that appears whole or not at all: written under a temporary name in the folder of its
// target, synced and renamed. It knows nothing of what is written. Its methods fail with the
// system's own errors: the callers type them.
//
// The temporary name is `<name>.<16 hexadecimal digits>.partial`. Only a process that is killed
// leaves such a file behind, and then it can be deleted.

import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, lstat, open, readlink, realpath, rename, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { keepAtExit, removeAtExit, removeNow } from './remove-at-exit'
import { syncFolder, unlessMissing, whereSupported, writeAll } from './system-calls'

/** Nobody else may open what is not whole yet. */
const PRIVATE_MODE = 0o600
/** The mode of a new file before the process's umask is applied. */
const NEW_FILE_MODE = 0o666
/** O_EXCL refuses every name that is taken, a symbolic link included. Windows has no O_NOFOLLOW. */
const CREATE_FLAGS =
  constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0)
/** Characters of the target's name in the temporary name: file systems allow 255 bytes for both. */
const NAME_CHARACTERS = 64
export class AtomicFile {
  /** Where the content will stand. */
  readonly path: string
  readonly #temporary: string
  readonly #handle: FileHandle
  #isClosed = false

  private constructor(path: string, temporary: string, handle: FileHandle) {
    this.path = path
    this.#temporary = temporary
    this.#handle = handle
  }

  /**
   * Makes the temporary file. The folder has to be there. Where `path` is a symbolic link, the file
   * that it points to is the one that will be replaced; the link stays.
   */
  static async create(path: string): Promise<AtomicFile> {
    const target = await withoutLinks(path)
    const suffix = `.${randomBytes(8).toString('hex')}.partial`
    const temporary = join(dirname(target), basename(target).slice(0, NAME_CHARACTERS) + suffix)
    const handle = await open(temporary, CREATE_FLAGS, PRIVATE_MODE)
    removeAtExit(temporary)
    return new AtomicFile(target, temporary, handle)
  }

  /** Appends all of `bytes`, which the caller may use again when the promise resolves. */
  write(bytes: Uint8Array): Promise<void> {
    return writeAll(this.#handle, bytes)
  }

  /**
   * Puts the file in its place, with the mode of the file that it replaces. The last of several
   * writers wins. After a failure `abort` has to be called. Nothing is retried: a failed sync says
   * that data may be lost.
   */
  async commit(): Promise<void> {
    const before = await unlessMissing(lstat(this.path))
    await whereSupported(
      this.#handle.chmod(before?.isFile() ? before.mode & 0o777 : NEW_FILE_MODE & ~process.umask()),
    )
    await this.#handle.sync()
    await this.#close()
    await rename(this.#temporary, this.path)
    keepAtExit(this.#temporary)
    await syncFolder(dirname(this.path))
  }

  /** Removes the temporary file. What stood at `path` before stays. */
  async abort(): Promise<void> {
    try {
      await this.#close()
    } finally {
      await removeNow(this.#temporary)
    }
  }

  async #close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    await this.#handle.close()
  }
}

/**
 * The path with all symbolic links followed, the last one also where it points to nothing yet. A
 * link of a descriptor, such as `/proc/self/fd/1`, is not followed: what it points to may have no
 * path.
 */
export async function withoutLinks(path: string): Promise<string> {
  const place = join(await realpath(dirname(resolve(path))), basename(resolve(path)))
  if (descriptorOf(place) !== undefined) return place
  if (!(await unlessMissing(lstat(place)))?.isSymbolicLink()) return place
  // The system refuses links that lead in a circle.
  await unlessMissing(stat(place))
  return withoutLinks(resolve(dirname(place), await readlink(place)))
}

/**
 * The number of this process's open file that a path without links names, as `/dev/stdout` does in
 * the end.
 */
export function descriptorOf(path: string): number | undefined {
  const number = /^\/(?:dev|proc\/(?<pid>\d+)(?:\/task\/\d+)?)\/fd\/(?<fd>\d+)$/.exec(path)?.groups
  return number === undefined || (number.pid ?? `${process.pid}`) !== `${process.pid}`
    ? undefined
    : Number(number.fd)
}
