// A state folder keeps the laws of a target, and is recognised whatever is missing of it.
// Long: it synchronises several worlds with faults.

import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  truncate,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { objectWithInvalid } from '../../../src/engine/codec/bad-cells'
import { openState } from '../../../src/sync/read/open-state'
import { openStateFolder } from '../../../src/sync/runs/state-folder'
import type { StateOrigin } from '../../../src/sync/target/target'
import { CATEGORY, hourOf, smallFile } from '../../integrations/postgres/small-file'
import { type PlainItem, type PlainRow, targetLaws } from '../target/target-laws'

/** Memory for sorting that makes several runs of a file. */
const SORT_BYTES = 4_000

targetLaws({
  name: 'state folder',
  seeds: process.env.FEEDMILL_CRASH === 'all' ? Array.from({ length: 20 }, (_, n) => n) : [0, 1],
  newPlace: async () => {
    const folder = await mkdtemp(join(tmpdir(), 'feedmill-folder-'))
    return {
      target: () => ({
        name: folder,
        open: ({ origin }) => openStateFolder({ folder, origin, sortBytes: SORT_BYTES }),
      }),
      items: async ({ categoryId }) => {
        const state = await openState(folder)
        const category = state.categories.find(each => each.categoryId === categoryId)
        const items: PlainItem[] = []
        for await (const block of category!.items()) {
          for (const { row, priority, group } of block)
            items.push({ row: plain(row)!, priority: plain(priority), group: plain(group) })
        }
        await state.close()
        return items
      },
      drop: () => rm(folder, { recursive: true, force: true }),
    }
  },
})

function plain(row: Parameters<typeof objectWithInvalid>[0] | null): PlainRow | null {
  return row === null ? null : JSON.parse(JSON.stringify(objectWithInvalid(row)))
}

let parent: string
let folder: string
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'feedmill-folder-'))
  folder = join(parent, 'state')
})
afterEach(() => rm(parent, { recursive: true }))

const ORIGIN: StateOrigin = { marketplace: 'MKT_US', service: 'https://service.test' }
const open = (origin: StateOrigin | undefined = ORIGIN) =>
  openStateFolder({ folder, origin, sortBytes: SORT_BYTES })

/** A folder with one category, in which one file was applied unless `applied` is false. */
async function newState({ applied = true } = {}): Promise<void> {
  const state = await open()
  const category = await state.category(CATEGORY)
  const text = 'itemId\tavailability\titemSnapshotDate\nv1|1|0\tAVAILABLE\t2026-03-01T00:10:00Z\n'
  if (applied) await category.apply(smallFile(hourOf(0), text))
  await state.close()
}

/** Expects that readers and runs refuse the folder, and returns the two errors. */
async function refusals(): Promise<[reading: Error, writing: Error]> {
  const failureOf = (work: Promise<unknown>) =>
    work.then(
      () => expect.fail('the folder was opened'),
      error => error,
    )
  return [await failureOf(openState(folder)), await failureOf(open())]
}

async function expectCorrupt(reason: string | RegExp): Promise<void> {
  for (const error of await refusals()) {
    expect(error).toMatchObject({
      code: 'STATE_CORRUPT',
      context: { reason: expect.stringMatching(reason) },
    })
    expect(error.message).toMatch(
      /; restore the whole folder of the state from a copy, or delete it and begin anew$/,
    )
  }
}

describe('fault 94: a part that is missing beside the others', () => {
  test.each(['spool', 'files'])(
    'runs that are missing beside the marker and the folder %s are STATE_CORRUPT, and are not made again',
    async part => {
      await newState()
      await mkdir(join(folder, part))
      await rm(join(folder, 'runs'), { recursive: true })
      await expectCorrupt('it is missing beside the marker')
      expect(await readdir(folder)).not.toContain('runs')
    },
  )

  test('a manifest that is missing beside its runs is STATE_CORRUPT', async () => {
    await newState()
    await rm(join(folder, 'runs', 'MKT_US.220', 'manifest.json'))
    const category = async () => {
      const state = await open()
      try {
        return await state.category(CATEGORY)
      } finally {
        await state.close()
      }
    }
    for (const work of [() => openState(folder), category])
      await expect(work()).rejects.toMatchObject({
        code: 'STATE_CORRUPT',
        context: { reason: 'it is missing beside its runs' },
      })
  })

  test('runs without their marker are STATE_CORRUPT', async () => {
    await newState()
    await rm(join(folder, 'state.json'))
    await expectCorrupt(/state\.json is missing/)
    expect(await readdir(folder)).not.toContain('state.json')
  })

  test.each(['files', 'changes', 'quarantine'])(
    'the folder %s without the marker and the runs is STATE_CORRUPT for a run',
    async part => {
      await mkdir(join(folder, part), { recursive: true })
      await expect(open()).rejects.toMatchObject({ code: 'STATE_CORRUPT' })
    },
  )

  test('an empty marker is STATE_CORRUPT', async () => {
    await newState()
    await truncate(join(folder, 'state.json'))
    await expectCorrupt('it is empty')
  })

  test('a run continues the folder of a first run that died before it wrote the marker', async () => {
    await (await open()).close()
    await rename(join(folder, 'state.json'), join(folder, 'state.json.new'))
    await (await open()).close()
    const state = await openState(folder)
    expect([state.origin, state.categories]).toEqual([ORIGIN, []])
    await state.close()
  })
})

describe('a folder of another kind', () => {
  test.each(['store', 'shelf'])('with the name %s in it stays unchanged', async name => {
    await mkdir(join(folder, name), { recursive: true })
    await writeFile(join(folder, name, 'a'), 'text')
    for (const error of await refusals())
      expect(error).toMatchObject({ code: 'STATE_FOREIGN', context: { what: 'content' } })
    expect(await readdir(join(folder, name))).toEqual(['a'])
    expect((await readdir(folder)).filter(each => !/^lock/.test(each))).toEqual([name])
  })

  test('fault 143: that an earlier version has written stays unchanged, and the message says what to do', async () => {
    await mkdir(join(folder, 'store'), { recursive: true })
    const marker = JSON.stringify({ feedmill: 'state', format: 2, ...ORIGIN })
    await writeFile(join(folder, 'state.json'), marker)
    for (const error of await refusals()) {
      expect(error).toMatchObject({
        code: 'STATE_FOREIGN',
        context: { what: 'format', expected: '3', received: '2' },
      })
      expect(error.message).toMatch(/; synchronise into an empty folder, or use the version of /)
    }
    expect(await readFile(join(folder, 'state.json'), 'utf8')).toBe(marker)
    expect((await readdir(folder)).filter(each => !/^lock/.test(each))).toEqual([
      'state.json',
      'store',
    ])
  })
})

describe('a folder of another marketplace', () => {
  const other = { ...ORIGIN, marketplace: 'MKT_DE' }

  test('is refused after a file was applied, and the message says what to do', async () => {
    await newState()
    const error = await open(other).catch(failure => failure)
    expect(error).toMatchObject({
      code: 'STATE_FOREIGN',
      context: { what: 'marketplace', expected: 'MKT_US', received: 'MKT_DE' },
    })
    expect(error.message).toMatch(/; use a folder of its own for each marketplace$/)
  })

  test('is accepted where no file was applied, and the unfinished files are removed', async () => {
    await newState({ applied: false })
    await mkdir(join(folder, 'spool', 'begun'), { recursive: true })
    const state = await open(other)
    expect(await readdir(folder)).toEqual(['lock', 'state.json'])
    await state.close()
    const again = await openState(folder)
    expect([again.origin, again.categories]).toEqual([other, []])
    await again.close()
  })
})
