// Puts a tree of sources into a folder of its own: those of a commit, or those of the working tree
// as it stands. Git is only read.

import { existsSync } from 'node:fs'
import { cp, mkdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { command } from './command'

/** @returns the commit's hash; undefined where git knows no such commit */
export function commitOf(repository: string, ref: string): Promise<string | undefined> {
  return command(
    repository,
    'git',
    'rev-parse',
    '--verify',
    '--quiet',
    '--end-of-options',
    `${ref}^{commit}`,
  ).then(
    hash => hash.trim(),
    () => undefined,
  )
}

export async function writeCommit(
  repository: string,
  commit: string,
  directory: string,
): Promise<void> {
  await emptied(directory)
  // By git alone: a machine may have no program that unpacks archives.
  await command(repository, 'git', 'clone', '--quiet', '--shared', '--no-checkout', '.', directory)
  await command(directory, 'git', 'checkout', '--quiet', '--detach', commit)
  await rm(join(directory, '.git'), { recursive: true })
}

/** Every file that is tracked, or would be if it were added. */
export async function writeWorkingTree(repository: string, directory: string): Promise<void> {
  await emptied(directory)
  const listed = await command(
    repository,
    'git',
    'ls-files',
    '-z',
    '--cached',
    '--others',
    '--exclude-standard',
  )
  // A file that was deleted but is still tracked is listed too.
  const paths = [...new Set(listed.split('\0'))].filter(
    path => path !== '' && existsSync(join(repository, path)),
  )
  for (const path of paths) {
    await mkdir(dirname(join(directory, path)), { recursive: true })
    await cp(join(repository, path), join(directory, path))
  }
}

async function emptied(directory: string): Promise<void> {
  await rm(directory, { recursive: true, force: true })
  await mkdir(directory, { recursive: true })
}
