// The laws of a target of `sync`. Every target runs through them: the one in memory that shows how
// a target is written, and the databases. The oracle is a state folder on a simulated machine over
// the same service, which is itself compared with the true state of the world.

import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import type { EmulatorOptions } from '../../../src/emulator'
import { FAULT_KINDS } from '../../../src/emulator/faults/fault'
import type { Columns } from '../../../src/engine/schema/feed-schema'
import {
  itemGroupSchema,
  itemPrioritySchema,
  itemSnapshotSchema,
} from '../../../src/engine/schema/feed-schemas'
import { type Category, fileIdKey } from '../../../src/sync/file-id'
import { type OpenCategory, openState } from '../../../src/sync/read/open-state'
import { stateItemObject } from '../../../src/sync/read/state-items'
import type { SyncRun } from '../../../src/sync/run/sync'
import type { SyncOptions } from '../../../src/sync/sync-options'
import type { SyncTarget, TargetFile } from '../../../src/sync/target/target'
import type { EmulatedOptions } from '../../service/emulated'
import { badCells, rewritten } from '../../service/rewritten'
import { SimulatedMachine } from '../simulated-machine'
import { DAY_MS, FOLDER, HOUR_MS, SmallShop } from '../small-run'
import { changedTarget, withRows } from './changed-target'

/** A row as JSON would have it, a property for each column. Decimals may be text or numbers. */
export type PlainRow = Readonly<Record<string, unknown>>

export interface PlainItem {
  readonly row: PlainRow
  readonly priority: PlainRow | null
  readonly group: PlainRow | null
}

/** A place for rows, such as a database, of one test. */
export interface TestedPlace {
  /** A target over the place, as a new process would make it. */
  target(): SyncTarget
  /** The items of a category that are not removed, in the order of their identifiers. */
  items(category: Category): Promise<readonly PlainItem[]>
  drop(): Promise<void>
}

const START = new Date('2026-03-01T07:00:00Z')
const CATEGORIES = ['220', '15032']
/** Where nothing depends on a second category, which would double the time of a test. */
const ONE = ['220']
/** The end of a day, so that few hours follow the bootstrap: each file costs a transaction. */
const BOOTSTRAP_AT = new Date(+START + 16 * HOUR_MS)
const FIRST_MS = +BOOTSTRAP_AT + 4 * HOUR_MS
/** When the service has the daily and priority files of the day after the bootstrap. */
const SECOND_MS = +START + 2 * DAY_MS + 10 * HOUR_MS

const TROUBLED: Partial<SyncOptions> = {
  parallelFiles: 3,
  retry: { patienceMs: 7 },
  ranges: {
    chunkBytes: 400,
    windowBytes: 1_600,
    idleMs: 80,
    retry: { patienceMs: 400, backoffBaseMs: 0, backoffCapMs: 1, retryAfterCapMs: 2 },
  },
}

export interface TargetLaws {
  readonly name: string
  readonly seeds: readonly number[]
  newPlace(): Promise<TestedPlace>
}

