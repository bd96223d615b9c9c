// Long: each test synchronises a state first.

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type OpenCategory, openState } from '../../../src/sync/read/open-state'
import { type StateItem, stateItemObject } from '../../../src/sync/read/state-items'
import { openStateFolder } from '../../../src/sync/runs/state-folder'
import { SimulatedMachine, type Trouble } from '../simulated-machine'
import { DAY_MS, FOLDER, HOUR_MS, NO_EARLIER_DAYS, SmallShop, seenIn } from '../small-run'

const START = new Date('2026-03-01T07:00:00Z')
const NOW_MS = +START + 5 * HOUR_MS

const shops: SmallShop[] = []
afterEach(() => Promise.all(shops.splice(0).map(shop => shop.close())))

function newShop(): SmallShop {
  const world = {
    seed: 3,
    items: 30,
    churn: 40,
    start: START,
    hours: 300,
    categories: ['220', '15032'],
  }
  const shop = new SmallShop({ world, bootstrapAt: START }, NOW_MS)
  shop.limits = NO_EARLIER_DAYS
  shops.push(shop)
  return shop
}

test('the opened state shows the identity of the folder, the complete and missing files of its categories, and its size on the disk', async () => {
  const shop = newShop()
  const machine = new SimulatedMachine(0)
  await shop.sync(machine.start(), {
    categories: ['220', '15032'],
    until: new Date(+START + 2 * HOUR_MS),
  }).summary
  const state = await openState(FOLDER, { environment: machine.start() })
  expect(state.origin).toEqual({ marketplace: 'MKT_US', service: 'https://service.test' })
  expect(
    state.categories.map(({ marketplace, categoryId, files }) => [
      marketplace,
      categoryId,
      files.length,
    ]),
  ).toEqual([
    ['MKT_US', '15032', 4],
    ['MKT_US', '220', 4],
  ])
  const { watermark, ready, gone } = state.categories[0]!.plan(new Date(NOW_MS), NO_EARLIER_DAYS)
  expect([watermark, ready.length, gone]).toEqual([new Date(+START + 2 * HOUR_MS), 2, []])
  expect(
    state.categories[0]!.plan(new Date(NOW_MS), { ...NO_EARLIER_DAYS, snapshotLatencyHours: 3 })
      .ready,
  ).toHaveLength(1)
  const { files, changes, spool } = await state.sizes()
  expect([files > 1_000, changes > 1_000, spool]).toEqual([true, true, 0])
  await state.close()
})

test('a reader opens beside a run that has the folder, and writes nothing and takes no lock', async () => {
  const shop = newShop()
  const machine = new SimulatedMachine(0)
  await shop.sync(machine.start()).summary
  const environment = machine.start()
  const run = await openStateFolder({
    folder: FOLDER,
    origin: undefined,
    sortBytes: 1 << 20,
    environment,
  })
  machine.log.length = 0
  const state = await openState(FOLDER, { environment })
  const [category] = state.categories
  let items = 0
  for await (const block of category!.items()) items += block.length
  await state.close()
  expect(items).toBeGreaterThan(10)
  expect(machine.log.filter(call => !/^(open|list|size|read) /.test(call))).toEqual([])
  await run.close()
})

test('the lines of a category are those of its items', async () => {
  const shop = newShop()
  const machine = new SimulatedMachine(0)
  await shop.sync(machine.start()).summary
  const state = await openState(FOLDER, { environment: machine.start() })
  for (const category of state.categories) {
    const expected: string[] = []
    for await (const block of category.items())
      expected.push(...block.map(item => JSON.stringify(stateItemObject(item))))
    expect(expected.length).toBeGreaterThan(10)
    expect(await linesOf(category)).toEqual(expected)
  }
  await state.close()
})

/** Reads each block after the next one is made. */
async function linesOf(source: Pick<OpenCategory, 'lines'>): Promise<string[]> {
  const texts: string[] = []
  let last: Uint8Array | undefined
  for await (const block of source.lines()) {
    if (last !== undefined) texts.push(Buffer.from(last).toString())
    last = block
  }
  return [...texts, Buffer.from(last ?? []).toString()].join('').trimEnd().split('\n')
}

test('an item is found by its key, with its priority and its group, and a group by its own', async () => {
  const shop = newShop()
  const machine = new SimulatedMachine(0)
  await shop.sync(machine.start()).summary
  const state = await openState(FOLDER, { environment: machine.start() })
  for (const category of state.categories) {
    let groups = 0
    for await (const block of category.items()) {
      for (const item of block) {
        const found = await category.item(item.itemId)
        expect(found && shown(found)).toEqual(shown(item))
        if (item.group === null) continue
        groups++
        const group = await category.group(item.group.text('itemGroupId'))
        expect(group?.toStrings()).toEqual(item.group.toStrings())
      }
    }
    expect(groups).toBeGreaterThan(0)
    for (const none of ['v1|none|0', '']) {
      expect(await category.item(none)).toBeUndefined()
      expect(await category.group(none)).toBeUndefined()
    }
  }
  await state.close()
})

function shown({ itemId, row, version, priority, group }: StateItem): unknown[] {
  return [itemId, row.toStrings(), version, priority?.toStrings(), group?.toStrings()]
}

test('the opened state stays as it was at the opening while other readers come and a run continues', async () => {
  const shop = newShop()
  const machine = new SimulatedMachine(0)
  await shop.sync(machine.start(), { until: new Date(+START + 2 * HOUR_MS) }).summary
  const before = await seenIn(machine.start(), NOW_MS)
  const environment = machine.start()
  const states = await Promise.all([
    openState(FOLDER, { environment }),
    openState(FOLDER, { environment }),
  ])
  await shop.sync(environment).summary
  expect((await seenIn(environment, NOW_MS)).ledger.length).toBeGreaterThan(before.ledger.length)
  for (const state of states) {
    expect(state.categories[0]!.files).toHaveLength(before.ledger.length)
    await state.close()
  }
})

