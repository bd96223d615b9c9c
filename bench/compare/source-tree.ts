// Copies the sources of the working tree, as they are now, into a folder of their own, and builds
// them. Git is only read.

import { existsSync } from 'node:fs'
import { cp, mkdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { command } from '../../src/bench/base-tree'

/** Every file that is tracked, or would be if it were added. */
export async function writeWorkingTree(repository: string, directory: string): Promise<void> {
  await emptied(directory)
  const listed = await command(
    { cwd: repository },
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

/** Builds a tree inside the repository, from where npm and Node find its packages. */
export async function buildTree(directory: string): Promise<void> {
  await command({ cwd: directory }, 'npm', 'run', '--silent', 'build:js')
}

async function emptied(directory: string): Promise<void> {
  await rm(directory, { recursive: true, force: true })
  await mkdir(directory, { recursive: true })
}
