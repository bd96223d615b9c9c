// Worlds with every kind of change behind a service with every fault. A synchronisation ends with
// the true state of the world at the watermark, in whatever order files arrive.
// Long: it synchronises many worlds with every fault.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { EmulatorOptions } from '../../src/emulator'
import { FAULT_KINDS } from '../../src/emulator/faults/fault'
import type { World } from '../../src/emulator/world/world'
import type { DurableFiles } from '../../src/engine/disk/durable-files'
import { FileRows } from '../../src/sync/file/file-rows'
import { type Environment, machineEnvironment } from '../../src/sync/folder/environment'
import { type StatePaths, statePaths } from '../../src/sync/folder/state-paths'
import { openState } from '../../src/sync/read/open-state'
import type { SyncSummary } from '../../src/sync/run/sync-events'
import { CategoryRuns } from '../../src/sync/runs/category-runs'
import { CategoryView } from '../../src/sync/runs/category-view'
import type { SyncOptions } from '../../src/sync/sync-options'
import type { AppliedFile } from '../../src/sync/target/target'
import { SimulatedMachine } from './simulated-machine'
import { DAY_MS, FOLDER, HOUR_MS, SmallShop } from './small-run'

const START = new Date('2026-03-01T07:00:00Z')
const CATEGORIES = ['220', '15032']
const CATEGORY = { marketplace: 'MKT_US', categoryId: '220' }
/** `npm run test:crash` takes all seeds. */
const SEEDS = Array.from(
  { length: process.env.FEEDMILL_CRASH === 'all' ? 20 : 1 },
  (_, seed) => seed,
)

/** A time in the middle of a day, when the bootstrap is two days old. */
const FIRST_MS = +START + 2 * DAY_MS + 10 * HOUR_MS
/** Two days later, when the service has daily and priority files from after the bootstrap. */
const SECOND_MS = FIRST_MS + 2 * DAY_MS

/** An odd seed has a market. */
function shopOf(seed: number, options: Partial<EmulatorOptions> = {}): SmallShop {
  const shape = seed % 2 === 0 ? ('plain' as const) : ('market' as const)
  const spans = { start: START, hours: 120 }
  const world = { seed, shape, items: 30, churn: 40, ...spans, categories: CATEGORIES }
  return new SmallShop({ world, bootstrapAt: 'daily', ...options }, FIRST_MS)
}

/** Small ranges without pauses give many requests and many faults. */
const TROUBLED: Partial<SyncOptions> = {
  categories: CATEGORIES,
  parallelFiles: 3,
  retry: { patienceMs: 7 },
  changes: 'none',
  keepFileBytes: 0,
  ranges: {
    chunkBytes: 400,
    windowBytes: 1_600,
    idleMs: 80,
    retry: { patienceMs: 400, backoffBaseMs: 0, backoffCapMs: 1, retryAfterCapMs: 2 },
  },
}

interface Reached {
  readonly watermark: Date | undefined
  readonly rows: readonly (readonly string[])[]
}

async function reachedIn(
  environment: Environment,
  folder: string,
  world: World,
  categoryId: string,
  nowMs: number,
): Promise<Reached> {
  const state = await openState(folder, { environment })
  try {
    const category = state.categories.find(found => found.categoryId === categoryId)!
    const rows: string[][] = []
    for await (const block of category.items())
      for (const { row } of block) rows.push(world.itemColumns.map(name => row.text(name)))
    return { watermark: category.plan(new Date(nowMs)).watermark, rows }
  } finally {
    await state.close()
  }
}

function truthAt(
  world: World,
  time: Date | undefined,
  categoryId: string,
): readonly (readonly string[])[] {
  return time === undefined
    ? []
    : Array.from(world.truthAt(time, { categoryId }), ({ cells }) => [...cells])
}

/** Returns the end of the newest hour whose snapshot the service has. */
function newestHour(nowMs: number): number {
  return Math.floor(nowMs / HOUR_MS) * HOUR_MS - HOUR_MS
}

