// The files of a state folder: every call that sync/ makes to a file system goes through this
// interface, so that a test can put another one in its place which fails, tears or forgets. What is
// written when, and synced when, is decided by its callers. A failed write or sync is never
// repeated here: after one, nobody knows what is on the disk.

import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { onDisk } from './state-errors'
import { readAll, syncFolder, unless, unlessMissing, writeAll } from './system-calls'

/** An open file. Offsets and lengths are bytes. */
export interface DurableFile {
  /** At most `length` bytes from `offset` on; fewer only at the end of the file. */
  read(offset: number, length: number): Promise<Uint8Array>
  /** All of `bytes`, or an error. */
  write(offset: number, bytes: Uint8Array): Promise<void>
  truncate(length: number): Promise<void>
  size(): Promise<number>
  /** What was written is on the disk when the promise resolves. */
  sync(): Promise<void>
  close(): Promise<void>
}

/** All fail with STATE_IO. */
export interface DurableFiles {
  /**
   * Makes the folder and those above it where they are missing; they are on the disk when the
   * promise resolves.
   */
  makeFolder(path: string): Promise<void>
  /** Names in a folder, sorted; none where there is no folder. */
  list(path: string): Promise<readonly string[]>
  /** Bytes of a file; undefined where there is none. */
  size(path: string): Promise<number | undefined>
  /** Bytes of all files in a folder and below it; 0 where there is none. */
  bytesUnder(path: string): Promise<number>
  /** For reading; undefined where there is no such file. */
  open(path: string): Promise<DurableFile | undefined>
  /** For reading and writing, made empty where there is none. */
  edit(path: string): Promise<DurableFile>
  /**
   * For writing, as a new file; undefined where there is one already. Of many that ask at once one
   * gets it.
   */
  create(path: string): Promise<DurableFile | undefined>
  /** Puts a file in the place of another, which may be there. */
  rename(from: string, to: string): Promise<void>
  /** Removes a file, or a folder and all in it; nothing where there is none. */
  remove(path: string): Promise<void>
  /** What was made, renamed and removed in a folder is on the disk when the promise resolves. */
  syncFolder(path: string): Promise<void>
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
      return handle && new MachineFile(handle, path)
    }),
  edit: path => onDisk(path, 'open', async () => new MachineFile(await editable(path), path)),
  create: path =>
    onDisk(path, 'create', async () => {
      const handle = await unless('EEXIST', open(path, 'wx'))
      return handle && new MachineFile(handle, path)
    }),
  rename: (from, to) => onDisk(to, 'rename', () => rename(from, to)),
  remove: path => onDisk(path, 'remove', () => rm(path, { recursive: true, force: true })),
  syncFolder: path => onDisk(path, 'fsync', () => syncFolder(path)),
}

class MachineFile implements DurableFile {
  readonly #handle: FileHandle
  readonly #path: string

  constructor(handle: FileHandle, path: string) {
    this.#handle = handle
    this.#path = path
  }

  read(offset: number, length: number): Promise<Uint8Array> {
    return onDisk(this.#path, 'read', async () => {
      const bytes = Buffer.allocUnsafeSlow(length)
      return bytes.subarray(0, await readAll(this.#handle, bytes, offset))
    })
  }

  write(offset: number, bytes: Uint8Array): Promise<void> {
    return onDisk(this.#path, 'write', () => writeAll(this.#handle, bytes, offset))
  }

  truncate(length: number): Promise<void> {
    return onDisk(this.#path, 'truncate', () => this.#handle.truncate(length))
  }

  size(): Promise<number> {
    return onDisk(this.#path, 'stat', async () => (await this.#handle.stat()).size)
  }

  sync(): Promise<void> {
    return onDisk(this.#path, 'fsync', () => this.#handle.sync())
  }

  close(): Promise<void> {
    return onDisk(this.#path, 'close', () => this.#handle.close())
  }
}

async function makeFolder(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true })
  if (first === undefined) return
  for (let made = path; made.length >= first.length; made = dirname(made))
    await syncFolder(dirname(made))
}

/** Node has no flags for "read and write, made where missing, kept where there": two calls are. */
async function editable(path: string): Promise<FileHandle> {
  return (await unlessMissing(open(path, 'r+'))) ?? open(path, 'w+')
}

async function bytesUnder(folder: string): Promise<number> {
  let bytes = 0
  for (const entry of (await unlessMissing(readdir(folder, { withFileTypes: true }))) ?? []) {
    const path = join(folder, entry.name)
    // What is removed at the same time counts no more.
    bytes += entry.isDirectory()
      ? await bytesUnder(path)
      : ((await unlessMissing(stat(path)))?.size ?? 0)
  }
  return bytes
}
