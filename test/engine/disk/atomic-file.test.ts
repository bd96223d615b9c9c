import { existsSync } from 'node:fs'
import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import {
  atomicFile,
  keepAtExit,
  removeAtExit,
  removeNow,
} from '../../../src/engine/disk/atomic-file'

/** Makes the digits of the temporary names to come known. */
function knowDigits(): void {
  vi.spyOn(crypto, 'getRandomValues').mockImplementation(() => Buffer.alloc(8, 7) as never)
}

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'feedmill-atomic-'))
})
afterEach(async () => {
  vi.restoreAllMocks()
  await rm(folder, { recursive: true })
})

const modeOf = async (path: string) => (await stat(path)).mode & 0o777
const isWindows = process.platform === 'win32'

async function written(path: string, text: string): Promise<void> {
  const file = await atomicFile(path)
  await file.write(Buffer.from(text))
  await file.commit()
}

test('the content is under a temporary name until the commit, as private as the file', async () => {
  const path = join(folder, 'out.csv')
  await writeFile(path, 'before', { mode: 0o600 })
  const file = await atomicFile(path)
  await file.write(Buffer.from('a'))
  await file.write(Buffer.from('b'))
  const [, name, ...others] = (await readdir(folder)).sort()
  expect(name).toMatch(/^out\.csv\.[0-9a-f]{16}\.partial$/)
  expect(others).toEqual([])
  if (!isWindows) expect(await modeOf(join(folder, name!))).toBe(0o600)
  await file.commit()
  expect(await readdir(folder)).toEqual(['out.csv'])
  expect(await readFile(path, 'utf8')).toBe('ab')
})

test.skipIf(isWindows)(
  'a new file has the usual mode of new files, and a replaced file keeps its own',
  async () => {
    const path = join(folder, 'out')
    await writeFile(join(folder, 'any'), '')
    await written(path, 'new')
    expect(await modeOf(path)).toBe(await modeOf(join(folder, 'any')))
    for (const mode of [0o640, 0o604, 0o700, 0o666]) {
      await chmod(path, mode)
      await written(path, 'newer')
      expect(await modeOf(path)).toBe(mode)
    }
  },
)

test('an abort leaves the earlier content, and nothing else', async () => {
  const path = join(folder, 'out')
  await writeFile(path, 'before')
  const file = await atomicFile(path)
  await file.write(Buffer.from('after'))
  await file.abort()
  expect(await readdir(folder)).toEqual(['out'])
  expect(await readFile(path, 'utf8')).toBe('before')
})

test('a file may have the longest name that a file system allows', async () => {
  const path = join(folder, 'ü'.repeat(127))
  await written(path, 'x')
  expect(await readdir(folder)).toEqual(['ü'.repeat(127)])
})

test.each(['a link', 'a file'])(
  'fault 91: %s at the temporary name is neither followed nor written',
  async kind => {
    knowDigits()
    const planted = join(folder, `out.${'07'.repeat(8)}.partial`)
    const victim = join(folder, 'victim')
    await writeFile(victim, 'precious')
    await (kind === 'a link' ? symlink(victim, planted) : writeFile(planted, 'theirs'))
    await expect(atomicFile(join(folder, 'out'))).rejects.toMatchObject({ code: 'EEXIST' })
    expect(await readFile(victim, 'utf8')).toBe('precious')
    expect(await readdir(folder)).toEqual([`out.${'07'.repeat(8)}.partial`, 'victim'])
    if (kind === 'a file') expect(await readFile(planted, 'utf8')).toBe('theirs')
  },
)

test('fault 91: a dangling link planted at the temporary name is not followed either', async () => {
  knowDigits()
  await symlink(join(folder, 'elsewhere'), join(folder, `out.${'07'.repeat(8)}.partial`))
  await expect(atomicFile(join(folder, 'out'))).rejects.toMatchObject({ code: 'EEXIST' })
  expect(await readdir(folder)).toEqual([`out.${'07'.repeat(8)}.partial`])
})