test('a folder that is no state is refused and left unchanged', async () => {
  const machine = new SimulatedMachine(0)
  const { files } = machine.start()
  await (await files.edit(`${FOLDER}/letters.txt`)).write(0, Buffer.from('dear'))
  await expect(openState(FOLDER, { environment: machine.start() })).rejects.toMatchObject({
    code: 'STATE_FOREIGN',
  })
  expect([...machine.filesUnder(FOLDER).keys()]).toEqual([`${FOLDER}/letters.txt`])
})

test('fault 150: a folder that is not there, empty, or left by a killed first run has no state yet', async () => {
  const machine = new SimulatedMachine(0)
  const failure = () =>
    openState(FOLDER, { environment: machine.start() }).catch((error: unknown) => error)
  expect(await failure()).toMatchObject({ code: 'STATE_MISSING', context: { path: FOLDER } })
  const { files } = machine.start()
  await files.makeFolder(FOLDER)
  expect(await failure()).toMatchObject({ code: 'STATE_MISSING' })
  await (await files.edit(`${FOLDER}/state.json.new`)).write(0, Buffer.from('{'))
  expect(await failure()).toMatchObject({ code: 'STATE_MISSING' })
})

describe('a state with a history', () => {
  const FIRST = +START + 2 * DAY_MS + 10 * HOUR_MS
  const BOOTSTRAP = +START + DAY_MS
  const SECOND = FIRST + DAY_MS
  const machine = new SimulatedMachine(1)
  const shop = new SmallShop(
    { world: { seed: 11, items: 30, churn: 40, start: START, hours: 96 }, bootstrapAt: 'daily' },
    FIRST,
  )
  beforeAll(async () => {
    await shop.sync(machine.start(), { changes: 'none' }).summary
    shop.nowMs = SECOND
    await shop.sync(machine.start(), { changes: 'none' }).summary
  }, 60_000)
  afterAll(() => shop.close())

  async function titles(category: Pick<OpenCategory, 'items'>): Promise<string[]> {
    const all: string[] = []
    for await (const block of category.items())
      for (const { row } of block) all.push(row.text('title'))
    return all
  }

  async function shownByKey(category: OpenCategory): Promise<Map<string, unknown[]>> {
    const items = new Map<string, unknown[]>()
    for await (const block of category.items())
      for (const item of block) items.set(item.itemId, shown(item))
    return items
  }

  test('of an earlier time is the truth of that time, and leaves no files behind', async () => {
    const { world } = shop.emulator
    const before = machine.filesUnder('/').size
    const state = await openState(FOLDER, { environment: machine.start() })
    const category = state.categories[0]!
    for (const ms of [BOOTSTRAP, BOOTSTRAP + 3.5 * HOUR_MS, FIRST, SECOND - HOUR_MS]) {
      const past = await category.asOf(new Date(ms))
      expect(past.at.getTime()).toBe(ms - (ms % HOUR_MS))
      const truth = Array.from(world.truthAt(past.at), ({ cells }) => [...cells])
      const rows: string[][] = []
      for await (const block of past.items())
        for (const { row } of block) rows.push(world.itemColumns.map(name => row.text(name)))
      expect(rows).toEqual(truth)
      expect(await linesOf(past)).toHaveLength(truth.length)
      await past.close()
    }
    await expect(category.asOf(new Date(BOOTSTRAP - 1))).rejects.toMatchObject({
      code: 'STATE_HISTORY_MISSING',
    })
    await state.close()
    expect(machine.filesUnder('/').size).toBe(before)
  })

  test('stays as it was for a reader while a run writes, and others read between two files', async () => {
    const copy = machine.copy(3)
    const environment = copy.start()
    const before = await openState(FOLDER, { environment })
    const kept = await titles(before.categories[0]!)
    const items = await shownByKey(before.categories[0]!)
    const keys = [...items.keys(), 'none', ...[...items.keys()].reverse()]
    shop.nowMs = SECOND + DAY_MS
    let during: string[] = []
    for await (const event of shop.sync(environment, { changes: 'none' })) {
      if (event.type !== 'done') continue
      const found = await Promise.all(keys.map(key => before.categories[0]!.item(key)))
      expect(found.map(item => item && shown(item))).toEqual(keys.map(key => items.get(key)))
      if (during.length > 0) continue
      const beside = await openState(FOLDER, { environment })
      during = await titles(beside.categories[0]!)
      await beside.close()
    }
    expect(during.length).toBeGreaterThan(20)
    expect(await titles(before.categories[0]!)).toEqual(kept)
    await before.close()
    shop.nowMs = SECOND
  })

  test('has the files that were applied before a run was killed', async () => {
    const sync = (on: SimulatedMachine, trouble?: Trouble) => shop.sync(on.start(trouble)).summary
    const kept = (on: SimulatedMachine) => [...on.filesUnder(`${FOLDER}/files`).keys()]
    const whole = new SimulatedMachine(4)
    await sync(whole)
    const { calls } = whole
    expect(calls).toBeGreaterThan(200)
    for (const share of [0.2, 0.5, 0.8, 0.99]) {
      const at = Math.floor(share * calls)
      const killed = new SimulatedMachine(5)
      await expect(sync(killed, { at, what: 'before' })).rejects.toThrow()
      killed.crash('process')
      await sync(killed)
      expect([at, kept(killed)]).toEqual([at, kept(whole)])
    }
  })
})
