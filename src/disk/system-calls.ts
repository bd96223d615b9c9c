// System calls that Node's functions for files lack: a read and a write of all bytes, the sync of a
// folder, and calls that may meet a missing file. They fail with the system's own errors, which the
// callers type.

import { type FileHandle, open } from 'node:fs/promises'

/** The codes of a file system that has no modes, or no sync of a folder. */
const UNSUPPORTED: readonly unknown[] = [
  'EPERM',
  'EACCES',
  'EINVAL',
  'ENOSYS',
  'ENOTSUP',
  'EOPNOTSUPP',
  'EISDIR',
]

/** The system's code of a failure, such as ENOSPC; undefined where the failure has none. */
export function systemCode(error: unknown): string | undefined {
  const { code } = (error ?? {}) as { code?: unknown }
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

/**
 * Makes durable what was made, renamed and removed in a folder: a power loss may undo it before.
 * This is the only place that syncs a folder, so that state folders, stores and sinks behave alike.
 * The call does nothing on Windows, which cannot open a folder and keeps such changes in the
 * journal of its file system, and nothing on a file system that cannot sync a folder.
 */
export async function syncFolder(path: string, platform = process.platform): Promise<void> {
  if (platform === 'win32') return
  await whereSupported(
    (async () => {
      const folder = await open(path, 'r')
      try {
        await folder.sync()
      } finally {
        await folder.close()
      }
    })(),
  )
}
