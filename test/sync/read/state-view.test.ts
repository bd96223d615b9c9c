import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { stateIo } from '../../../src/engine/disk/state-errors'
import { type Environment, machineEnvironment } from '../../../src/sync/folder/environment'
import { openStateFolder } from '../../../src/sync/folder/state-folder'
import { type OpenCategory, openState } from '../../../src/sync/read/open-state'
import { ledgerEntry } from '../ledger-entry'
import { HOUR_MS, SmallShop } from '../small-run'

const START = Date.parse('2026-03-01T07:00:00Z')
const HALF = START + 4 * HOUR_MS
const WHOLE = START + 9 * HOUR_MS

const parent = mkdtempSync(join(tmpdir(), 'feedmill-view-'))
const folder = join(parent, 'state')
const shop = new SmallShop(
  {
    world: { seed: 12, items: 40, churn: 40, start: new Date(START), hours: 60 },
    bootstrapAt: new Date(START),
  },
  HALF,
)
const run = (nowMs: number) => {
  shop.nowMs = nowMs
  return shop.sync(machineEnvironment, { folder, changes: 'none' }).summary
}
beforeAll(() => run(HALF))
afterAll(async () => {
  await shop.close()
  rmSync(parent, { recursive: true })
})

async function rowsOf({ items }: { items: OpenCategory['items'] }): Promise<string[][]> {
  const rows: string[][] = []
  for await (const block of items())
    for (const { row } of block)
      rows.push(shop.emulator.world.itemColumns.map(name => row.text(name)))
  return rows
}
const rowsNow = (category: OpenCategory) => rowsOf({ items: () => category.items() })
async function rowsAt(category: OpenCategory, ms: number): Promise<string[][]> {
  const past = await category.asOf(new Date(ms))
  try {
    return await rowsOf(past)
  } finally {
    await past.close()
  }
}
const truthAt = (ms: number) =>
  Array.from(shop.emulator.world.truthAt(new Date(ms)), ({ cells }) => [...cells])
const namesUnder = (path: string) => readdirSync(path, { recursive: true, encoding: 'utf8' }).sort()
const copied = (name: string) => {
  const copy = join(parent, name)
  cpSync(folder, copy, { recursive: true })
  return copy
}

/** An environment whose file system is mounted read-only. */
function readOnly(
  refused: string,
  reason = 'EROFS',
): Environment & { readonly temporary: string[] } {
  const temporary: string[] = []
  async function unlessRefused<T>(
    path: string,
    operation: string,
    action: (path: string) => Promise<T>,
  ): Promise<T> {
    if (path.startsWith(refused)) throw stateIo(path, operation, reason)
    return action(path)
  }
  const { files } = machineEnvironment
  return {
    ...machineEnvironment,
    temporary,
    files: {
      ...files,
      create: path => unlessRefused(path, 'create', files.create),
      makeFolder: path => unlessRefused(path, 'mkdir', files.makeFolder),
      remove: path => unlessRefused(path, 'remove', files.remove),
    },
    lockFolder: path => unlessRefused(path, 'lock', machineEnvironment.lockFolder),
    makeTemporaryFolder: async () => {
      const made = await machineEnvironment.makeTemporaryFolder()
      temporary.push(made)
      return made
    },
  }
}

test('two simultaneous readers in one process keep their state while a run writes', async () => {
  const names = namesUnder(folder).filter(name => !/^(lock|readers)/.test(name))
  const states = await Promise.all([openState(folder), openState(folder)])
  const [first, second] = states.map(({ categories }) => categories[0]!)
  expect(readdirSync(join(folder, 'readers'))).toHaveLength(2)
  expect(
    await Promise.all([
      rowsNow(first!),
      rowsAt(second!, HALF - 3 * HOUR_MS),
      rowsAt(second!, HALF - 2 * HOUR_MS),
    ]),
  ).toEqual([truthAt(HALF - HOUR_MS), truthAt(HALF - 3 * HOUR_MS), truthAt(HALF - 2 * HOUR_MS)])
  expect(namesUnder(folder).filter(name => !/^(lock|readers)/.test(name))).toEqual(names)
  expect((await run(WHOLE)).failed).toEqual([])
  expect(await rowsNow(first!)).toEqual(truthAt(HALF - HOUR_MS))
  expect(await rowsAt(first!, HALF - 2 * HOUR_MS)).toEqual(truthAt(HALF - 2 * HOUR_MS))
  const third = await openState(folder)
  expect(await rowsNow(third.categories[0]!)).toEqual(truthAt(WHOLE - HOUR_MS))
  for (const state of [...states, third]) await state.close()
  expect(readdirSync(join(folder, 'readers'))).toEqual([])
  expect(readdirSync(join(folder, 'lock')).filter(name => name.endsWith('.json'))).toEqual([])
})

