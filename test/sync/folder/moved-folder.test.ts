// A folder that is moved under a run that follows, and that a second run takes where it was.

import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { defineSchema, text } from '../../../src/index'
import { type SourceFile, type SyncRun, sync } from '../../../src/sync'

let place: string
let stop: AbortController
const runs: SyncRun[] = []
beforeEach(async () => {
  place = await mkdtemp(join(tmpdir(), 'feedmill-moved-'))
  stop = new AbortController()
})
afterEach(async () => {
  stop.abort()
  await Promise.allSettled(runs.splice(0).map(({ summary }) => summary))
  await rm(place, { recursive: true })
})

const schema = defineSchema({ name: 'stock', columns: { sku: text(), stock: text() } })

/** The files that a run is told of. */
class List {
  readonly files: SourceFile[] = []

  async add(sku: string): Promise<void> {
    const n = this.files.length
    const from = join(place, `${n}-${sku}.csv`)
    await writeFile(from, `sku,stock\n${sku},${n}\n`)
    const time = new Date(Date.UTC(2026, 2, 1, n))
    this.files.push({ id: `${n}`, from, kind: n === 0 ? 'full' : 'changes', time })
  }

  follow(folder: string): SyncRun {
    const { signal } = stop
    const source = {
      name: 'stock',
      schema,
      key: 'sku',
      dialect: { delimiter: ',' },
      files: () => this.files,
    } as const
    const run = sync({ source, folder, mode: 'follow', pollMs: 5, signal })
    runs.push(run)
    return run
  }
}

async function untilApplied(run: SyncRun, files: number): Promise<void> {
  let applied = 0
  const events = run[Symbol.asyncIterator]()
  while (applied < files) {
    const { value, done } = await events.next()
    if (done) throw new Error('the run has ended')
    if (value.type === 'done') applied++
  }
}

async function contentOf(folder: string): Promise<Map<string, string>> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = names.filter(name => name.isFile()).map(name => join(name.parentPath, name.name))
  return new Map(
    paths
      .filter(path => !path.includes(`${folder}/lock/`))
      .sort()
      .map(path => [path, readFileSync(path, 'latin1')]),
  )
}

test.each([
  ['and is not there any more', 'gone'],
  ['and another run writes where it was', 'taken'],
  ['and an empty folder stands where it was', 'empty'],
])('fault 157: a folder is moved under a follower %s: it changes nothing', async (_, what) => {
  const [folder, moved] = [join(place, 'state'), join(place, 'moved')]
  const list = new List()
  await list.add('a')
  const follower = list.follow(folder)
  await untilApplied(follower, 1)
  await rename(folder, moved)
  const before = await contentOf(moved)

  const other = new List()
  await other.add('x')
  if (what === 'empty') await mkdir(folder)
  const second = what === 'taken' ? other.follow(folder) : undefined
  if (second !== undefined) await untilApplied(second, 1)
  const written = what === 'taken' ? await contentOf(folder) : undefined

  await list.add('b')
  await expect(follower.summary).rejects.toMatchObject({
    code: 'STATE_LOCKED',
    message: expect.stringContaining('it was moved or replaced'),
    context: { path: folder },
  })
  expect(await contentOf(moved)).toEqual(before)
  if (written !== undefined) expect(await contentOf(folder)).toEqual(written)
  if (what === 'empty') expect(await readdir(folder)).toEqual([])
  if (what === 'gone') expect(await readdir(place)).not.toContain('state')

  // The run that took the place goes on, and the moved folder can be gone on with.
  if (second !== undefined) {
    await other.add('y')
    await untilApplied(second, 1)
  }
  await untilApplied(list.follow(moved), 1)
})

test('fault 157: a moved folder is locked while its follower lives', async () => {
  const [folder, moved] = [join(place, 'state'), join(place, 'moved')]
  const list = new List()
  await list.add('a')
  const follower = list.follow(folder)
  await untilApplied(follower, 1)
  await rename(folder, moved)
  await expect(list.follow(moved).summary).rejects.toMatchObject({ code: 'STATE_LOCKED' })
  await rename(moved, folder)
  await list.add('b')
  await untilApplied(follower, 1)
})
