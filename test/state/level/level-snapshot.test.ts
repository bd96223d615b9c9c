// A snapshot has the tables of an index as links, or as copies where the system refuses links.
// test/sync/read/state-view.test.ts reads snapshots beside a writer.

import type * as Files from 'node:fs/promises'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { LevelSnapshot } from '../../../src/state/level/level-snapshot'
import { LevelStore } from '../../../src/state/level/level-store'

const refused = vi.hoisted(() => ({ reason: undefined as string | undefined, asked: 0 }))

vi.mock('node:fs/promises', async importOriginal => {
  const files = await importOriginal<typeof Files>()
  const asked =
    <A extends unknown[]>(make: (...args: A) => Promise<void>) =>
    async (...args: A) => {
      refused.asked++
      if (refused.reason === undefined) return make(...args)
      throw Object.assign(new Error(`${refused.reason}: no links here`), { code: refused.reason })
    }
  return { ...files, link: asked(files.link), symlink: asked(files.symlink) }
})

let parent: string
let place = 0
beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'feedmill-snapshot-'))
})
afterEach(() => Object.assign(refused, { reason: undefined, asked: 0 }))
afterAll(() => rm(parent, { recursive: true }))

const CONTENT = { a: 'one', b: 'two'.repeat(1_000), c: 'three' }

/** A closed store with tables: LevelDB makes a table of its log whenever it opens a database. */
async function closedStore(): Promise<string> {
  const folder = join(parent, `store-${place++}`)
  for (const [key, value] of Object.entries(CONTENT)) {
    const store = await LevelStore.open(folder)
    await store.write([{ key, value: Buffer.from(value) }])
    await store.close()
  }
  return folder
}

const tablesIn = async (folder: string) =>
  (await readdir(join(folder, 'index'))).filter(name => /\.(ldb|sst)$/.test(name))

async function contentOf(store: LevelStore): Promise<Record<string, string>> {
  const all: Record<string, string> = {}
  for await (const block of store.entries())
    for (const { key, value } of block) all[key] = Buffer.from(value).toString()
  return all
}

test.each([
  ['hard', 'EXDEV'],
  ['hard', 'EPERM'],
  ['symbolic', 'EPERM'],
] as const)(
  'where %s links are refused (%s), the tables are copied, and outlive those of the store',
  async (links, reason) => {
    const store = await closedStore()
    const copies = join(parent, `place-${place++}`)
    refused.reason = reason
    const snapshot = await LevelSnapshot.take({ store, place: copies, links })
    const tables = await tablesIn(copies)
    expect(tables.length).toBeGreaterThan(0)
    expect(refused.asked).toBe(tables.length)
    for (const name of tables) {
      const [own, copy] = [
        await stat(join(store, 'index', name)),
        await stat(join(copies, 'index', name)),
      ]
      expect([copy.isFile(), copy.size, copy.nlink, copy.ino === own.ino]).toEqual([
        true,
        own.size,
        1,
        false,
      ])
      await rm(join(store, 'index', name))
    }
    const opened = await snapshot.open(16 << 20)
    try {
      expect(await contentOf(opened)).toEqual(CONTENT)
    } finally {
      await opened.close()
    }
  },
)

test('a table exists once where hard links are possible', async () => {
  const store = await closedStore()
  const linked = join(parent, `place-${place++}`)
  const snapshot = await LevelSnapshot.take({ store, place: linked, links: 'hard' })
  for (const name of await tablesIn(linked)) {
    expect((await stat(join(linked, 'index', name))).ino).toBe(
      (await stat(join(store, 'index', name))).ino,
    )
  }
  const opened = await snapshot.open(16 << 20)
  expect(await contentOf(opened)).toEqual(CONTENT)
  await opened.close()
})
