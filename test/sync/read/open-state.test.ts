// Long: each test synchronises a state first.

import { afterEach, describe, expect, test } from 'vitest'
import { stateIo } from '../../../src/engine/disk/state-errors'
import { openStateFolder } from '../../../src/sync/folder/state-folder'
import { openState } from '../../../src/sync/read/open-state'
import { SimulatedMachine } from '../simulated-machine'
import { FOLDER, HOUR_MS, NO_EARLIER_DAYS, SmallShop, seenIn } from '../small-run'

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

test('a reader that leaves while another one opens is no failure for the other', async () => {
  const shop = newShop()
  const machine = new SimulatedMachine(0)
  await shop.sync(machine.start()).summary
  const environment = machine.start()
  const leaving = `${FOLDER}/readers/other-1-a`
  await environment.files.makeFolder(leaving)
  const lockFolder = async (path: string) => {
    if (!path.startsWith(leaving)) return environment.lockFolder(path)
    await environment.files.remove(leaving)
    throw stateIo(path, 'lock', 'ENOENT')
  }
  const state = await openState(FOLDER, { environment: { ...environment, lockFolder } })
  expect(state.categories).toHaveLength(1)
  await state.close()
})

test('fault 83: the folder is refused while a run uses it', async () => {
  const shop = newShop()
  const machine = new SimulatedMachine(0)
  await shop.sync(machine.start()).summary
  const environment = machine.start()
  const run = await openStateFolder({ folder: FOLDER, storeBytes: 0, environment })
  await expect(openState(FOLDER, { environment })).rejects.toMatchObject({ code: 'STATE_LOCKED' })
  await run.close()
  await (await openState(FOLDER, { environment })).close()
})

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

describe('a run that died behind the commit point of a file', () => {
  /**
   * Returns the number of the call with the `nth` synced write to the store. The first is for the
   * folder's origin; then each file has one at its begin and one at its end.
   */
  async function callOf(nth: number): Promise<number> {
    const machine = new SimulatedMachine(0)
    await newShop().sync(machine.start()).summary
    return machine.log.flatMap((call, n) => (call === 'store write store, synced' ? [n + 1] : []))[
      nth + 1
    ]!
  }

  test.each([0, 2, 4, 6, 8])(
    'is finished before the first read, so that the whole file and its changes are there (%i)',
    async nth => {
      const shop = newShop()
      const machine = new SimulatedMachine(nth)
      await shop
        .sync(machine.start({ at: await callOf(nth), what: 'after' }))
        .summary.catch(() => {})
      machine.crash('power')
      const { ledger } = await seenIn(machine.start(), NOW_MS)
      expect(ledger.map(line => JSON.parse(line)[1].state)).toEqual(Array(nth / 2 + 1).fill('done'))
      const whole = new SimulatedMachine(0)
      await shop.sync(whole.start()).summary
      // The two bootstraps at the beginning have no log.
      const changes = (from: SimulatedMachine) => [...from.filesUnder(`${FOLDER}/changes`)]
      expect(changes(machine)).toEqual(changes(whole).slice(0, Math.max(0, nth / 2 - 1)))
      await shop.sync(machine.start()).summary
      expect(await seenIn(machine.start(), NOW_MS)).toEqual(await seenIn(whole.start(), NOW_MS))
    },
  )

  test('fault 105: closes its category only, when its file is missing or changed since', async () => {
    const shop = newShop()
    const at = await callOf(0)
    for (const spoil of ['remove', 'change'] as const) {
      const machine = new SimulatedMachine(0)
      await shop.sync(machine.start({ at, what: 'after' })).summary.catch(() => {})
      machine.crash('process')
      const { files } = machine.start()
      const [data] = [...machine.filesUnder(FOLDER).keys()].filter(path => path.endsWith('/data'))
      if (spoil === 'remove') await files.remove(data!)
      else await (await files.edit(data!)).write(2_000, Buffer.from('something else'))
      const damaged = { code: 'STATE_CORRUPT', context: { path: data } }
      const both = { categories: ['15032', '220'] }
      for (let run = 1; run <= 2; run++) {
        const { failed, categories } = await shop.sync(machine.start(), both).summary
        expect(failed).toMatchObject([{ error: damaged }])
        expect(categories.map(({ watermark }) => watermark?.getTime())).toEqual([
          expect.any(Number),
          undefined,
        ])
      }
      const state = await openState(FOLDER, { environment: machine.start() })
      const [spoilt, other] = state.categories.toSorted((a, b) =>
        b.categoryId.localeCompare(a.categoryId),
      )
      expect(spoilt!.problem).toMatchObject(damaged)
      expect(() => spoilt!.items()).toThrow(spoilt!.problem)
      await expect(spoilt!.asOf(new Date(NOW_MS))).rejects.toBe(spoilt!.problem)
      const items = []
      for await (const block of other!.items()) items.push(...block)
      expect([other!.problem, items.length > 10]).toEqual([undefined, true])
      await state.close()
    }
  })
})
