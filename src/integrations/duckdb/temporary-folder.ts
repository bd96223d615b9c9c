// The folder beside a database file to which DuckDB writes what its memory does not hold. Each
// writer has one of a new name, because DuckDB fails where a file of a dead process has the name of
// its own.

import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/** What `mkdtemp` adds to a name. */
const RANDOM_LENGTH = 6

export function newTemporaryFolder(place: string): Promise<string> {
  return mkdtemp(prefixOf(place))
}

/** Removes the folders of dead writers. The caller has the lock of the database. */
export async function removeLeftFolders(place: string, own: string): Promise<void> {
  const prefix = basename(prefixOf(place))
  for (const name of await readdir(dirname(place))) {
    const isTemporary = name.startsWith(prefix) && name.length === prefix.length + RANDOM_LENGTH
    if (isTemporary && name !== basename(own)) await removeFolder(join(dirname(place), name))
  }
}

export function removeFolder(path: string): Promise<void> {
  return rm(path, { recursive: true, force: true })
}

function prefixOf(place: string): string {
  return `${place}.tmp-`
}
