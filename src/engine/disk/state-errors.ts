// Failures of the file system as the typed errors of stores and state folders, each with a remedy.

import { FeedError } from '../errors'
import { systemCode } from './system-calls'

/**
 * Returns the result of `action`. A failure of the system becomes STATE_IO.
 * @throws FeedError STATE_IO, and every FeedError that `action` throws
 */
export async function onDisk<T>(
  path: string,
  operation: string,
  action: () => Promise<T>,
): Promise<T> {
  try {
    return await action()
  } catch (cause) {
    if (FeedError.is(cause)) throw cause
    const code = systemCode(cause)
    if (code === 'EBADF') throw stateClosed(path, cause)
    throw stateIo(path, operation, code ?? String(cause), cause)
  }
}

/** Remedies for the user, by the system's code. */
const REMEDIES: Readonly<Record<string, string>> = {
  ENOSPC: 'make room on the disk and run again',
  EDQUOT: 'raise the disk quota or free some of it, and run again',
  EACCES: 'give this user the right to read and write there',
  EPERM: 'give this user the right to read and write there',
  EROFS: 'the file system is mounted read-only: mount it writable, or use a folder elsewhere',
  EMFILE: 'raise the limit of open files of this process (ulimit -n)',
  ENFILE: 'raise the limit of open files of the system',
  ELOOP: 'a symbolic link is in the way: find out who made it, and remove it',
  ENOENT: 'restore what is missing, or check the path',
  ENOTDIR: 'a part of the path is a file: check the path',
  ENAMETOOLONG: 'use a folder with a shorter path',
  'no Unix domain sockets': 'the file system has none: use a folder on a local disk',
}

const KEPT = 'what was committed before is kept'

/** Remedies by what a reason begins with: a code of the system, or the kind of an error of DuckDB. */
const KINDS: readonly (readonly [RegExp, string])[] = [
  [/No space left|Disk quota/, 'make room on the disk and run again'],
  [/^E[A-Z\d]+$|^IO Error/, `check the disk and run again; ${KEPT}`],
  [/^Out of Memory/, 'raise memoryBytes, or make room for temporary files, and run again'],
  [/^(?:Constraint|Conversion|Invalid Input)/, 'correct the rows, or the table that is there'],
  [/^(?:Binder|Catalog)/, 'compare the tables that are there with those of this version'],
]

/** @param reason the system's code where there is one, else a description */
export function stateIo(
  path: string,
  operation: string,
  reason: string,
  cause?: unknown,
): FeedError<'STATE_IO'> {
  const remedy = REMEDIES[reason] ?? KINDS.find(([kind]) => kind.test(reason))?.[1] ?? KEPT
  const message = `${operation} of ${path} failed: ${reason}; ${remedy}`
  return new FeedError('STATE_IO', message, { path, operation, reason }, { cause })
}

/** The error of a reader before the first run. */
export function missingState(path: string, cause?: unknown): FeedError<'STATE_MISSING'> {
  const message = `${path} has no state yet: run sync into it first, or check the path`
  return new FeedError('STATE_MISSING', message, { path }, { cause })
}

function stateClosed(path: string, cause: unknown): FeedError<'STATE_CLOSED'> {
  const message = `${path} was closed before it was read: close a state when all reading has ended`
  return new FeedError('STATE_CLOSED', message, { path }, { cause })
}

/** @param path the damaged file, or its folder where the file is not known */
export function corruptState(
  path: string,
  reason: string,
  cause?: unknown,
): FeedError<'STATE_CORRUPT'> {
  const remedy = 'restore the whole folder of the state from a copy, or delete it and begin anew'
  const message = `${path}: ${reason}; ${remedy}`
  return new FeedError('STATE_CORRUPT', message, { path, reason }, { cause })
}
