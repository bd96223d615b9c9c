// Runs of a larger category in processes of their own, killed at random moments, twice on their way.
// `npm run test:crash` has 200 of them, `npm test` a few.

import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildWorker, CrashShop, dropFolder, ended, type FolderContent, newFolder } from './crash-shop'

const ALL = process.env.FEEDMILL_CRASH === 'all'
const ROUNDS = ALL ? 200 : 1
const HOUR_MS = 3_600_000
const START = new Date('2026-03-01T07:00:00Z')
const SHARES = { pieceBytes: 100_000, chunkBytes: 100_000, windowBytes: 400_000, commitBytes: 300_000, readBytes: 30_000 }

let shop: CrashShop
let whole: FolderContent
/** How long a run takes that nobody kills. */
let wholeMs = 0

beforeAll(async () => {
  const world = { seed: 6, items: ALL ? 4_000 : 800, churn: 20, start: START, hours: 48 }
  shop = await CrashShop.open(await buildWorker(), { world, bootstrapAt: START }, +START + 7 * HOUR_MS, SHARES)
  for (let round = 0; round < 2; round++) {
    const folder = await newFolder()
    const startedAt = performance.now()
    const { isDone, output } = await shop.run(folder)
    wholeMs = performance.now() - startedAt
    expect([isDone, output]).toEqual([true, output])
    const content = await shop.contentOf(folder)
    // Two runs that nobody killed are the same.
    if (round > 0) expect(content).toEqual(whole)
    whole = content
    await dropFolder(folder)
  }
}, 120_000)
afterAll(() => shop?.close())

async function killed(folder: string, afterMs: number): Promise<boolean> {
  const child = shop.start(folder)
  const end = ended(child)
  await Promise.race([wait(afterMs), end])
  child.kill('SIGKILL')
  return !(await end).isDone
}

test('fault 77: killed at random moments, the next run ends with the same', async () => {
  let kills = 0
  for (let round = 0; round < ROUNDS; round++) {
    const folder = await newFolder()
    // Spread over the whole run; the second one goes on with what the first one left.
    const moments = [((round + Math.random()) / ROUNDS) * wholeMs, Math.random() * wholeMs]
    for (const afterMs of moments) if (await killed(folder, afterMs)) kills++
    const { isDone, output } = await shop.run(folder)
    expect([moments, isDone, output]).toEqual([moments, true, output])
    expect([moments, await shop.contentOf(folder)]).toEqual([moments, whole])
    await dropFolder(folder)
  }
  expect(kills).toBeGreaterThan(0)
}, 3_600_000)
