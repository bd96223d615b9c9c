// Long: it writes stores of many tables, and opens some again.

import { cp, mkdtemp, readdir, rm, stat, truncate, unlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { StoreOp } from '../../../src/state/keyed-store'
import { LevelStore, type LevelStoreOptions } from '../../../src/state/level/level-store'

const folders: string[] = []
const open: LevelStore[] = []

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'feedmill-test-'))
  folders.push(folder)
  return folder
}

async function openStore(folder: string, options?: LevelStoreOptions): Promise<LevelStore> {
  const store = await LevelStore.open(folder, options)
  open.push(store)
  return store
}

afterEach(async () => {
  for (const store of open.splice(0)) await store.close().catch(() => {})
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true })
})

const put = (key: string, value: string): StoreOp => ({ key, value: Buffer.from(value) })
const long = (text: string, length = 500) => text.padEnd(length, text)

async function contentOf(store: LevelStore): Promise<Map<string, string>> {
  const all = new Map<string, string>()
  for await (const block of store.entries())
    for (const { key, value } of block) all.set(key, Buffer.from(value).toString())
  return all
}

describe('the content of the disk', () => {
  test('is read when the store is opened again', async () => {
    const folder = await newFolder()
    const first = await openStore(folder)
    await first.write([put('a', '1'), put('b', long('b')), put('c', long('c'))])
    await first.write([put('a', long('a')), { key: 'c', value: null }])
    await first.close()
    const second = await openStore(folder)
    await second.write([put('d', '4')])
    await second.close()
    const third = await openStore(folder)
    expect(Object.fromEntries(await contentOf(third))).toEqual({
      a: long('a'),
      b: long('b'),
      d: '4',
    })
    expect(await third.getMany(['c', 'a'])).toEqual([undefined, expect.any(Uint8Array)])
    expect(await third.bytesOnDisk()).toBeGreaterThan(1000)
  })

  test('has all that was synced before the process was killed, and a prefix of the later writes', async () => {
    const folder = await newFolder()
    const store = await openStore(folder)
    const writes = Array.from({ length: 40 }, (_, n) => [
      put(`k${n}`, long(`${n}`, 200_000)),
      put('last', String(n)),
    ])
    let synced = -1
    for (const [n, ops] of writes.entries()) {
      await store.write(ops, { sync: n === 12 })
      if (n === 12) synced = n
      const copy = await newFolder()
      // A block may be on its way to the disk meanwhile. The index is copied first, because its
      // entries refer only to values that are written before them.
      for (const part of ['index', 'values'])
        await cp(join(folder, part), join(copy, part), { recursive: true })
      const found = await contentOf(await openStore(copy))
      const last = Number(found.get('last') ?? -1)
      expect(last).toBeGreaterThanOrEqual(synced)
      expect(last).toBeLessThanOrEqual(n)
      expect([...found.keys()].sort()).toEqual(
        [
          ...Array.from({ length: last + 1 }, (_, k) => `k${k}`),
          ...(last < 0 ? [] : ['last']),
        ].sort(),
      )
    }
  }, 60_000)

  test('is an empty store where the process was killed while it made the index', async () => {
    const folder = await newFolder()
    const store = await openStore(folder)
    await store.close()
    await rm(join(folder, 'values'), { recursive: true })
    await rm(join(folder, 'closed.json'))
    await unlink(join(folder, 'index/CURRENT'))
    const again = await openStore(folder)
    await again.write([put('a', long('a'))], { sync: true })
    expect([...(await contentOf(again)).keys()]).toEqual(['a'])
  })

  test('has one writer at a time', async () => {
    const folder = await newFolder()
    await openStore(folder)
    await expect(openStore(folder)).rejects.toMatchObject({ code: 'STATE_LOCKED' })
  })
})

