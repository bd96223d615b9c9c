import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { SpillingStore } from '../../src/state/spilling-store'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'feedmill-test-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const put = (key: string, length: number) => ({ key, value: Buffer.alloc(length, key) })

test('a store stays in memory up to its limit, goes to disk beyond it, and removes its folder at the end', async () => {
  const store = new SpillingStore({ memoryBytes: 10_000, folder })
  await store.write([put('a', 4000), put('b', 4000)])
  expect([store.spilled, await readdir(folder)]).toEqual([false, []])
  await store.write([put('c', 4000), { key: 'a', value: null }])
  expect(store.spilled).toBe(true)
  expect(await readdir(folder)).toHaveLength(1)
  expect((await store.getMany(['a', 'b', 'c'])).map(value => value?.length)).toEqual([
    undefined,
    4000,
    4000,
  ])
  await store.close()
  expect(await readdir(folder)).toEqual([])
})

test('a listing that began in memory is complete after the store has gone to disk', async () => {
  const store = new SpillingStore({ memoryBytes: 100_000, folder })
  await store.write(Array.from({ length: 300 }, (_, n) => put(String(n).padStart(3, '0'), 100)))
  let entries = 0
  for await (const block of store.entries()) {
    entries += block.length
    await store.write([put('x', 100_000)])
  }
  expect([entries, store.spilled]).toEqual([300, true])
  await store.close()
})

test('closing waits for a running write', async () => {
  const store = new SpillingStore({ memoryBytes: 0, folder })
  const writing = store.write([put('a', 5000)])
  await store.close()
  await writing
  expect(await readdir(folder)).toEqual([])
})

test('a folder that cannot be made is STATE_IO, and the entries stay', async () => {
  const store = new SpillingStore({ memoryBytes: 1000, folder: join(folder, 'missing') })
  await store.write([put('a', 500)])
  await expect(store.write([put('b', 5000)])).rejects.toMatchObject({ code: 'STATE_IO' })
  expect((await store.getMany(['a', 'b'])).map(value => value?.length)).toEqual([500, undefined])
  await store.close()
})

test('the folder of a store that was not closed is removed when the process exits', async () => {
  const before = new Set(process.listeners('exit'))
  const store = new SpillingStore({ memoryBytes: 0, folder })
  await store.write([put('a', 5000)])
  const added = process.listeners('exit').filter(listener => !before.has(listener))
  expect(added).toHaveLength(1)
  added[0]!(0)
  expect(await readdir(folder)).toEqual([])
  await store.close().catch(() => {})
  expect(process.listeners('exit').filter(listener => !before.has(listener))).toEqual([])
})

test.each([{ memoryBytes: -1 }, { memoryBytes: 0.5 }])('refuses %o', options => {
  expect(() => new SpillingStore(options)).toThrow(
    expect.objectContaining({ code: 'OPTION_INVALID' }),
  )
})
