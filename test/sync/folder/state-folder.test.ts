import { mkdir, mkdtemp, readdir, rename, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openStateFolder } from '../../../src/sync/folder/state-folder'
import { openState } from '../../../src/sync/read/open-state'
import type { StateOrigin } from '../../../src/sync/target/target'
import { ledgerEntry } from '../ledger-entry'

let parent: string
let folder: string
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'feedmill-folder-'))
  folder = join(parent, 'state')
})
afterEach(() => rm(parent, { recursive: true }))

const ORIGIN: StateOrigin = { marketplace: 'MKT_US', service: 'https://service.test' }
const open = (origin: StateOrigin | undefined = ORIGIN) =>
  openStateFolder({ folder, origin, storeBytes: 16 << 20 })
const ID = {
  feed: 'item',
  marketplace: 'MKT_US',
  categoryId: '220',
  scope: 'ALL_ACTIVE',
  generation: '2026-03-01T00:00:00.000Z',
} as const

/** A folder with one category, in which one file was applied unless `applied` is false. */
async function newState({ applied = true } = {}): Promise<void> {
  const state = await open()
  const category = await state.category({ marketplace: 'MKT_US', categoryId: '220' })
  if (applied) await category.commit(ledgerEntry(ID))
  await state.close()
}

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'none',
    error => error.code,
  )
async function expectCorrupt(reason: string | RegExp): Promise<void> {
  for (const work of [() => openState(folder), open]) {
    const error = await work().catch(failure => failure)
    expect(error).toMatchObject({
      code: 'STATE_CORRUPT',
      context: { reason: expect.stringMatching(reason) },
    })
    expect(error.message).toMatch(
      /; restore the whole folder of the state from a copy, or delete it and begin anew$/,
    )
  }
}

describe('fault 94: a store that is missing beside its marker', () => {
  test('a store that is missing beside its marker is STATE_CORRUPT for readers and runs, and is not made again', async () => {
    await newState()
    await rm(join(folder, 'store'), { recursive: true })
    await expectCorrupt('the store is missing')
    expect(await readdir(folder)).not.toContain('store')
  })

  test.each(['index', 'values'])('a store without its %s is STATE_CORRUPT', async part => {
    await newState()
    await rm(join(folder, 'store', part), { recursive: true })
    await expectCorrupt(/missing/)
  })

  test('a store without its marker is STATE_CORRUPT', async () => {
    await newState()
    await rm(join(folder, 'state.json'))
    await expectCorrupt(/state\.json is missing/)
    expect(await readdir(folder)).not.toContain('state.json')
  })

  test('kept files without their marker and store are STATE_CORRUPT', async () => {
    await mkdir(join(folder, 'files'), { recursive: true })
    expect(await codeOf(open())).toBe('STATE_CORRUPT')
  })

  test('an empty marker is STATE_CORRUPT', async () => {
    await newState()
    await truncate(join(folder, 'state.json'))
    await expectCorrupt('it is empty')
  })

  test('a run continues the folder of a first run that died before it wrote the marker', async () => {
    await newState({ applied: false })
    await rename(join(folder, 'state.json'), join(folder, 'state.json.new'))
    await rm(join(folder, 'store', 'values'), { recursive: true })
    const state = await open()
    expect(state.categories).toEqual([])
    await state.close()
    await (await openState(folder)).close()
  })

  test('a folder of another kind with the name store stays unchanged', async () => {
    await mkdir(join(folder, 'store', 'shelf'), { recursive: true })
    await writeFile(join(folder, 'store', 'shelf', 'a'), '')
    expect([await codeOf(open()), await codeOf(openState(folder))]).toEqual([
      'STATE_FOREIGN',
      'STATE_FOREIGN',
    ])
    expect(await readdir(join(folder, 'store'))).toEqual(['shelf'])
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
    expect([state.origin, state.categories, await readdir(folder)]).toEqual([
      other,
      [],
      ['lock', 'state.json', 'store'],
    ])
    await state.close()
    const again = await openState(folder)
    expect([again.origin, again.categories]).toEqual([other, []])
    await again.close()
  })
})