test('a reader removes the remains of a killed one, and not those of a running one', async () => {
  const place = (name: string) => join(folder, 'readers', name, 'lock')
  await (await machineEnvironment.lockFolder(place('1-killed'))).release()
  const script = `
    const { ClassicLevel } = require('classic-level')
    require('fs').mkdirSync(process.argv[1], { recursive: true })
    new ClassicLevel(process.argv[1]).open().then(() => { console.log('held'); setInterval(() => {}, 1000) })`
  const reader = spawn(process.execPath, ['-e', script, place('2-runs')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(reader, 'exit')
  await once(reader.stdout, 'data')
  await (await openState(folder)).close()
  expect(readdirSync(join(folder, 'readers'))).toEqual(['2-runs'])
  reader.kill('SIGKILL')
  await ended
  await (await openState(folder)).close()
  expect(readdirSync(join(folder, 'readers'))).toEqual([])
})

test('a reader is refused while a run uses the folder', async () => {
  const writer = await openStateFolder({ folder, storeBytes: 16 << 20 })
  await expect(openState(folder)).rejects.toMatchObject({
    code: 'STATE_LOCKED',
    context: { pid: process.pid },
  })
  await expect(openState(folder, { environment: readOnly(folder) })).rejects.toMatchObject({
    code: 'STATE_LOCKED',
  })
  await writer.close()
  await (await openState(folder)).close()
})

describe('a folder that cannot be written', () => {
  test.each(['EROFS', 'EACCES', 'EPERM'])(
    'is read now and as of an earlier time, by two readers at once: %s',
    async reason => {
      const copy = copied(`read-only-${reason}`)
      const before = namesUnder(copy)
      const environment = readOnly(copy, reason)
      const states = await Promise.all([
        openState(copy, { environment }),
        openState(copy, { environment }),
      ])
      const newest = Number(states[0]!.categories[0]!.plan(new Date(WHOLE)).watermark)
      for (const { categories } of states) {
        expect(await rowsNow(categories[0]!)).toEqual(truthAt(newest))
        expect(await rowsAt(categories[0]!, HALF - 3 * HOUR_MS)).toEqual(
          truthAt(HALF - 3 * HOUR_MS),
        )
      }
      for (const state of states) await state.close()
      expect(namesUnder(copy)).toEqual(before)
      expect(environment.temporary).toHaveLength(2)
      for (const path of environment.temporary) expect(() => readdirSync(path)).toThrow('ENOENT')
    },
  )

  test('with an unfinished file is a typed error that says what to do', async () => {
    const copy = copied('half-applied')
    const state = await openStateFolder({ folder: copy, storeBytes: 16 << 20 })
    const { id } = state.categories[0]!.ledger.entries[0]!
    await state.categories[0]!.commit({ ...ledgerEntry(id), state: 'applying', totalBytes: 1 })
    await state.close()
    const environment = readOnly(copy)
    const opened = await openState(copy, { environment })
    const { problem } = opened.categories[0]!
    expect(() => opened.categories[0]!.items()).toThrow(problem)
    await opened.close()
    expect(problem).toMatchObject({
      code: 'STATE_IO',
      context: { path: copy, operation: 'finish', reason: 'EROFS' },
    })
    expect(problem!.message).toMatch(
      /run feedmill sync, or read the state, once where the folder can be written$/,
    )
    expect(environment.temporary).toHaveLength(1)
    expect(() => readdirSync(environment.temporary[0]!)).toThrow('ENOENT')
  })

  // Permissions do not restrict root, so the test runs as another user.
  test.skipIf(process.platform === 'win32')('because of its permissions is read', async () => {
    const copy = copied('permissions')
    const paths = [copy, ...namesUnder(copy).map(name => join(copy, name))]
    const asRoot = process.geteuid?.() === 0
    chmodSync(parent, 0o755)
    for (const path of paths.toReversed()) chmodSync(path, isFolder(path) ? 0o555 : 0o444)
    if (asRoot) process.seteuid!(65_534)
    try {
      await expect(writeFile(join(copy, 'lock', 'new'), '')).rejects.toMatchObject({
        code: 'EACCES',
      })
      const state = await openState(copy)
      expect((await rowsNow(state.categories[0]!)).length).toBeGreaterThan(10)
      await state.close()
    } finally {
      if (asRoot) process.seteuid!(0)
      for (const path of paths) chmodSync(path, 0o755)
    }
    expect(namesUnder(copy)).toEqual(paths.slice(1).map(path => path.slice(copy.length + 1)))
  })
})

function isFolder(path: string): boolean {
  try {
    readdirSync(path)
    return true
  } catch {
    return false
  }
}
