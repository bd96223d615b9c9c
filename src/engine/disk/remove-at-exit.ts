// Temporary files and folders of this process, which are removed at the latest when it exits. A
// process that is killed leaves them behind.

import { rmSync } from 'node:fs'
import { rm } from 'node:fs/promises'

const temporary = new Set<string>()

/** Has the file or folder removed when the process exits. */
export function removeAtExit(path: string): void {
  if (temporary.size === 0) process.on('exit', removeAll)
  temporary.add(path)
}

/** The file or folder stays, or is already gone. */
export function keepAtExit(path: string): void {
  temporary.delete(path)
  if (temporary.size === 0) process.off('exit', removeAll)
}

/** Removes the file or folder now. Fails with the system's own error. */
export async function removeNow(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true })
  keepAtExit(path)
}

function removeAll(): void {
  for (const path of temporary) {
    try {
      rmSync(path, { recursive: true, force: true })
    } catch {
      // The process ends in any case, and the other files have to be removed too.
    }
  }
}
