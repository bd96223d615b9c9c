// Runs of a larger category in processes of their own, each killed at two random moments, beside
// readers. `npm run test:crash` makes 200 of them, and `npm test` a few.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openState } from '../../src/sync/read/open-state'
import {
  buildWorker,
  CrashShop,
  dropFolder,
  ended,
  type FolderContent,
  itemsDigest,
  newFolder,
} from './crash-shop'

const ALL = process.env.FEEDMILL_CRASH === 'all'
const ROUNDS = ALL ? 200 : 1
const HOUR_MS = 3_600_000
const START = new Date('2026-03-01T07:00:00Z')
const SHARES = {
  pieceBytes: 100_000,
  chunkBytes: 100_000,
  windowBytes: 400_000,
  sortBytes: 300_000,
}

let shop: CrashShop
let whole: FolderContent
/** Number of lines that an undisturbed run prints. */
let wholeLines = 0

beforeAll(async () => {
  const world = { seed: 6, items: ALL ? 4_000 : 800, churn: 20, start: START, hours: 48 }
  shop = await CrashShop.open(
    await buildWorker(),
    { world, bootstrapAt: START },
    +START + 7 * HOUR_MS,
    SHARES,
  )
  for (let round = 0; round < 2; round++) {
    const folder = await newFolder()
    const { isDone, output } = await shop.run(folder)
    wholeLines = output.split('\n').length - 1
    expect([isDone, output]).toEqual([true, output])
    const content = await shop.contentOf(folder)
    // Two undisturbed runs are the same.
    if (round > 0) expect(content).toEqual(whole)
    whole = content
    itemsOf.set(content['ledger 220']!, content['items 220']!)
    await dropFolder(folder)
  }
}, 120_000)
afterAll(() => shop?.close())

/**
 * Starts a run and kills it after its line with the given number. The run continues until the
 * signal arrives, so the kill comes anywhere between two lines. Lines are counted and not
 * milliseconds, so that the kill comes during the run on a busy machine too.
 */
async function killed(folder: string, afterLines: number): Promise<boolean> {
  const child = shop.start(folder)
  const end = ended(child)
  let lines = 0
  child.stdout?.on('data', (part: Buffer) => {
    lines += part.toString().split('\n').length - 1
    if (lines >= afterLines) child.kill('SIGKILL')
  })
  let isEnded = false
  const reading = (async () => {
    for (; !isEnded; await setTimeout(5))
      if (existsSync(join(folder, 'state.json'))) await read(folder)
  })()
  const { isDone } = await end
  isEnded = true
  await reading
  await read(folder)
  return !isDone
}

/** The items of each ledger that a reader has seen. */
const itemsOf = new Map<string, string>()

/** Checks that a reader sees what some applied files have left, and nothing else. */
async function read(folder: string): Promise<void> {
  const state = await openState(folder)
  for (const category of state.categories) {
    const ledger = JSON.stringify(category.files)
    const items = await itemsDigest(category)
    expect([ledger, items]).toEqual([ledger, itemsOf.get(ledger) ?? items])
    itemsOf.set(ledger, items)
    expect(whole['ledger 220']).toContain(ledger.slice(0, -1))
  }
  await state.close()
}

test('fault 77: a run is killed at random moments, and the next run ends with the same state', async () => {
  let kills = 0
  for (let round = 0; round < ROUNDS; round++) {
    const folder = await newFolder()
    // The first kill may come anywhere in the run. The second run may be nearly complete when it is
    // killed.
    const lines = [
      Math.ceil(((round + Math.random()) / ROUNDS) * 0.8 * wholeLines),
      Math.ceil(Math.random() * wholeLines),
    ]
    for (const afterLines of lines) if (await killed(folder, afterLines)) kills++
    const { isDone, output } = await shop.run(folder)
    expect([lines, isDone, output]).toEqual([lines, true, output])
    expect([lines, await shop.contentOf(folder)]).toEqual([lines, whole])
    await dropFolder(folder)
  }
  expect(kills).toBeGreaterThanOrEqual(ROUNDS)
}, 3_600_000)