/**
 * Returns the watermark that a category can reach: the first hour that the service could not give.
 */
function reachable(
  { failed, categories }: SyncSummary,
  categoryId: string,
  nowMs: number,
): number | undefined {
  const files = [...failed.map(({ file }) => file), ...categories.flatMap(({ missing }) => missing)]
  const lost = files.filter(file => file.categoryId === categoryId)
  if (lost.some(file => file.feed === 'item' && file.scope === 'ALL_ACTIVE')) return undefined
  return Math.min(
    newestHour(nowMs),
    ...lost.map(file =>
      file.feed === 'item_snapshot' ? Date.parse(file.hour) : Number.POSITIVE_INFINITY,
    ),
  )
}

async function expectTruth(
  machine: SimulatedMachine,
  shop: SmallShop,
  summary: SyncSummary,
): Promise<void> {
  const { world } = shop.emulator
  for (const categoryId of CATEGORIES) {
    const { watermark, rows } = await reachedIn(
      machine.start(),
      FOLDER,
      world,
      categoryId,
      shop.nowMs,
    )
    expect(watermark?.getTime()).toBe(reachable(summary, categoryId, shop.nowMs))
    expect(rows).toEqual(truthAt(world, watermark, categoryId))
  }
}

describe('a synchronisation ends with the truth at its watermark', () => {
  test.each(SEEDS)(
    'seed %i, with every fault at 5%, later, and when the faults have passed',
    async seed => {
      const machine = new SimulatedMachine(seed)
      const troubled = shopOf(seed, { faults: { rate: 0.05, seed, kinds: FAULT_KINDS } })
      for (const nowMs of [FIRST_MS, SECOND_MS]) {
        troubled.nowMs = nowMs
        await expectTruth(machine, troubled, await troubled.sync(machine.start(), TROUBLED).summary)
      }
      expect(troubled.emulator.faults.log.length).toBeGreaterThan(30)
      expect(
        new Set(troubled.emulator.faults.log.map(({ fault }) => fault.split(';')[0])).size,
      ).toBeGreaterThan(8)
      await troubled.close()

      const sound = shopOf(seed)
      sound.nowMs = SECOND_MS
      const summary = await sound.sync(machine.start(), TROUBLED).summary
      expect([summary.failed, summary.categories.map(({ missing }) => missing)]).toEqual([
        [],
        [[], []],
      ])
      await expectTruth(machine, sound, summary)
      const feeds = (await ledgerOf(machine)).map(({ id }) => id.feed)
      expect(new Set(feeds)).toEqual(
        new Set(['item', 'item_group', 'item_snapshot', 'item_priority']),
      )
      await sound.close()
    },
    180_000,
  )

  test('on the disk', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'feedmill-truth-'))
    const shop = shopOf(21, { faults: { rate: 0.05, seed: 21 } })
    const summary = await shop.sync(machineEnvironment, { ...TROUBLED, folder }).summary
    expect(summary.failed).toEqual([])
    for (const categoryId of CATEGORIES) {
      const { watermark, rows } = await reachedIn(
        machineEnvironment,
        folder,
        shop.emulator.world,
        categoryId,
        shop.nowMs,
      )
      expect(watermark?.getTime()).toBe(newestHour(FIRST_MS))
      expect(rows).toEqual(truthAt(shop.emulator.world, watermark, categoryId))
    }
    await rm(folder, { recursive: true })
    await shop.close()
  }, 180_000)
})

async function ledgerOf(machine: SimulatedMachine) {
  const state = await openState(FOLDER, { environment: machine.start() })
  const files = state.categories.flatMap(category => category.files)
  await state.close()
  return files
}

