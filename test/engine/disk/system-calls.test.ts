import { type FileHandle, mkdtemp, open, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import {
  readAll,
  syncFolder,
  systemCode,
  unlessMissing,
  whereSupported,
  writeAll,
} from '../../../src/engine/disk/system-calls'

/** Code with which the sync of any open file fails, where a test wants it to. */
const failing = vi.hoisted(() => ({ sync: undefined as string | undefined, closed: 0 }))
vi.mock('node:fs/promises', async original => {
  const fs = await original<typeof import('node:fs/promises')>()
  return {
    ...fs,
    open: async (...words: Parameters<typeof fs.open>) => {
      const file = await fs.open(...words)
      if (failing.sync === undefined) return file
      const close = file.close.bind(file)
      return Object.assign(file, {
        sync: () => Promise.reject(Object.assign(new RangeError(), { code: failing.sync })),
        close: () => {
          failing.closed++
          return close()
        },
      })
    },
  }
})

let folder: string
let file: FileHandle
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'feedmill-calls-'))
  file = await open(join(folder, 'file'), 'w+')
})
afterEach(async () => {
  failing.sync = undefined
  failing.closed = 0
  await file.close()
  await rm(folder, { recursive: true })
})

const refused = (code: string) => Promise.reject(Object.assign(new RangeError(code), { code }))

test('writeAll and readAll go on where a call takes or gives a part only', async () => {
  const parts: (number | null)[][] = []
  const slow = {
    write: async (bytes: Uint8Array, from: number, length: number, at: number | null) => {
      parts.push([from, length, at])
      return file.write(bytes, from, Math.min(length, 2), at)
    },
  }
  await writeAll(slow, Buffer.from('abcde'), 3)
  expect(parts).toEqual([
    [0, 5, 3],
    [2, 3, 5],
    [4, 1, 7],
  ])
  parts.length = 0
  await writeAll(slow, Buffer.from('xyz'))
  expect(parts).toEqual([
    [0, 3, null],
    [2, 1, null],
  ])
  expect(await readFile(join(folder, 'file'), 'utf8')).toBe('xyzabcde')

  const bytes = Buffer.alloc(6)
  const read = file.read.bind(file) as (...words: unknown[]) => ReturnType<typeof file.read>
  Object.assign(file, {
    read: (into: Uint8Array, from: number, length: number, at: number) =>
      read(into, from, Math.min(length, 2), at),
  })
  expect(await readAll(file, bytes, 1)).toBe(6)
  expect(bytes.toString()).toBe('yzabcd')
  expect(await readAll(file, bytes, 5)).toBe(3)
  expect(bytes.toString('utf8', 0, 3)).toBe('cde')
})

test('a missing file gives undefined; any other failure stays a failure', async () => {
  expect(await unlessMissing(refused('ENOENT'))).toBeUndefined()
  await expect(unlessMissing(refused('EACCES'))).rejects.toMatchObject({ code: 'EACCES' })
  expect(await unlessMissing(Promise.resolve(7))).toBe(7)
})

test('a call that the file system does not support is skipped, and a failed call is not', async () => {
  await whereSupported(refused('ENOTSUP'))
  await whereSupported(refused('EPERM'))
  await expect(whereSupported(refused('EIO'))).rejects.toMatchObject({ code: 'EIO' })
  await expect(whereSupported(refused('ENOSPC'))).rejects.toMatchObject({ code: 'ENOSPC' })
})

test('the code of a failure is text, or undefined', () => {
  expect(
    [{ code: 'EIO' }, { code: 5 }, new RangeError(), null, undefined, 'EIO'].map(systemCode),
  ).toEqual(['EIO', undefined, undefined, undefined, undefined, undefined])
})

test('the numbers of the SQLite of Node have names', () => {
  const code = 'ERR_SQLITE_ERROR'
  expect([5, 2067, 26, 21].map(errcode => systemCode({ code, errcode }))).toEqual([
    'SQLITE_BUSY',
    'SQLITE_CONSTRAINT',
    'SQLITE_NOTADB',
    code,
  ])
})

test('the sync of a folder does nothing on Windows, and fails elsewhere for a missing folder', async () => {
  await syncFolder(join(folder, 'none'), 'win32')
  await expect(syncFolder(join(folder, 'none'), 'linux')).rejects.toMatchObject({ code: 'ENOENT' })
})

test.skipIf(process.platform === 'win32')(
  'a file system that cannot sync a folder is no failure, an I/O error is one, and the folder is closed',
  async () => {
    failing.sync = 'EINVAL'
    await syncFolder(folder)
    failing.sync = 'EIO'
    await expect(syncFolder(folder)).rejects.toMatchObject({ code: 'EIO' })
    expect(failing.closed).toBe(2)
  },
)