export function targetLaws({ name, seeds, newPlace }: TargetLaws): void {
  const closing: (() => Promise<void>)[] = []
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close()
  })

  async function opened(): Promise<TestedPlace> {
    const place = await newPlace()
    closing.push(() => place.drop())
    return place
  }

  function shopOf(
    seed: number,
    options: Partial<EmulatorOptions> = {},
    between?: EmulatedOptions['between'],
  ): SmallShop {
    const world = { seed, items: 30, churn: 40, start: START, hours: 72, categories: CATEGORIES }
    const emulator = { world, bootstrapAt: BOOTSTRAP_AT, ...options }
    const shop = new SmallShop(emulator, FIRST_MS, between && { between })
    // Each file costs a transaction.
    shop.limits = { priorityDaysBack: 2 }
    closing.push(() => shop.close())
    return shop
  }

  describe(`${name}: laws of a target`, () => {
    test.each(seeds)(
      'The rows equal the truth, with every fault at 5 % (seed %i).',
      async seed => {
        const place = await opened()
        const categories = process.env.FEEDMILL_CRASH === 'all' ? CATEGORIES : ONE
        const troubled = shopOf(seed, { faults: { rate: 0.05, seed, kinds: FAULT_KINDS } })
        for (troubled.nowMs of [FIRST_MS, SECOND_MS])
          await intoTarget(troubled, place.target(), categories).summary
        const sound = shopOf(seed)
        sound.nowMs = SECOND_MS
        const { failed, categories: results } = await intoTarget(sound, place.target(), categories)
          .summary
        expect([failed, results.flatMap(({ missing }) => missing)]).toEqual([[], []])
        // Faults decide which of the older priority files a run sees.
        await expectStateOf(sound, place, [FIRST_MS, SECOND_MS], categories, withoutPriority)
      },
      180_000,
    )

    test('fault 105: Cells that are not of their type keep no row out, and are counted.', async () => {
      await fc.assert(
        fc.asyncProperty(fc.nat(), async seed => {
          const place = await opened()
          const shop = shopOf(8, {}, rewritten(badCells(seed, TYPED)))
          const { badCells: count, failed } = await intoTarget(shop, place.target()).summary
          const machine = new SimulatedMachine(1)
          const options = { categories: CATEGORIES, changes: 'files' } as const
          const folder = await shop.sync(machine.start(), options).summary
          expect([failed, count > 10, count]).toEqual([[], true, folder.badCells])
          for (const categoryId of CATEGORIES) {
            const items = await place.items({ marketplace: 'MKT_US', categoryId })
            expect(plain(items)).toEqual(plain(await itemsIn(machine, categoryId)))
          }
          const again = await intoTarget(shop, place.target()).summary
          expect([again.files, again.badCells]).toEqual([0, 0])
        }),
        { numRuns: SEEDS_OF_BAD_CELLS },
      )
    }, 60_000)

    test('fault 39: A file that proves damaged while its rows are read leaves nothing, and is fetched again.', async () => {
      const rules = [{ route: '/buy/*', fault: 'bit-flip;after=200;times=3' }]
      const damaged = shopOf(6, { faults: { rules } })
      const place = await opened()
      const run = intoTarget(damaged, place.target(), ONE)
      const [proven, damage]: string[][] = [[], []]
      for await (const event of run) {
        if (event.type === 'proven') proven!.push(fileIdKey(event.file))
        if (event.type === 'retry') damage!.push(event.error.code)
      }
      const sound = await opened()
      const wanted = await intoTarget(shopOf(6), sound.target(), ONE).summary
      const { files, rows, rowsRead, failed } = await run.summary
      expect({ files, rows, rowsRead, failed }).toEqual({
        files: wanted.files,
        rows: wanted.rows,
        rowsRead: wanted.rowsRead,
        failed: [],
      })
      expect([proven!.length, new Set(proven).size]).toEqual([files, files])
      expect(damage!.filter(code => code.startsWith('GZIP_')).length).toBeGreaterThan(0)
      const category = { marketplace: 'MKT_US', categoryId: '220' }
      expect(await place.items(category)).toEqual(await sound.items(category))
    }, 60_000)

    test('A second run finds nothing to do, and a run after the removal of old removals keeps the rows.', async () => {
      const place = await opened()
      const shop = shopOf(3)
      await intoTarget(shop, place.target(), ONE).summary
      const again = await intoTarget(shop, place.target(), ONE).summary
      expect([again.files, again.rows]).toEqual([0, 0])
      const signal = new AbortController().signal
      const target = await place.target().open({ origin: ORIGIN, memoryBytes: 2 ** 26, signal })
      for (const categoryId of ONE) {
        const open = await target.category({ marketplace: 'MKT_US', categoryId })
        await open.forgetRemovals(new Date(FIRST_MS))
      }
      await target.close()
      shop.nowMs = SECOND_MS
      await intoTarget(shop, place.target(), ONE).summary
      await expectStateOf(shop, place, [FIRST_MS, SECOND_MS], ONE)
    }, 60_000)

    test('Files that arrive in another order, and again, give the same rows.', async () => {
      const place = await opened()
      const shop = shopOf(5)
      const kept: TargetFile[] = []
      await intoTarget(shop, recording(place.target(), kept), ONE).summary
      const other = await opened()
      const signal = new AbortController().signal
      const target = await other.target().open({ origin: ORIGIN, memoryBytes: 2 ** 26, signal })
      const files = [...kept].reverse().concat(kept.slice(0, 5))
      for (const categoryId of ONE) {
        const category = { marketplace: 'MKT_US', categoryId }
        const open = await target.category(category)
        for (const file of files) if (file.id.categoryId === categoryId) await open.apply(file)
      }
      await target.close()
      for (const categoryId of ONE) {
        const category = { marketplace: 'MKT_US', categoryId }
        expect(plain(await other.items(category))).toEqual(plain(await place.items(category)))
      }
    }, 60_000)

    test.each([0, 1, 3])(
      'A file whose rows fail after batch %i leaves nothing behind.',
      async batches => {
        const place = await opened()
        const shop = shopOf(6)
        const failing = intoTarget(shop, tearing(place.target(), batches), ONE)
        await expect(failing.summary).rejects.toMatchObject({ cause: { message: TORN } })
        const before = await Promise.all(
          ONE.map(categoryId => place.items({ marketplace: 'MKT_US', categoryId })),
        )
        expect(before.flat()).toEqual([])
        await intoTarget(shop, place.target(), ONE).summary
        await expectStateOf(shop, place, [FIRST_MS], ONE)
      },
      60_000,
    )

    test('fault 123: A first run has the priorities of the days before the bootstrap.', async () => {
      const place = await opened()
      const shop = shopOf(8)
      shop.limits = {}
      await shop.syncInto(place.target(), { ...TROUBLED, categories: ['220'] }).summary
      const items = await place.items({ marketplace: 'MKT_US', categoryId: '220' })
      const truth = shop.truePayloads('220', FIRST_MS)
      expect(items.map(payloadOf)).toEqual(
        items.map(({ row }) => truth.get(String(row.itemId)) ?? ''),
      )
      expect(items.filter(item => payloadOf(item) !== '').length).toBeGreaterThan(0)
    }, 60_000)

    test('A second writer of a category is refused, and may write when the first has closed.', async () => {
      const place = await opened()
      const options = { origin: ORIGIN, memoryBytes: 2 ** 26, signal: new AbortController().signal }
      const category = { marketplace: 'MKT_US', categoryId: '220' }
      const first = await place.target().open(options)
      await first.category(category)
      const locked = { code: 'STATE_LOCKED' }
      await expect(withSecond(place, options, category)).rejects.toMatchObject(locked)
      await first.close()
      await expect(withSecond(place, options, category)).resolves.toEqual([])
    }, 60_000)

    test('A target with rows of another service is refused.', async () => {
      const place = await opened()
      const shop = shopOf(7)
      await intoTarget(shop, place.target(), ONE).summary
      const signal = new AbortController().signal
      const origin = { marketplace: 'MKT_US', service: 'https://another.test' }
      const opening = place.target().open({ origin, memoryBytes: 2 ** 26, signal })
      await expect(opening).rejects.toMatchObject({ code: 'STATE_FOREIGN' })
    }, 60_000)
  })
}