test('fault 123: a first run has the priorities of all days, those before the bootstrap too', async () => {
  const shop = shopOf(2)
  const machine = new SimulatedMachine(2)
  await shop.sync(machine.start(), { categories: ['220'], changes: 'none' }).summary
  const state = await openState(FOLDER, { environment: machine.start() })
  const payloads: [string, string][] = []
  for await (const block of state.categories[0]!.items())
    for (const { row, priority } of block)
      payloads.push([row.text('itemId'), priority?.text('priorityListingPayload') ?? ''])
  await state.close()
  const truth = shop.truePayloads('220', shop.nowMs)
  expect(payloads).toEqual(payloads.map(([itemId]) => [itemId, truth.get(itemId) ?? '']))
  expect(payloads.filter(([, payload]) => payload !== '').length).toBeGreaterThan(0)
  await shop.close()
})

describe('the state does not depend on how the files came', () => {
  test('whether they are delayed, and some missing at each poll', async () => {
    const shop = shopOf(4, { faults: { rate: 0.3, seed: 4, kinds: ['404', '500', '503'] } })
    const machine = new SimulatedMachine(4)
    const ranges = { ...TROUBLED.ranges, retry: { ...TROUBLED.ranges?.retry, patienceMs: 0 } }
    const options = { ...TROUBLED, retry: { patienceMs: 0 }, ranges }
    for (let nowMs = FIRST_MS; nowMs < SECOND_MS; nowMs += 5 * HOUR_MS) {
      shop.nowMs = nowMs
      await expectTruth(machine, shop, await shop.sync(machine.start(), options).summary)
    }
    await shop.close()
    const sound = shopOf(4)
    sound.nowMs = SECOND_MS
    await expectTruth(machine, sound, await sound.sync(machine.start(), TROUBLED).summary)
    await sound.close()
  }, 180_000)

  test('whether they are shuffled and repeated', async () => {
    const shop = shopOf(9)
    const machine = new SimulatedMachine(9)
    shop.nowMs = FIRST_MS
    const options: Partial<SyncOptions> = { categories: ['220'], changes: 'none' }
    await shop.sync(machine.start(), options).summary
    shop.nowMs = SECOND_MS
    await shop.sync(machine.start(), options).summary
    const { files } = machine.start()
    const paths = statePaths(FOLDER)
    const inOrder = (await CategoryView.open(files, paths.runsOf(CATEGORY)))!
    const expected = await itemsOf(inOrder)
    expect(expected.length).toBeGreaterThan(10)
    const twice = [...inOrder.files, ...inOrder.files.slice(0, 20)]
    await inOrder.close()
    const all = fc.shuffledSubarray(twice, { minLength: twice.length })
    await fc.assert(
      fc.asyncProperty(all, async order => {
        const other = new SimulatedMachine(0).start().files
        const runs = await CategoryRuns.open(CATEGORY, {
          files: other,
          folder: FOLDER,
          sortBytes: 1 << 20,
        })
        for (const entry of order) await runs.apply(keptFile(files, paths, entry))
        await runs.close()
        const view = (await CategoryView.open(other, FOLDER))!
        expect(await itemsOf(view)).toEqual(expected)
        await view.close()
      }),
      { numRuns: 6 },
    )
    await shop.close()
  }, 180_000)
})

/** An applied file, as a run gave it to the state folder that keeps its bytes. */
function keptFile(
  files: DurableFiles,
  paths: StatePaths,
  { id, totalBytes, lastModified }: AppliedFile,
): FileRows {
  const identity = { totalBytes, ...(lastModified && { lastModified }) }
  return new FileRows(
    { id, identity },
    {
      open: async () => (await files.open(paths.keptFile(id)))!,
      maxRemovedShare: 1,
      signal: new AbortController().signal,
    },
  )
}

async function itemsOf(view: CategoryView): Promise<string[]> {
  const items: string[] = []
  for await (const block of view.items()) {
    for (const { row, priority, group, version } of block) {
      items.push(
        JSON.stringify([row.toStrings(), version, priority?.toStrings(), group?.toStrings()]),
      )
    }
  }
  return items
}
