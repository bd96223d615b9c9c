import { once } from 'node:events'
import {
  type FileHandle,
  lstat,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import {
  type DurableFiles,
  machineFiles,
  readWhole,
  replaceWhole,
  scratchFiles,
} from '../../../src/engine/disk/durable-files'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'feedmill-files-'))
})
afterEach(() => rm(folder, { recursive: true }))
const path = (...names: string[]) => join(folder, ...names)
const failure = (reason: string, operation: string) => ({
  code: 'STATE_IO',
  context: { reason, operation },
})

test('a file is written at any offset, truncated, and read up to its end', async () => {
  const file = await machineFiles.edit(path('a'))
  await file.write(0, Buffer.from('0123456789'))
  await file.write(4, Buffer.from('xy'))
  await file.truncate(8)
  await file.sync()
  expect(Buffer.from(await file.read(2, 100)).toString()).toBe('23xy67')
  expect([await file.size(), (await file.read(8, 5)).length]).toEqual([8, 0])
  await file.close()
  const again = await machineFiles.edit(path('a'))
  expect(await again.size()).toBe(8)
  await again.close()
})

test('what is read behind its close is STATE_CLOSED, which does not speak of the disk', async () => {
  const file = await machineFiles.edit(path('a'))
  await file.close()
  const failed = await file.read(0, 1).catch((error: unknown) => error)
  expect(failed).toMatchObject({ code: 'STATE_CLOSED', context: { path: path('a') } })
  expect(String(failed)).toMatch(/was closed before it was read/)
})

test('a missing file can be opened, listed, measured and removed without a failure', async () => {
  expect(await machineFiles.open(path('none'))).toBeUndefined()
  expect(await machineFiles.size(path('none'))).toBeUndefined()
  expect(await machineFiles.list(path('none'))).toEqual([])
  expect(await machineFiles.bytesUnder(path('none'))).toBe(0)
  await machineFiles.remove(path('none'))
  await machineFiles.syncFolder(folder)
})

test('after a socket is removed, Node still follows the symbolic links of packages', async () => {
  const server = createServer().listen(path('socket'))
  await once(server, 'listening')
  await rename(path('socket'), path('left'))
  await promisify(server.close.bind(server))()
  const { resolve } = createRequire(path('module.js'))
  for (const name of ['a', 'b']) {
    await mkdir(path('node_modules', name), { recursive: true })
    await writeFile(path('node_modules', name, 'real.js'), '')
    await symlink('real.js', path('node_modules', name, 'index.js'))
  }
  const resolved = [resolve('a')]
  await machineFiles.remove(path('left'))
  resolved.push(resolve('b'))
  expect(resolved).toEqual(['a', 'b'].map(name => path('node_modules', name, 'real.js')))
})

test('folders are made with their parents, measured with their subfolders, and removed with their content', async () => {
  await machineFiles.makeFolder(path('a', 'b', 'c'))
  await machineFiles.makeFolder(path('a', 'b'))
  await writeFile(path('a', 'b', 'c', '1'), '12345')
  await writeFile(path('a', '2'), '123')
  expect(await machineFiles.bytesUnder(path('a'))).toBe(8)
  expect(await machineFiles.list(path('a'))).toEqual(['2', 'b'])
  await machineFiles.remove(path('a'))
  expect(await readdir(folder)).toEqual([])
})

test('scratch files are written and read as others are, and nothing is synced', async () => {
  const probe = await open(path('probe'), 'w')
  const sync = vi.spyOn(Object.getPrototypeOf(probe) as FileHandle, 'sync')
  await probe.close()
  const syncsOf = async (files: DurableFiles, name: string) => {
    const before = sync.mock.calls.length
    await files.makeFolder(path(name, 'below'))
    for (const made of ['edit', 'create'] as const) {
      const file = await files[made](path(name, made))
      await file.write(0, Buffer.from(name))
      await file.sync()
      await file.close()
      expect(await readFile(path(name, made), 'utf8')).toBe(name)
    }
    await files.syncFolder(path(name))
    return sync.mock.calls.length - before
  }
  expect(await syncsOf(scratchFiles, 'scratch')).toBe(0)
  expect(await syncsOf(machineFiles, 'durable')).toBeGreaterThan(2)
  await expect(scratchFiles.create(path('scratch', 'create'))).rejects.toMatchObject(
    failure('EEXIST', 'create'),
  )
  sync.mockRestore()
})

test('fault 79: a failure of the system is STATE_IO with its code and the operation', async () => {
  await writeFile(path('file'), '')
  await expect(machineFiles.makeFolder(path('file', 'below'))).rejects.toMatchObject(
    failure('ENOTDIR', 'mkdir'),
  )
  await expect(machineFiles.edit(path('none', 'below'))).rejects.toMatchObject(
    failure('ENOENT', 'open'),
  )
  await expect(machineFiles.rename(path('none'), path('other'))).rejects.toMatchObject(
    failure('ENOENT', 'rename'),
  )
  await expect(machineFiles.list(path('file'))).rejects.toMatchObject(failure('ENOTDIR', 'list'))
})

test.runIf((await stat('/dev/full').catch(() => undefined)) !== undefined)(
  'fault 79: no space left on the device',
  async () => {
    const file = await machineFiles.edit('/dev/full')
    await expect(file.write(0, Buffer.from('x'))).rejects.toMatchObject(failure('ENOSPC', 'write'))
    await file.close()
  },
)

test('a small file is replaced as a whole, and leaves nothing beside it', async () => {
  expect(await readWhole(machineFiles, path('small'))).toBeUndefined()
  await replaceWhole(machineFiles, path('small'), Buffer.from('a longer first text'))
  await replaceWhole(machineFiles, path('small'), Buffer.from('second'))
  expect(Buffer.from((await readWhole(machineFiles, path('small')))!).toString()).toBe('second')
  expect([await readdir(folder), await readFile(path('small'), 'utf8')]).toEqual([
    ['small'],
    'second',
  ])
})

test.skipIf(process.platform === 'win32')(
  'fault 109: a link planted at a name is refused or replaced, and never followed',
  async () => {
    await writeFile(path('victim'), 'precious')
    for (const name of ['log', 'small.new']) await symlink(path('victim'), path(name))
    for (const files of [machineFiles, scratchFiles]) {
      await expect(files.edit(path('log'))).rejects.toMatchObject(failure('ELOOP', 'open'))
      await expect(files.create(path('log'))).rejects.toMatchObject(failure('EEXIST', 'create'))
    }
    await replaceWhole(machineFiles, path('small'), Buffer.from('mine'))
    expect(await readFile(path('small'), 'utf8')).toBe('mine')
    expect((await lstat(path('small'))).isSymbolicLink()).toBe(false)
    await machineFiles.remove(path('log'))
    expect(await readFile(path('victim'), 'utf8')).toBe('precious')
  },
)