describe('the log', () => {
  test('frees unused space, during a read and afterwards', async () => {
    const folder = await newFolder()
    const store = await openStore(folder, { durable: false, slackBytes: 1 << 22 })
    const logBytes = async () => {
      let bytes = 0
      for (const name of await readdir(join(folder, 'values')))
        bytes += (await stat(join(folder, 'values', name))).size
      return bytes
    }
    const kept = Array.from({ length: 200 }, (_, n) => put(`kept${n}`, long(`kept ${n} `, 5000)))
    await store.write(kept)
    let most = 0
    for (let round = 0; round < 60; round++) {
      await store.write(
        Array.from({ length: 100 }, (_, n) => put(`often${n}`, long(`${round} ${n} `, 8000))),
      )
      if (round % 20 !== 7) continue
      const listed: string[] = []
      for await (const block of store.entries({ from: 'kept', to: 'kepu' })) {
        for (const { key, value } of block) {
          expect(Buffer.from(value).toString()).toBe(long(`kept ${key.slice(4)} `, 5000))
          listed.push(key)
        }
        await store.write(
          Array.from({ length: 100 }, (_, n) => put(`often${n}`, long(`${round} ${n} `, 80_000))),
        )
      }
      expect(listed).toHaveLength(200)
      most = Math.max(most, await logBytes())
    }
    await store.flush()
    // 68 MB were written in all, and 1.8 MB are in use.
    expect(most).toBeGreaterThan(1 << 22)
    expect(await logBytes()).toBeLessThan(20 << 20)
    const content = await contentOf(store)
    expect(content.size).toBe(300)
    expect(content.get('kept17')).toBe(long('kept 17 ', 5000))
    expect(content.get('often3')).toBe(long('59 3 ', 8000))
    await store.close()
    expect((await contentOf(await openStore(folder))).size).toBe(300)
  })

  test('is not compacted while most of it is in use, also by the next process', async () => {
    const folder = await newFolder()
    const options = { durable: false, slackBytes: 1 << 20 }
    const segments = async () => (await readdir(join(folder, 'values'))).sort()
    const rows = (from: number, to: number, round: number) =>
      Array.from({ length: to - from }, (_, n) => put(`k${from + n}`, long(`${round} `, 8000)))
    const store = await openStore(folder, options)
    for (let at = 0; at < 2000; at += 100) await store.write(rows(at, at + 100, 0))
    const before = await segments()
    // Half of the 16 MB is written again, which is less than twice the bytes in use.
    for (let at = 0; at < 1000; at += 100) await store.write(rows(at, at + 100, 1))
    await store.close()
    const again = await openStore(folder, options)
    await again.write(rows(1000, 1300, 2))
    await again.flush()
    expect(await segments()).toEqual(expect.arrayContaining(before))
    for (let round = 3; round < 8; round++)
      for (let at = 0; at < 2000; at += 100) await again.write(rows(at, at + 100, round))
    await again.flush()
    expect(await segments()).not.toEqual(expect.arrayContaining(before))
    expect((await contentOf(again)).get('k1999')).toBe(long('7 ', 8000))
  })

  test('keeps values that are written while a reader delays the removal of a segment', async () => {
    const store = await openStore(await newFolder(), { durable: false, slackBytes: 1 << 20 })
    const keys = Array.from({ length: 200 }, (_, n) => `k${n}`)
    // The second segment is not full, and gets the next values.
    for (const some of [keys.slice(0, 190), keys.slice(190)]) {
      await store.write(some.map(key => put(key, long(key, 8000))))
      await store.flush()
    }
    const reading = store.entries()
    await reading.next()
    await store.write(keys.map(key => ({ key, value: null })))
    await store.flush()
    await store.write([put('later', long('later'))])
    await store.flush()
    await reading.return()
    for (const key of ['x', 'y']) {
      await store.write([put(key, long(key))])
      await store.flush()
    }
    expect(Object.fromEntries(await contentOf(store))).toEqual({
      later: long('later'),
      x: long('x'),
      y: long('y'),
    })
  })

  test('is STATE_CORRUPT where a value is missing', async () => {
    for (const damage of ['cut', 'gone'] as const) {
      const folder = await newFolder()
      const store = await openStore(folder)
      await store.write([put('a', long('a')), put('b', '2')])
      await store.close()
      const [name] = await readdir(join(folder, 'values'))
      const path = join(folder, 'values', name!)
      if (damage === 'cut') await truncate(path, 100)
      else await unlink(path)
      const again = await openStore(folder)
      expect(Buffer.from((await again.getMany(['b']))[0]!).toString()).toBe('2')
      await expect(again.getMany(['a'])).rejects.toMatchObject({
        code: 'STATE_CORRUPT',
        context: { path },
      })
      await expect(contentOf(again)).rejects.toMatchObject({ code: 'STATE_CORRUPT' })
    }
  })
})

