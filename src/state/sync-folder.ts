// The one call of the file system that Node has no name for.

import { open } from 'node:fs/promises'

/**
 * Brings to the disk what was made, renamed and removed in a folder: after a loss of power it is so only then.
 * Windows cannot open a folder; there the file system's journal keeps the order of such changes, and this call does nothing.
 * Fails with the system's own error.
 */
export async function syncFolder(path: string, platform = process.platform): Promise<void> {
  if (platform === 'win32') return
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
