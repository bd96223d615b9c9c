// Failures of a store's files as typed errors, and the one call of the file system that Node has no name for.

import { open } from 'node:fs/promises'
import { FeedError } from '../errors'

/** @throws FeedError STATE_IO, and what `action` throws itself as a FeedError */
export async function onDisk<T>(path: string, operation: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action()
  } catch (cause) {
    if (FeedError.is(cause)) throw cause
    const reason = (cause as { code?: string }).code ?? String(cause)
    throw new FeedError('STATE_IO', `${path}: ${operation}: ${reason}`, { path, operation, reason }, { cause })
  }
}

export function corruptState(path: string, reason: string): FeedError<'STATE_CORRUPT'> {
  return new FeedError('STATE_CORRUPT', `${path}: ${reason}`, { path, reason })
}

/** A file that was made, renamed or removed is so after a power loss only when its folder was synced too. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
