// The files of a state folder, and of a spool that belongs to one run. Every call of sync/ to the
// file system goes through this interface, so that a test can replace it by one that fails, cuts
// writes short or loses unsynced writes. The callers decide when to write and when to sync. A
// failed write or sync is never repeated, because the content of the disk is unknown after it.

import { type FileHandle, mkdir, open, readdir, rename, rm, stat, unlink } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { closing } from './closing'
import { onDisk } from './state-errors'
import {
  createOwn,
  makeFolders,
  openOwn,
  readAll,
  syncFolder,
  unlessMissing,
  writeAll,
} from './system-calls'

/** An open file. Offsets and lengths are bytes. */
export interface DurableFile {
  /**
   * Returns `length` bytes from `offset` on, or fewer at the end of the file. The caller owns them.
   * @param memory takes the bytes, and has room for `length` of them. Default: new memory
   */
  read(offset: number, length: number, memory?: Uint8Array): Promise<Uint8Array>
  /** Writes all of `bytes`, or fails. */
  write(offset: number, bytes: Uint8Array): Promise<void>
  truncate(length: number): Promise<void>
  size(): Promise<number>
  /** Makes durable what was written. */
  sync(): Promise<void>
  close(): Promise<void>
}

/** The methods fail with STATE_IO. */
export interface DurableFiles {
  /** Makes the folder and its missing parents, and makes them durable. */
  makeFolder(path: string): Promise<void>
  /** Returns the names in a folder, sorted; an empty list for a missing folder. */
  list(path: string): Promise<readonly string[]>
  /** Returns the size of a file in bytes; undefined for a missing one. */
  size(path: string): Promise<number | undefined>
  /** Returns the bytes of all files in a folder and its subfolders; 0 for a missing folder. */
  bytesUnder(path: string): Promise<number>
  /** Opens a file for reading. Returns undefined for a missing file. */
  open(path: string): Promise<DurableFile | undefined>
  /**
   * Opens a file for reading and writing. A missing file is made, and is empty. A symbolic link is
   * refused.
   */
  edit(path: string): Promise<DurableFile>
  /**
   * Makes a new file for writing. A file that exists already is refused; of several concurrent calls
   * one gets the file.
   */
  create(path: string): Promise<DurableFile>
  /** Renames a file. An existing file at `to` is replaced. */
  rename(from: string, to: string): Promise<void>
  /** Removes a file, or a folder with its content. A missing one is no failure. */
  remove(path: string): Promise<void>
  /** Makes durable what was made, renamed and removed in a folder. */
  syncFolder(path: string): Promise<void>
}

/**
 * A folder that two processes remove at the same time is not empty for one of them, which tries
 * again.
 */
const REMOVAL = { recursive: true, force: true, maxRetries: 5, retryDelay: 10 }

type Sync = (handle: FileHandle) => Promise<void>

const durably: Sync = handle => handle.sync()

function fileOf(handle: FileHandle, path: string, sync: Sync): DurableFile {
  return {
    read: (offset, length, memory) =>
      onDisk(path, 'read', async () => {
        const bytes = memory?.subarray(0, length) ?? Buffer.allocUnsafeSlow(length)
        return bytes.subarray(0, await readAll(handle, bytes, offset))
      }),
    write: (offset, bytes) => onDisk(path, 'write', () => writeAll(handle, bytes, offset)),
    truncate: length => onDisk(path, 'truncate', () => handle.truncate(length)),
    size: () => onDisk(path, 'stat', async () => (await handle.stat()).size),
    sync: () => onDisk(path, 'fsync', () => sync(handle)),
    close: () => onDisk(path, 'close', () => handle.close()),
  }
}

/** The file system of this machine. */
export const machineFiles: DurableFiles = {
  makeFolder: path => onDisk(path, 'mkdir', () => makeFolder(resolve(path))),
  list: path =>
    onDisk(path, 'list', async () => (await unlessMissing(readdir(path)))?.sort() ?? []),
  size: path => onDisk(path, 'stat', async () => (await unlessMissing(stat(path)))?.size),
  bytesUnder: path => onDisk(path, 'stat', () => bytesUnder(path)),
  open: path =>
    onDisk(path, 'open', async () => {
      const handle = await unlessMissing(open(path, 'r'))
      return handle && fileOf(handle, path, durably)
    }),
  ...writable(durably),
  rename: (from, to) => onDisk(to, 'rename', () => rename(from, to)),
  remove: path => onDisk(path, 'remove', () => remove(path)),
  syncFolder: path => onDisk(path, 'fsync', () => syncFolder(path)),
}

/** The same for files that nobody reads after a crash: what is written is never synced. */
export const scratchFiles: DurableFiles = {
  ...machineFiles,
  makeFolder: path =>
    onDisk(path, 'mkdir', async () => void (await mkdir(path, { recursive: true }))),
  ...writable(async () => {}),
  syncFolder: async () => {},
}

/**
 * A file is unlinked unseen, because Node remembers the last file that `rm` looked at. If that was
 * a socket, Node does not follow the symbolic links of the next package that it loads, and gives an
 * empty module for a CommonJS package that pnpm installed.
 */
async function remove(path: string): Promise<void> {
  await unlessMissing(unlink(path)).catch(() => rm(path, REMOVAL))
}

/** The calls that make a file for writing. */
function writable(sync: Sync): Pick<DurableFiles, 'edit' | 'create'> {
  return {
    edit: path => onDisk(path, 'open', async () => fileOf(await openOwn(path), path, sync)),
    create: path => onDisk(path, 'create', async () => fileOf(await createOwn(path), path, sync)),
  }
}

async function makeFolder(path: string): Promise<void> {
  for (const made of await makeFolders(path)) await syncFolder(dirname(made))
}

async function bytesUnder(folder: string): Promise<number> {
  let bytes = 0
  for (const entry of (await unlessMissing(readdir(folder, { withFileTypes: true }))) ?? []) {
    const path = join(folder, entry.name)
    // A file that is removed meanwhile does not count.
    bytes += entry.isDirectory()
      ? await bytesUnder(path)
      : ((await unlessMissing(stat(path)))?.size ?? 0)
  }
  return bytes
}

// Small files that are read and replaced as a whole. A reader finds the old content or the new one,
// also after a crash.

/** The small files of a state folder are shorter. */
const MOST_BYTES = 1 << 20

/** Returns the content; undefined for a missing file. */
export async function readWhole(
  files: DurableFiles,
  path: string,
): Promise<Uint8Array | undefined> {
  const file = await files.open(path)
  return file && closing(file, () => file.read(0, MOST_BYTES))
}

/**
 * Writes the new content to `<path>.new`, syncs it, renames it and syncs the folder. What stood under
 * that name, even a planted link, is removed before.
 */
export async function replaceWhole(
  files: DurableFiles,
  path: string,
  bytes: Uint8Array,
): Promise<void> {
  const beside = `${path}.new`
  await files.remove(beside)
  await closing(await files.create(beside), async file => {
    await file.write(0, bytes)
    await file.sync()
  })
  await files.rename(beside, path)
  await files.syncFolder(dirname(path))
}
