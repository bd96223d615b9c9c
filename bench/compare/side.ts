// One side of a comparison: a build of the package in a folder of its own, and a copy of the
// compiled cases inside that folder. Node gives the name `feedmill` to the package that an
// importing file lies in, so the same cases, byte for byte, drive whichever build they lie in.

import { existsSync } from 'node:fs'
import { cp, readFile, rm, symlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { OWN_CASES } from '../fresh-process'
import { command } from './command'

/** The base, a copy of it, and what is compared with them. */
export const SIDES = ['base', 'again', 'head'] as const

export type Side = (typeof SIDES)[number]

/** The folder of each side. */
export type Sides = Readonly<Record<Side, string>>

const CASES_FOLDER = '.cases'

/**
 * Builds the sources in `directory`, which lies inside the repository, with the packages of their
 * own lock file.
 */
export async function buildSide(repository: string, directory: string): Promise<void> {
  // With the same lock file, Node and npm find the packages of the repository further up.
  if (!(await sameLockFile(repository, directory))) await command(directory, 'npm', 'ci')
  const { scripts } = JSON.parse(await readFile(join(directory, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>
  }
  await command(directory, 'npm', 'run', '--silent', 'build:js' in scripts ? 'build:js' : 'build')
  await cp(dirname(OWN_CASES), join(directory, CASES_FOLDER), { recursive: true })
}

/** The same build in another folder: where files lie counts as noise too. */
export async function copySide(from: string, to: string): Promise<void> {
  await rm(to, { recursive: true, force: true })
  for (const part of ['package.json', 'dist', CASES_FOLDER])
    await cp(join(from, part), join(to, part), { recursive: true })
  const packages = join(from, 'node_modules')
  if (existsSync(packages)) await symlink(packages, join(to, 'node_modules'), 'junction')
}

/** The script that `inFreshProcess` starts for a side. */
export function casesOf(directory: string): string {
  return join(directory, CASES_FOLDER, basename(OWN_CASES))
}

async function sameLockFile(one: string, other: string): Promise<boolean> {
  const [first, second] = await Promise.all(
    [one, other].map(directory => readFile(join(directory, 'package-lock.json'), 'utf8')),
  )
  return first === second
}
