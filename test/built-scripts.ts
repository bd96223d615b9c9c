// Scripts of tests that run in processes of their own, built from TypeScript.

import { writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { build } from 'tsup'
import { projectFolder } from './project-folder'

const ROOT = resolve(import.meta.dirname, '..')

/**
 * Builds sources to ES modules in a folder of the project, whose packages they find there. The
 * caller removes the folder.
 * @param sources the path of each source in the project, by the name of its script
 */
export async function builtScripts(
  folderName: string,
  sources: Readonly<Record<string, string>>,
): Promise<string> {
  const outDir = await projectFolder(folderName)
  await writeFile(join(outDir, 'package.json'), '{"type":"module"}')
  const entry = Object.fromEntries(
    Object.entries(sources).map(([name, path]) => [name, join(ROOT, path)]),
  )
  await build({ config: false, entry, format: 'esm', target: 'node20', silent: true, outDir })
  return outDir
}
