// Damage to the files of a closed store. Whichever byte changes, a read fails with a typed error or
// returns what was written.
// Long: it opens a store again for each byte that it damages.

import {
  appendFile,
  cp,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  truncate,
  unlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FeedError } from '../../../src/engine/errors'
import { checkLevelFiles } from '../../../src/state/level/level-files'
import { LevelStore } from '../../../src/state/level/level-store'

let base: string
let store: string
/** The same store, as a killed process leaves it. */
let killed: string
const expected = new Map<string, string>()
const KEYS = 120

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'feedmill-test-'))
  store = join(base, 'store')
  killed = join(base, 'killed')
  // Opening makes a table of the earlier log, so the store has tables, a log and a manifest with
  // several changes.
  for (const round of [0, 1, 2]) {
    const level = await LevelStore.open(store)
    const ops = Array.from({ length: KEYS }, (_, n) => {
      const key = `key ${String(n).padStart(4, '0')}`
      const value = `${round} ${n} `.padEnd(n % 3 === 0 ? 20 : 120, 'value ')
      if (n % 3 !== round) return { key, value: Buffer.from(value) }
      return { key, value: null }
    })
    await level.write(ops, { sync: true })
    if (round === 2) await cp(store, killed, { recursive: true })
    await level.close()
  }
  const level = await LevelStore.open(join(base, await copied(store)))
  for await (const block of level.entries())
    for (const { key, value } of block) expected.set(key, Buffer.from(value).toString())
  await level.close()
  expect(expected.size).toBe(80)
})

afterAll(() => rm(base, { recursive: true, force: true }))

let copies = 0
async function copied(from: string): Promise<string> {
  const name = `copy${copies++}`
  await cp(from, join(base, name), { recursive: true })
  return name
}

/** Returns the code of the error that the reads of a damaged copy give, or the content. */
async function readAll(folder: string): Promise<string | Map<string, string>> {
  let level: LevelStore | undefined
  try {
    level = await LevelStore.open(folder)
    const keys = [...Array(KEYS).keys()].map(n => `key ${String(n).padStart(4, '0')}`)
    const values = await level.getMany(keys)
    const heads = await level.getMany(keys, { firstBytes: 10 })
    const listed = new Map<string, string>()
    for await (const block of level.entries())
      for (const { key, value } of block) listed.set(key, Buffer.from(value).toString())
    for (const [n, key] of keys.entries()) {
      expect(values[n] && Buffer.from(values[n]).toString()).toBe(listed.get(key))
      expect(heads[n] && Buffer.from(heads[n].subarray(0, 10)).toString()).toBe(
        listed.get(key)?.slice(0, 10),
      )
    }
    return listed
  } catch (error) {
    if (!FeedError.is(error)) throw error
    return error.code
  } finally {
    await level?.close().catch(() => {})
    await rm(folder, { recursive: true, force: true })
  }
}

async function filesOf(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true })
  const files: string[] = []
  for (const name of names)
    if ((await stat(join(folder, name))).isFile() && !/(LOG|LOG\.old|LOCK)$/.test(name))
      files.push(name)
  return files.sort()
}

describe('a changed byte', () => {
  test('is STATE_CORRUPT in any file of a closed store, or has no effect', async () => {
    const found = new Map<string, number>()
    for (const name of await filesOf(store)) {
      const { size } = await stat(join(store, name))
      // The test changes bytes all over a file, and more of them at its end, which hold the
      // offsets of the rest.
      const step = Math.max(1, Math.floor(size / 12))
      for (let at = 0; at < size; at += size - at < 60 ? 5 : step) {
        const folder = join(base, await copied(store))
        const bytes = await readFile(join(folder, name))
        bytes[at]! ^= 1 << (at % 8)
        await writeFile(join(folder, name), bytes)
        const outcome = await readAll(folder)
        if (typeof outcome === 'string') {
          expect(outcome, `${name} at ${at}`).toBe('STATE_CORRUPT')
          found.set(name, (found.get(name) ?? 0) + 1)
        } else expect(outcome, `${name} at ${at}`).toEqual(expected)
      }
    }
    const kinds = [...found.keys()].map(name => name.replace(/\d+/g, ''))
    for (const kind of [
      'index/CURRENT',
      'index/MANIFEST-',
      'index/.ldb',
      'index/.log',
      'values/.values',
    ])
      expect(kinds).toContain(kind)
  }, 60_000)

  test('in the files of a killed process never gives data that was not written', async () => {
    for (const name of (await filesOf(killed)).filter(name => /\.(ldb|log)$/.test(name))) {
      const { size } = await stat(join(killed, name))
      for (let at = 0; at < size; at += Math.max(1, Math.floor(size / 10))) {
        const folder = join(base, await copied(killed))
        const bytes = await readFile(join(folder, name))
        bytes[at]! ^= 0x10
        await writeFile(join(folder, name), bytes)
        const outcome = await readAll(folder)
        // The end of a log may be a record that was being written; then the last write is missing.
        if (typeof outcome === 'string') expect(outcome, `${name} at ${at}`).toBe('STATE_CORRUPT')
        else if (name.endsWith('.ldb')) expect(outcome, `${name} at ${at}`).toEqual(expected)
        else expect([80, 40, 0]).toContain(outcome.size)
      }
    }
  }, 60_000)
})

describe('a file', () => {
  test.each(['CURRENT', 'MANIFEST', 'ldb', 'log'])(
    '%s that is missing from a closed store is STATE_CORRUPT',
    async kind => {
      const folder = join(base, await copied(store))
      const name = (await readdir(join(folder, 'index'))).find(other => other.includes(kind))!
      await unlink(join(folder, 'index', name))
      expect(await readAll(folder)).toBe('STATE_CORRUPT')
    },
  )

  test.each(['MANIFEST', 'ldb', 'log'])(
    '%s that is cut in a closed store is STATE_CORRUPT',
    async kind => {
      const folder = join(base, await copied(store))
      const name = (await readdir(join(folder, 'index'))).find(other => other.includes(kind))!
      const path = join(folder, 'index', name)
      await truncate(path, (await stat(path)).size - 3)
      expect(await readAll(folder)).toBe('STATE_CORRUPT')
    },
  )

  test('that LevelDB does not name is ignored, and so is the cut last record of a log, because a crash leaves both', async () => {
    const folder = join(base, await copied(killed))
    const index = join(folder, 'index')
    await writeFile(join(index, '000999.ldb'), 'a table that was not finished')
    const log = (await readdir(index)).find(name => name.endsWith('.log'))!
    await appendFile(join(index, log), Buffer.from([1, 2, 3, 4, 200, 0, 1, 5, 6, 7]))
    await expect(checkLevelFiles(index)).resolves.toBeUndefined()
    expect(await readAll(folder)).toEqual(expected)
  })
})

test('a marker that was cut off is ignored', async () => {
  const folder = join(base, await copied(store))
  await truncate(join(folder, 'closed.json'), 20)
  expect(await readAll(folder)).toEqual(expected)
})
