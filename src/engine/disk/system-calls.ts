// System calls that Node's functions for files lack: files that are made without following a
// planted link, a read and a write of all bytes, the sync of a folder, and calls that may meet a
// missing file. They fail with the system's own errors, which the callers type.

import { constants, type FileHandle, mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { closing } from './closing'

/** Windows lacks the flag. */
const NO_LINK = constants.O_NOFOLLOW ?? 0
const EDIT = constants.O_RDWR | constants.O_CREAT | NO_LINK

/**
 * The codes of a file system that has no modes, or no sync of a folder, and of a process that may
 * not change modes (`node --permission`).
 */
const UNSUPPORTED: readonly unknown[] = [
  'ERR_ACCESS_DENIED',
  'EPERM',
  'EACCES',
  'EINVAL',
  'ENOSYS',
  'ENOTSUP',
  'EOPNOTSUPP',
  'EISDIR',
]

/**
 * Opens a file under a name of this product for reading and writing, and makes a missing one. It
 * fails with ELOOP for a symbolic link, which somebody else has put there.
 */
export function openOwn(path: string): Promise<FileHandle> {
  return open(path, EDIT)
}

/** Makes a new file. It fails with EEXIST for every name that is there, a symbolic link included. */
export function createOwn(path: string, mode?: number): Promise<FileHandle> {
  return open(path, EDIT | constants.O_EXCL, mode)
}

/** The names of SQLite's codes, which the module of Node gives as numbers. */
const SQLITE_CODES: Readonly<Record<number, string>> = {
  5: 'SQLITE_BUSY',
  6: 'SQLITE_LOCKED',
  8: 'SQLITE_READONLY',
  10: 'SQLITE_IOERR',
  11: 'SQLITE_CORRUPT',
  13: 'SQLITE_FULL',
  14: 'SQLITE_CANTOPEN',
  19: 'SQLITE_CONSTRAINT',
  26: 'SQLITE_NOTADB',
}

/** The system's code of a failure, such as ENOSPC; undefined where the failure has none. */
export function systemCode(error: unknown): string | undefined {
  const { code, errcode } = (error ?? {}) as { code?: unknown; errcode?: unknown }
  if (code === 'ERR_SQLITE_ERROR') return SQLITE_CODES[Number(errcode) & 0xff] ?? code
  return typeof code === 'string' ? code : undefined
}

/** The result of `work`; undefined where it fails with this code. */
export async function unless<T>(code: string, work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (systemCode(error) === code) return undefined
    throw error
  }
}

/** The result of `work`; undefined where the file or folder does not exist. */
export function unlessMissing<T>(work: Promise<T>): Promise<T | undefined> {
  return unless('ENOENT', work)
}

/** Waits for a call that some file systems do not have. The content of a file is right without. */
export async function whereSupported(work: Promise<void>): Promise<void> {
  try {
    await work
  } catch (error) {
    if (!UNSUPPORTED.includes(systemCode(error))) throw error
  }
}

/**
 * Fills `bytes` from `offset` of the file on.
 * @returns the number of bytes read, which is lower at the end of the file only
 */
export async function readAll(
  file: FileHandle,
  bytes: Uint8Array,
  offset: number,
): Promise<number> {
  let filled = 0
  while (filled < bytes.length) {
    const { bytesRead } = await file.read(bytes, filled, bytes.length - filled, offset + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return filled
}

/** An open file as {@link writeAll} needs it; a FileHandle is one. */
export interface ByteWriter {
  /** Writes bytes of `bytes`; `at` is their place in the file, null behind the last write. */
  write(
    bytes: Uint8Array,
    from: number,
    length: number,
    at: number | null,
  ): Promise<{ readonly bytesWritten: number }>
}

/**
 * Writes all of `bytes`, however many calls that takes.
 * @param offset of the first byte; without it the bytes go behind the last write
 */
export async function writeAll(
  file: ByteWriter,
  bytes: Uint8Array,
  offset?: number,
): Promise<void> {
  for (let from = 0; from < bytes.length; ) {
    const at = offset === undefined ? null : offset + from
    from += (await file.write(bytes, from, bytes.length - from, at)).bytesWritten
  }
}

/** Makes a folder and those around it, and returns the ones that were missing, the deepest first. */
export async function makeFolders(path: string): Promise<string[]> {
  const first = await mkdir(path, { recursive: true })
  const made: string[] = []
  if (first === undefined) return made
  for (let each = path; each.length >= first.length; each = dirname(each)) made.push(each)
  return made
}

/**
 * Makes durable what was made, renamed and removed in a folder: a power loss may undo it before.
 * This is the only place that syncs a folder, so that state folders, stores and sinks behave alike.
 * The call does nothing on Windows, which cannot open a folder and keeps such changes in the
 * journal of its file system, and nothing on a file system that cannot sync a folder.
 */
export async function syncFolder(path: string, platform = process.platform): Promise<void> {
  if (platform === 'win32') return
  await whereSupported((async () => closing(await open(path, 'r'), folder => folder.sync()))())
}