describe('a failure', () => {
  test('of a write makes every later call fail, and nothing more is written', async () => {
    const folder = await newFolder()
    const store = await openStore(folder)
    await store.write([put('a', long('a'))], { sync: true })
    await store.write([put('b', long('b'))])
    // A folder with the name of the next segment prevents that segment, and a closed segment cannot
    // be written.
    vi.spyOn(
      await import('node:fs/promises')
        .then(({ open }) => open(folder, 'r'))
        .then(async handle => {
          const prototype = Object.getPrototypeOf(handle)
          await handle.close()
          return prototype
        }),
      'write',
    ).mockRejectedValue(Object.assign(new Error('no space'), { code: 'ENOSPC' }))
    await expect(store.flush()).rejects.toMatchObject({
      code: 'STATE_IO',
      context: { operation: 'write', reason: 'ENOSPC' },
    })
    vi.restoreAllMocks()
    await expect(store.write([put('c', '3')])).rejects.toMatchObject({ code: 'STATE_IO' })
    await expect(store.flush()).rejects.toMatchObject({ code: 'STATE_IO' })
    await store.close()
    expect([...(await contentOf(await openStore(folder))).keys()]).toEqual(['a'])
  })

  test('to make the folder is STATE_IO', async () => {
    const folder = await newFolder()
    await writeFile(join(folder, 'file'), '')
    await expect(LevelStore.open(join(folder, 'file'))).rejects.toMatchObject({ code: 'STATE_IO' })
  })

  test('is STATE_CORRUPT for values without their index', async () => {
    const folder = await newFolder()
    const store = await openStore(folder)
    await store.write([put('a', long('a'))])
    await store.close()
    await rm(join(folder, 'index'), { recursive: true })
    await expect(LevelStore.open(folder)).rejects.toMatchObject({ code: 'STATE_CORRUPT' })
  })

  test.each([{ memoryBytes: 1000 }, { memoryBytes: 2.5 }, { slackBytes: 0 }])(
    'is typed for the option %o',
    async options => {
      await expect(LevelStore.open(await newFolder(), options)).rejects.toMatchObject({
        code: 'OPTION_INVALID',
      })
    },
  )

  test('a missing package is an error that says what to install', async () => {
    vi.doMock('classic-level', () => {
      throw new TypeError('Cannot find package')
    })
    vi.resetModules()
    try {
      const { LevelStore: Unequipped } = await import('../../../src/state/level/level-store')
      await expect(Unequipped.open(await newFolder())).rejects.toMatchObject({
        code: 'DEPENDENCY_MISSING',
        context: { package: 'classic-level' },
      })
      const { SpillingStore } = await import('../../../src/state/spilling-store')
      const folder = await newFolder()
      const store = new SpillingStore({ memoryBytes: 1000, folder })
      await store.write([put('a', long('a', 300))])
      const refusal = store.write([put('b', long('b', 900))])
      await expect(refusal).rejects.toThrow(/install classic-level/)
      await expect(refusal).rejects.toMatchObject({
        code: 'STATE_LIMIT',
        context: { option: 'memoryBytes', limit: 1000 },
      })
      expect((await store.getMany(['a', 'b'])).map(value => value?.length)).toEqual([
        300,
        undefined,
      ])
      expect(await readdir(folder)).toEqual([])
      await store.close()
    } finally {
      vi.doUnmock('classic-level')
      vi.resetModules()
    }
  })
})
