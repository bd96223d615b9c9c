// A file that appears whole or not at all. The content is written under a temporary name in the
// folder of the target, synced and renamed. The methods fail with the system's own errors, which
// the callers type.
//
// The temporary name is `<name>.<16 hexadecimal digits>.partial`. Only a process that is killed
// leaves such a file behind. The next writer of the target removes it once nobody has written to it
// for a day: before that it may be the file of another writer, on this machine or another one.

import { lstatSync, readlinkSync, realpathSync, rmSync, statSync } from 'node:fs'
import { lstat, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { createOwn, syncFolder, unlessMissing, whereSupported, writeAll } from './system-calls'

/** The mode of a new file before the process's umask is applied. */
const NEW_FILE_MODE = 0o666
const MODE_BITS = 0o777
/**
 * The temporary name repeats so many characters of the target's name. File systems allow 255 bytes
 * in a name.
 */
const NAME_CHARACTERS = 64
const SUFFIX = /^\.[\da-f]{16}\.partial$/
const ABANDONED_MS = 24 * 60 * 60 * 1000

/**
 * Makes the temporary file in the folder of the target, which must exist. A symbolic link at `path`
 * stays; the commit replaces the file that it points to.
 */
export async function atomicFile(path: string) {
  const target = withoutLinks(path)
  const start = basename(target).slice(0, NAME_CHARACTERS)
  await removeAbandoned(dirname(target), start)
  const random = Buffer.from(crypto.getRandomValues(new Uint8Array(8)))
  const suffix = `.${random.toString('hex')}.partial`
  const temporary = join(dirname(target), start + suffix)
  const before = await unlessMissing(lstat(target))
  /** The mode of the file that is replaced; undefined where there is none. */
  const mode = before?.isFile() ? before.mode & MODE_BITS : undefined
  const handle = await createOwn(temporary, mode ?? NEW_FILE_MODE)
  removeAtExit(temporary)
  let isPrepared = false
  let isClosed = false
  const close = async () => {
    if (isClosed) return
    isClosed = true
    await handle.close()
  }
  const file = {
    /** True once the file is in its place, also where `commit` has failed behind that. */
    isInPlace: false,
    /** Appends all of `bytes`, which the caller may use again when the promise resolves. */
    write: (bytes: Uint8Array) => writeAll(handle, bytes),
    /**
     * Syncs and closes the file, with the mode of the file that it replaces. After a failure the
     * caller calls `abort`. No step is repeated, because a failed sync means that data may be lost.
     */
    async prepare() {
      // The umask may have taken bits of the mode.
      if (mode !== undefined && ((await handle.stat()).mode & MODE_BITS) !== mode)
        await whereSupported(handle.chmod(mode))
      await handle.sync()
      await close()
      isPrepared = true
    },
    /**
     * Puts the file in its place, prepared. The last of several writers wins. After a failure the
     * caller calls `abort`; `isInPlace` tells whether a power loss alone may bring the earlier file
     * back.
     */
    async commit() {
      if (!isPrepared) await file.prepare()
      try {
        await rename(temporary, target)
        file.isInPlace = true
      } catch (error) {
        // A file system of another machine may have done it, and lost the answer.
        file.isInPlace = (await unlessMissing(lstat(temporary))) === undefined
        throw error
      }
      keepAtExit(temporary)
      await syncFolder(dirname(target))
    },
    /** Removes the temporary file. An earlier file at `path` stays. */
    async abort() {
      try {
        await close()
      } finally {
        await removeNow(temporary)
      }
    },
  }
  return file
}

/** Removes the temporary files of killed writers. A failure is none of the new writer's. */
async function removeAbandoned(folder: string, start: string): Promise<void> {
  const names = await readdir(folder).catch(() => [])
  for (const name of names) {
    if (!name.startsWith(start) || !SUFFIX.test(name.slice(start.length))) continue
    const path = join(folder, name)
    const file = await lstat(path).catch(() => undefined)
    if (file?.isFile() && Date.now() - file.mtimeMs > ABANDONED_MS) await rm(path).catch(() => {})
  }
}

/**
 * Returns the path with all symbolic links followed, also where the last link points to a file that
 * does not exist yet. A link of a descriptor, such as `/proc/self/fd/1`, is not followed, because
 * an open file may have no path.
 */
export function withoutLinks(path: string): string {
  const place = join(realpathSync(dirname(resolve(path))), basename(resolve(path)))
  if (descriptorOf(place) !== undefined) return place
  if (!lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink()) return place
  // The call fails for links that lead in a circle.
  statSync(place, { throwIfNoEntry: false })
  return withoutLinks(resolve(dirname(place), readlinkSync(place)))
}

/**
 * Returns the number of the open file of this process that the path names, as `/dev/stdout` does
 * once its links are followed. Returns undefined for any other path.
 */
export function descriptorOf(path: string): number | undefined {
  const number = /^\/(?:dev|proc\/(?<pid>\d+)(?:\/task\/\d+)?)\/fd\/(?<fd>\d+)$/.exec(path)?.groups
  return number === undefined || (number.pid ?? `${process.pid}`) !== `${process.pid}`
    ? undefined
    : Number(number.fd)
}

// Temporary files and folders of this process, which are removed at the latest when it exits. A
// process that is killed leaves them behind.

const atExit = new Set<string>()

/** Has the file or folder removed when the process exits. */
export function removeAtExit(path: string): void {
  if (atExit.size === 0) process.on('exit', removeAll)
  atExit.add(path)
}

/** The file or folder stays, or is already gone. */
export function keepAtExit(path: string): void {
  atExit.delete(path)
  if (atExit.size === 0) process.off('exit', removeAll)
}

/** Removes the file or folder now. Fails with the system's own error. */
export async function removeNow(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true })
  keepAtExit(path)
}

function removeAll(): void {
  for (const path of atExit) {
    try {
      rmSync(path, { recursive: true, force: true })
    } catch {
      // The process ends in any case, and the other files have to be removed too.
    }
  }
}