const SEEDS_OF_BAD_CELLS = process.env.FEEDMILL_CRASH === 'all' ? 10 : 1
/** The columns that have texts which are no value of them; a row without its date is left out. */
const TYPED = Object.entries({ ...itemSnapshotSchema.columns, ...itemGroupSchema.columns }).flatMap(
  ([name, { type }]) => (type === 'text' || type === 'list' ? [] : [name]),
)

/** The service of `SmallShop`. */
const ORIGIN = { marketplace: 'MKT_US', service: 'https://service.test' }
const TORN = 'the rows were torn'

function intoTarget(shop: SmallShop, target: SyncTarget, categories = CATEGORIES): SyncRun {
  return shop.syncInto(target, { ...TROUBLED, categories })
}

/**
 * Compares a target with the truth, and with a state folder that was synchronised at these times.
 */
async function expectStateOf(
  shop: SmallShop,
  place: TestedPlace,
  times: readonly number[],
  categories: readonly string[],
  seen: (item: PlainItem) => PlainItem = item => item,
): Promise<void> {
  const machine = new SimulatedMachine(1)
  const options = { categories, changes: 'none', keepFileBytes: 0 } as const
  for (shop.nowMs of times) await shop.sync(machine.start(), options).summary
  const state = await openState(FOLDER, { environment: machine.start() })
  try {
    for (const category of state.categories) {
      const expected = await itemsOf(category)
      const feeds = new Set(category.files.map(({ id }) => id.feed))
      expect(feeds).toContain('item_priority')
      const { watermark } = category.plan(new Date(shop.nowMs))
      const { world } = shop.emulator
      const truth = [...world.truthAt(watermark!, { categoryId: category.categoryId })]
      expect(expected.map(({ row }) => row.itemId)).toEqual(truth.map(({ itemId }) => itemId))
      const { marketplace, categoryId } = category
      const items = await place.items({ marketplace, categoryId })
      expect(plain(items.map(seen))).toEqual(plain(expected.map(seen)))
    }
  } finally {
    await state.close()
  }
}

