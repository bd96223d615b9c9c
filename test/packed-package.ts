// The package as a registry would give it: packed by npm and unpacked, with what it depends on and
// no optional package.

import { execFile } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'

const run = promisify(execFile)
const ROOT = resolve(import.meta.dirname, '..')

/**
 * Packs the project into `folder`, unpacks it there, and returns the folder of the package. Packing
 * makes the pages and builds the project first, unless both are newer than what they are made from.
 */
export async function packedPackage(folder: string): Promise<string> {
  const installed = join(folder, 'node_modules/feedmill')
  await mkdir(installed, { recursive: true })
  const options = isBuilt() ? ['--ignore-scripts'] : []
  await run('npm', ['pack', '--pack-destination', folder, ...options], { cwd: ROOT })
  const tarball = (await readdir(folder)).find(name => name.endsWith('.tgz'))!
  await unpack(join(folder, tarball), installed)
  return installed
}

const PAGES = ['src/api', 'src/reference']
const SETTINGS = [
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'tsup.config.ts',
  'typedoc.config.js',
  'test/from-sources.mjs',
  'test/api-plugin.mjs',
  'test/api-pages.mjs',
  'test/reference',
]

function isBuilt(): boolean {
  // Not every build writes the declarations.
  if (!['dist/index.d.ts', ...PAGES].every(path => existsSync(join(ROOT, path)))) return false
  // Making pages changes the folder `src` itself, so what is in it counts. An entry that is removed
  // from it changes package.json.
  const sources = readdirSync(join(ROOT, 'src')).map(name => `src/${name}`)
  const made = Math.min(...changesIn(['dist', ...PAGES]))
  return (
    Math.max(...changesIn([...sources.filter(path => !PAGES.includes(path)), ...SETTINGS])) < made
  )
}

/** When the files and folders below the paths changed. A file that is removed changes its folder. */
function changesIn(paths: readonly string[]): number[] {
  const found = paths.flatMap(path => {
    const below = join(ROOT, path)
    if (!statSync(below).isDirectory()) return [below]
    const names = readdirSync(below, { recursive: true, encoding: 'utf8' })
    return [below, ...names.map(name => join(below, name))]
  })
  return found.map(path => statSync(path).mtimeMs)
}

/**
 * Unpacks what `npm pack` made: headers of 512 bytes, each with its file behind it, and no program
 * but Node.
 */
async function unpack(tarball: string, target: string): Promise<void> {
  const archive = gunzipSync(await readFile(tarball))
  const field = (at: number, length: number) =>
    archive.toString('utf8', at, at + length).replace(/\0.*$/s, '')
  for (let at = 0; at < archive.length && archive[at] !== 0; ) {
    const [name, size, type] = [
      field(at, 100),
      Number.parseInt(field(at + 124, 12), 8),
      field(at + 156, 1),
    ]
    if (type === '0' && field(at + 345, 155) === '') {
      const path = join(target, name.slice(name.indexOf('/') + 1))
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, archive.subarray(at + 512, at + 512 + size))
    } else throw new RangeError(`${name}: an entry of another kind`)
    at += 512 + Math.ceil(size / 512) * 512
  }
}

/** A folder outside of the project, in which the package is installed. */
export async function plainInstall(installed: string): Promise<string> {
  const plain = await mkdtemp(join(tmpdir(), 'feedmill-plain-'))
  await cp(installed, join(plain, 'node_modules/feedmill'), { recursive: true })
  const { dependencies } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'))
  await linkPackages(plain, Object.keys(dependencies))
  await linkCommand(plain)
  return plain
}

/** Makes `feedmill` a command in a folder in which the package is unpacked. */
export async function linkCommand(folder: string): Promise<void> {
  await mkdir(join(folder, 'node_modules/.bin'))
  await chmod(join(folder, 'node_modules/feedmill/dist/cli.js'), 0o755)
  await symlink('../feedmill/dist/cli.js', join(folder, 'node_modules/.bin/feedmill'))
}

/** Links packages of the project into the folder of an installation. */
export async function linkPackages(plain: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const path = join(plain, 'node_modules', name)
    await mkdir(dirname(path), { recursive: true })
    await symlink(join(ROOT, 'node_modules', name), path)
  }
}
