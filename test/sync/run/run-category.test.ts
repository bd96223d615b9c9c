// One category as a unit of work for any engine.

import { rmSync } from 'node:fs'
import { afterEach, expect, test } from 'vitest'
import { runCategory } from '../../../src/sync/run/run-category'
import type { SyncOptions } from '../../../src/sync/sync-options'
import { emulated } from '../../service/emulated'
import { SmallFeed, timeOf } from '../source/small-feed'
import { MemoryPlace, memoryTarget } from '../target/memory-target'

type Job = Omit<SyncOptions, 'categories'>
const START = new Date('2026-03-01T07:00:00Z')
const CATEGORY = '220'
const HOUR_MS = 3_600_000
const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

function job(hours: number, place = new MemoryPlace()): { job: Job; sent: string[] } {
  const now = new Date(+START + hours * HOUR_MS)
  const world = { seed: 3, items: 30, churn: 20, start: START, hours: 48 }
  const { service, emulator, sent } = emulated({
    emulator: { world, bootstrapAt: START, now },
    service: { now },
  })
  closing.push(() => emulator.close())
  const target = memoryTarget(place)
  const options = { retry: { patienceMs: 4, backoffBaseMs: 0, backoffCapMs: 1 } }
  return { job: { service, target, marketplace: 'MKT_US', ...options }, sent }
}

test('a repeated call does nothing, and says the same about the next file', async () => {
  const { job: once, sent } = job(5.3)
  const first = await runCategory(CATEGORY, once)
  expect(first.files).toBeGreaterThan(4)
  expect(first.rows).toBeGreaterThan(30)
  expect([first.failed, first.missing, first.gone]).toEqual([[], [], []])
  const requests = sent.length
  const again = await runCategory(CATEGORY, once)
  expect(again).toEqual({ ...first, files: 0, rows: 0 })
  expect(sent.length).toBe(requests)
})

test('a call at `nextAt` has a new file, and one just before it has none', async () => {
  const place = new MemoryPlace()
  const { nextAt, watermark } = await runCategory(CATEGORY, job(5.3, place).job)
  const hours = (Number(nextAt) - +START) / HOUR_MS
  const early = await runCategory(CATEGORY, job(hours - 1e-6, place).job)
  expect([early.files, early.watermark]).toEqual([0, watermark])
  const due = await runCategory(CATEGORY, job(hours, place).job)
  expect(due.files).toBe(1)
  expect(Number(due.watermark)).toBeGreaterThan(Number(watermark))
})

test('a missing file is asked for again after `pollMs`', async () => {
  // No bootstrap is there yet.
  const { job: early } = job(-100)
  const { missing, nextAt, watermark } = await runCategory(CATEGORY, { ...early, pollMs: 7_000 })
  expect([missing.length > 0, watermark]).toEqual([true, undefined])
  expect(Number(nextAt)).toBe(+START - 100 * HOUR_MS + 7_000)
})

test('no file is to come where `until` is reached', async () => {
  const until = new Date(+START + 2 * HOUR_MS)
  // The priority file of the day before the bootstrap is there on the second day.
  const { watermark, nextAt } = await runCategory(CATEGORY, { ...job(40).job, until })
  expect([watermark, nextAt]).toEqual([until, undefined])
})

test('two calls at a time: one works, and the other is refused', async () => {
  const place = new MemoryPlace()
  const { job: once } = job(5, place)
  const calls = await Promise.allSettled([runCategory(CATEGORY, once), runCategory(CATEGORY, once)])
  expect(calls.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  const refused = calls.find(({ status }) => status === 'rejected')
  expect(refused).toMatchObject({ reason: { code: 'STATE_LOCKED' } })
})

test("a feed of one's own is brought up to its list, and says when to look for what is not there", async () => {
  const feed = new SmallFeed()
  const row = { sku: 'A', revision: 1, gone: false, title: 'one' }
  feed.add({ kind: 'full', minute: 0, rows: [row, { ...row, sku: 'B' }] })
  const target = memoryTarget(new MemoryPlace())
  const first = await runCategory(feed.source(), { target })
  expect(first).toEqual({
    ...{ marketplace: 'own', categoryId: 'stock', watermark: timeOf(0), files: 1, rows: 2 },
    ...{ failed: [], missing: [], gone: [], nextAt: undefined },
  })
  expect(await runCategory(feed.source(), { target })).toEqual({ ...first, files: 0, rows: 0 })
  const { from, id } = feed.add({ kind: 'changes', minute: 1, rows: [{ ...row, revision: 2 }] })
  rmSync(String(from))
  const before = Date.now()
  const failing = await runCategory(feed.source(), { target, pollMs: 7_000 })
  expect(failing.failed.map(({ error: { code } }) => code)).toEqual(['SYNC_FILE_FAILED'])
  expect(failing.missing).toMatchObject([{ id }])
  expect(Number(failing.nextAt)).toBeGreaterThanOrEqual(before + 7_000)
  expect(failing.watermark).toEqual(first.watermark)
})

test.each([
  ['source', null],
  ['source.name', { name: 'a b' }],
  ['categories', undefined],
])('a wrong %s is refused', async (option, wrong) => {
  const target = memoryTarget(new MemoryPlace())
  const options = option === 'categories' ? job(5).job : { target }
  await expect(runCategory(wrong as never, options)).rejects.toMatchObject({
    code: 'OPTION_INVALID',
    context: { option },
  })
})

test.each([
  ['folder', '220', { target: undefined }],
  ['folder', '220', { folder: 'x' }],
  ['categories', '', {}],
])('a wrong %s is refused', async (option, categoryId, wrong) => {
  const once = { ...job(5).job, ...wrong } as Job
  await expect(runCategory(categoryId, once)).rejects.toMatchObject({
    code: 'OPTION_INVALID',
    context: { option },
  })
})
