// Temporary folders inside the project, where what a test builds finds the packages of the project.

import { mkdir, mkdtemp } from 'node:fs/promises'
import { join, resolve } from 'node:path'

const ROOT = resolve(import.meta.dirname, '..')

/** Makes a folder in `.tmp`, which a new checkout does not have. The caller removes the folder. */
export async function projectFolder(name: string): Promise<string> {
  const parent = join(ROOT, '.tmp')
  await mkdir(parent, { recursive: true })
  return mkdtemp(join(parent, `${name}-`))
}
