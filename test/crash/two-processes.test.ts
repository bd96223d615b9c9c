// Two processes that use one state folder.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { openState } from '../../src/sync/read/open-state'
import { buildWorker, CrashShop, dropFolder, ended, itemsDigest, newFolder } from './crash-shop'

const START = new Date('2026-03-01T07:00:00Z')
let shop: CrashShop

beforeAll(async () => {
  const world = { seed: 6, items: 60, start: START, hours: 48 }
  shop = await CrashShop.open(
    await buildWorker(),
    { world, bootstrapAt: START },
    +START + 5 * 3_600_000,
  )
}, 60_000)
afterAll(() => shop?.close())

test('fault 83: one of two processes that start together is refused with its code, and the other ends well', async () => {
  const folder = await newFolder()
  const runs = [shop.start(folder), shop.start(folder)].map(ended)
  const ends = await Promise.all(runs)
  // The processes may also have run one after the other.
  for (const { isDone, output } of ends) if (!isDone) expect(output).toContain('STATE_LOCKED')
  expect(ends.some(({ isDone }) => isDone)).toBe(true)
  expect(Object.keys(await shop.contentOf(folder)).filter(name => name.startsWith('lock'))).toEqual(
    [],
  )
  await dropFolder(folder)
}, 60_000)

test('fault 83: a stalled process keeps the folder, and the next one gets it after a kill', async () => {
  const folder = await newFolder()
  const first = await shop.startStopped(folder, 'fetching')
  const firstEnd = ended(first)
  const second = await shop.run(folder)
  expect([second.isDone, second.output.includes('STATE_LOCKED')]).toEqual([false, true])
  first.kill('SIGKILL')
  expect((await firstEnd).isDone).toBe(false)
  expect((await shop.run(folder)).isDone).toBe(true)
  await dropFolder(folder)
}, 60_000)

test('a reader reads beside a stalled writer, and sees the same when another one has ended', async () => {
  const folder = await newFolder()
  const writer = await shop.startStopped(folder, 'done')
  const end = ended(writer)
  const state = await openState(folder)
  const [category] = state.categories
  const before = [category!.files, await itemsDigest(category!)]
  writer.kill('SIGKILL')
  await end
  expect((await shop.run(folder)).isDone).toBe(true)
  expect([category!.files, await itemsDigest(category!)]).toEqual(before)
  await state.close()
  const later = await openState(folder)
  const [now] = later.categories
  expect(now!.files.slice(0, category!.files.length)).toEqual(category!.files)
  expect(now!.files.length).toBeGreaterThan(category!.files.length)
  await later.close()
  await dropFolder(folder)
}, 60_000)
