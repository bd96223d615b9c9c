import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { run } from '../../../src/cli/program'
import { type StateStatus, statusCommand } from '../../../src/cli/sync/status'
import { syncCommand } from '../../../src/cli/sync/sync'
import { defineSchema, text } from '../../../src/index'
import { sync } from '../../../src/sync'
import { HOURS, outcomeOf, served } from '../served'

let at: Awaited<ReturnType<typeof served>>
beforeAll(async () => {
  at = await served()
  await outcomeOf(() =>
    syncCommand({
      ...at.command,
      until: new Date('2026-03-01T02:00:00Z'),
      keepFiles: 1e9,
      changes: true,
    }),
  )
})
afterAll(() => at.close())

const status = async (now: Date) => {
  const { out } = await outcomeOf(() => statusCommand(at.command.state, { now, json: true }))
  expect(out).toHaveLength(1)
  return JSON.parse(out[0]!) as StateStatus
}
const snapshot = (hour: number) => `MKT_US/220/item_snapshot/2026-03-01T0${hour}:00:00.000Z`

test('the status shows watermarks, due files and sizes', async () => {
  const { marketplace, service, sizes, categories } = await status(at.now)
  expect([marketplace, service]).toEqual(['MKT_US', at.command.baseUrl])
  expect(sizes).toEqual({
    store: expect.any(Number),
    spool: 0,
    files: expect.any(Number),
    changes: expect.any(Number),
    quarantine: 0,
  })
  expect(Math.min(sizes!.store, sizes!.files, sizes!.changes)).toBeGreaterThan(1_000)
  expect(categories).toEqual([
    {
      categoryId: '220',
      watermark: '2026-03-01T02:00:00.000Z',
      files: HOURS + 13,
      rowsLeftOut: 0,
      badCells: 0,
      due: { count: 2, first: snapshot(2), last: snapshot(3) },
      lost: { count: 0, first: null, last: null },
      needsBootstrap: [],
      next: { file: snapshot(4), from: '2026-03-01T06:00:00.000Z' },
    },
  ])
})

test('the status shows gaps that are older than the files of the service', async () => {
  const [category] = (await status(new Date('2026-03-08T03:30:00Z'))).categories
  expect(category).toMatchObject({
    lost: { count: 2, first: snapshot(2), last: snapshot(3) },
    needsBootstrap: ['item'],
  })
})

test('the status is printed in words', async () => {
  const words = async (now: Date) =>
    (await outcomeOf(() => statusCommand(at.command.state, { now, json: false }))).out
  const out = await words(at.now)
  expect(out[0]).toBe(`MKT_US of ${at.command.baseUrl}`)
  expect(out[1]).toMatch(
    /^on the disk: store .*B, spool 0 B, files .*B, changes .*B, quarantine 0 B$/,
  )
  expect(out.slice(2)).toEqual([
    'category 220: up to 2026-03-01T02:00:00.000Z, 17 files',
    '  due: 2 files, 220 item_snapshot 2026-03-01T02:00:00.000Z to 220 item_snapshot 2026-03-01T03:00:00.000Z',
    '  next: 220 item_snapshot 2026-03-01T04:00:00.000Z, at 2026-03-01T06:00:00.000Z',
  ])
  const late = await words(new Date('2026-03-08T02:30:00Z'))
  expect(late).toContain('  lost: 220 item_snapshot 2026-03-01T02:00:00.000Z')
  expect(late).toContain('  needs a new bootstrap: item')
})

test('fault 150: a folder before the first run is STATE_MISSING, and left as it is', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'feedmill-status-'))
  try {
    for (const path of [folder, join(folder, 'none')]) {
      const { error } = await outcomeOf(() => statusCommand(path, { json: false }))
      expect(error).toMatchObject({
        code: 'STATE_MISSING',
        message: `${path} has no state yet: run sync into it first, or check the path`,
      })
    }
    expect(readdirSync(folder)).toEqual([])
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('a folder with feeds of your own is shown, and export asks which feed', async () => {
  const folder = join(at.folder, 'own')
  const file = join(at.folder, 'own.tsv')
  writeFileSync(file, 'id\na\n')
  const schema = defineSchema({ name: 'own', columns: { id: text() } })
  const time = new Date('2026-01-01')
  const files = [{ id: 'one', from: file, kind: 'full', time } as const]
  await sync({ source: { name: 'stock', schema, key: 'id', files }, folder }).summary
  const outcome = (...words: string[]) => outcomeOf(() => run(['node', 'feedmill', ...words]))
  const shown = await outcome('status', folder)
  expect(shown.out[0]).toBe('feeds of your own')
  expect(shown.out.slice(2)).toEqual(['category stock: up to 2026-01-01T00:00:00.000Z, 1 files'])
  const category = JSON.parse((await outcome('status', folder, '--json')).out[0]!).categories[0]
  expect(category).toMatchObject({ categoryId: 'stock', files: 1, rowsLeftOut: 0, due: null })
  const { out, err, exitCode } = await outcome('export', '--state', folder)
  expect([out, exitCode]).toEqual([[], 2])
  expect(err.join()).toMatch(/own holds feeds of your own: name one by --source feed.json/)
})

test('an export before the first bootstrap is refused, and makes no empty file', async () => {
  const state = join(at.folder, 'early')
  const until = new Date(at.emulator.world.start.getTime() - 1)
  await outcomeOf(() => syncCommand({ ...at.command, state, until }))
  const target = join(at.folder, 'early.ndjson')
  const words = ['export', '--state', state, '--out', target]
  const { err, exitCode } = await outcomeOf(() => run(['node', 'feedmill', ...words]))
  expect([exitCode, existsSync(target)]).toEqual([1, false])
  expect(err.join()).toMatch(/STATE_MISSING: .*the category 220 has no bootstrap yet: run sync/)
})