function payloadOf({ priority }: PlainItem): unknown {
  return priority?.priorityListingPayload || ''
}

async function itemsIn(machine: SimulatedMachine, categoryId: string): Promise<PlainItem[]> {
  const state = await openState(FOLDER, { environment: machine.start() })
  try {
    return await itemsOf(state.categories.find(found => found.categoryId === categoryId)!)
  } finally {
    await state.close()
  }
}

async function itemsOf(category: OpenCategory): Promise<PlainItem[]> {
  const items: PlainItem[] = []
  for await (const block of category.items()) {
    for (const item of block) {
      const { priority, group, ...row } = asJson(stateItemObject(item))
      items.push({ row, priority: priority as PlainRow, group: group as PlainRow })
    }
  }
  return items
}

function withoutPriority(item: PlainItem): PlainItem {
  return { ...item, priority: null }
}

function asJson(row: object): PlainRow {
  return JSON.parse(JSON.stringify(row))
}

/** Items with their documented columns in one form. */
function plain(items: readonly PlainItem[]): unknown[] {
  return items.map(({ row, priority, group }) => ({
    row: canonical(row, itemSnapshotSchema.columns),
    priority: priority && canonical(priority, itemPrioritySchema.columns),
    group: group && canonical(group, itemGroupSchema.columns),
  }))
}

function canonical(row: PlainRow, columns: Columns): PlainRow {
  return Object.fromEntries(
    Object.entries(columns).map(([name, { type }]) => {
      const value = row[name] ?? null
      if (value === null) return [name, null]
      if (type === 'decimal') return [name, Number(value)]
      if (type === 'timestamp') return [name, new Date(String(value)).toISOString()]
      return [name, Array.isArray(value) && value.length === 0 ? null : value]
    }),
  )
}

/** Keeps the files that a target gets. Their rows are read while the run has them. */
function recording(target: SyncTarget, kept: TargetFile[]): SyncTarget {
  return changedTarget(target, async file => {
    const all: Awaited<ReturnType<ReturnType<TargetFile['rows']>['next']>>['value'][] = []
    for await (const rows of file.rows()) all.push(rows)
    const again: TargetFile = {
      id: file.id,
      identity: file.identity,
      rawBytes: file.rawBytes,
      generated: file.generated,
      signal: file.signal,
      badRows: file.badRows,
      counts: file.counts,
      rows: async function* () {
        for (const rows of all) if (rows) yield rows
      },
      checkRemoval() {},
      async accept() {},
    }
    kept.push(again)
    return again
  })
}

/** Fails in the middle of the first file with more rows. */
function tearing(target: SyncTarget, batches: number): SyncTarget {
  return changedTarget(target, file =>
    withRows(file, async function* () {
      let n = 0
      for await (const rows of file.rows()) {
        if (n++ === batches) throw new TypeError(TORN)
        yield rows
      }
      throw new TypeError(TORN)
    }),
  )
}

async function withSecond(
  place: TestedPlace,
  options: Parameters<SyncTarget['open']>[0],
  category: Category,
) {
  const second = await place.target().open(options)
  try {
    return (await second.category(category)).files
  } finally {
    await second.close()
  }
}