test('fault 91: a symbolic link at the target stays, and the file that it leads to is replaced', async () => {
  await mkdir(join(folder, 'data/old'), { recursive: true })
  await mkdir(join(folder, 'links'))
  await writeFile(join(folder, 'data/real'), 'before')
  // Relative links count from the real folder of the link, also where that is reached through a
  // link.
  await symlink('../data/real', join(folder, 'links/second'))
  await symlink('links/second', join(folder, 'first'))
  await symlink(join(folder, 'links'), join(folder, 'data/old/way'))
  for (const [n, path] of ['first', 'links/second', 'data/old/way/second'].entries()) {
    await written(join(folder, path), `after ${n}`)
    expect(await readFile(join(folder, 'data/real'), 'utf8')).toBe(`after ${n}`)
    expect((await lstat(join(folder, 'data/real'))).isFile()).toBe(true)
  }
  expect(await readlink(join(folder, 'first'))).toBe('links/second')
  expect(await readlink(join(folder, 'links/second'))).toBe('../data/real')
  expect(
    (await readdir(folder, { recursive: true })).filter(name => name.endsWith('.partial')),
  ).toEqual([])
})

test('fault 91: a link to a missing file makes that file, and a link to itself is refused', async () => {
  await symlink('later', join(folder, 'link'))
  await written(join(folder, 'link'), 'x')
  expect(await readFile(join(folder, 'later'), 'utf8')).toBe('x')
  expect((await lstat(join(folder, 'link'))).isSymbolicLink()).toBe(true)
  await symlink('b', join(folder, 'a'))
  await symlink('a', join(folder, 'b'))
  await expect(atomicFile(join(folder, 'a'))).rejects.toMatchObject({ code: 'ELOOP' })
})

test('a missing folder is an error, and is not made', async () => {
  await expect(atomicFile(join(folder, 'none/out'))).rejects.toMatchObject({
    code: 'ENOENT',
  })
  expect(await readdir(folder)).toEqual([])
})

test('fault 113: what a killed writer left is removed a day later, and nothing else', async () => {
  const left = '.0123456789abcdef.partial'
  const names = [`out.csv${left}`, `out.csv.${left}`, `other.csv${left}`, 'out.csv.partial']
  const old = new Date(Date.now() - 25 * 60 * 60 * 1000)
  for (const name of names) {
    await writeFile(join(folder, name), '')
    await utimes(join(folder, name), old, old)
  }
  const young = 'out.csv.fedcba9876543210.partial'
  await writeFile(join(folder, young), '')
  await written(join(folder, 'out.csv'), 'a')
  expect((await readdir(folder)).sort()).toEqual([...names.slice(1), young, 'out.csv'].sort())
})

let parent: string
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'feedmill-exit-'))
})
afterEach(() => rm(parent, { recursive: true, force: true }))

/** Calls what has been registered for the exit of the process since `before`. */
function exitAfter(before: readonly unknown[]): void {
  for (const listener of process.listeners('exit'))
    if (!before.includes(listener)) listener.call(process, 0)
}

test('one listener removes files and folders at the exit, unless they are kept', async () => {
  const paths = ['folder', 'kept', 'file', 'gone'].map(name => join(parent, name))
  const [folder, kept, file, gone] = paths as [string, string, string, string]
  await mkdir(join(folder, 'inner'), { recursive: true })
  for (const path of [kept, file, gone]) await writeFile(path, 'x')
  const before = process.listeners('exit')
  for (const path of paths) removeAtExit(path)
  expect(process.listenerCount('exit')).toBe(before.length + 1)
  keepAtExit(kept)
  await removeNow(gone)
  expect(paths.map(path => existsSync(path))).toEqual([true, true, true, false])
  exitAfter(before)
  expect(paths.map(path => existsSync(path))).toEqual([false, true, false, false])
  for (const path of paths) keepAtExit(path)
  expect(process.listeners('exit')).toEqual(before)
})
