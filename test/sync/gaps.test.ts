// Whole synchronisations with an hour that the service does not have, over days of the service's
// clock.
// Long: it synchronises worlds whose files are missing for days.

import { expect, test } from 'vitest'
import { openState } from '../../src/sync/read/open-state'
import { SimulatedMachine } from './simulated-machine'
import { DAY_MS, FOLDER, HOUR_MS, SmallShop } from './small-run'

const START = Date.parse('2026-03-01T07:00:00Z')
const NOW = START + 2 * DAY_MS + 10 * HOUR_MS
const NEWEST = NOW - HOUR_MS
/** An hour between the bootstrap and the newest hour. */
const GAP = START + DAY_MS + 20 * HOUR_MS
const NOT_FOUND = {
  category: 'REQUEST',
  domain: 'API_FEED',
  errorId: 13007,
  message: 'The feed file cannot be found.',
}

class GapShop extends SmallShop {
  constructor(
    bootstrapAt: 'daily' | Date,
    private readonly hour: { isMissing: boolean },
  ) {
    const world = { seed: 3, items: 30, churn: 40, start: new Date(START), hours: 120 }
    super({ world, bootstrapAt }, NOW, {
      between: (request, forward) => {
        const asked = new URL(request.url).searchParams.get('snapshot_date')
        const isGap = hour.isMissing && asked === new Date(GAP).toISOString()
        return isGap ? Response.json(NOT_FOUND, { status: 400 }) : forward(request)
      },
    })
  }

  comes(): void {
    this.hour.isMissing = false
  }
}

const gapShop = (bootstrapAt: 'daily' | Date = 'daily') =>
  new GapShop(bootstrapAt, { isMissing: true })

/** Runs once. Returns the watermark, and whether the items equal the true items at that time. */
async function look(shop: GapShop, machine: SimulatedMachine, nowMs: number) {
  shop.nowMs = nowMs
  const { categories, failed } = await shop.sync(machine.start(), {
    changes: 'none',
    keepFileBytes: 0,
  }).summary
  const state = await openState(FOLDER, { environment: machine.start() })
  try {
    const { world } = shop.emulator
    const rows: string[][] = []
    for await (const block of state.categories[0]!.items())
      for (const { row } of block) rows.push(world.itemColumns.map(name => row.text(name)))
    const [category] = categories
    const watermark = category!.watermark!
    expect(rows).toEqual(Array.from(world.truthAt(watermark), ({ cells }) => [...cells]))
    return {
      watermark: watermark.getTime(),
      missing: category!.missing.length,
      gone: category!.gone.length,
      failed: failed.length,
    }
  } finally {
    await state.close()
  }
}

test('fault 75: a missing hour stops the watermark, and the state stays true for that time', async () => {
  const [shop, machine] = [gapShop(), new SimulatedMachine(1)]
  expect(await look(shop, machine, NOW)).toEqual({ watermark: GAP, missing: 1, gone: 0, failed: 0 })
  expect(await look(shop, machine, NOW + 5 * HOUR_MS)).toEqual({
    watermark: GAP,
    missing: 1,
    gone: 0,
    failed: 0,
  })
  await shop.close()
})

test('fault 75: the hours behind a missing hour are applied at once when it comes', async () => {
  const [shop, machine] = [gapShop(), new SimulatedMachine(2)]
  await look(shop, machine, NOW)
  shop.comes()
  expect(await look(shop, machine, NOW)).toEqual({
    watermark: NEWEST,
    missing: 0,
    gone: 0,
    failed: 0,
  })
  await shop.close()
})

test('fault 75: a new bootstrap replaces a missing hour after its seven days', async () => {
  const [shop, machine] = [gapShop(), new SimulatedMachine(3)]
  await look(shop, machine, NOW)
  const last = GAP + 7 * DAY_MS
  expect((await look(shop, machine, last)).watermark).toBe(GAP)
  const { watermark, gone } = await look(shop, machine, last + HOUR_MS)
  expect([watermark, gone]).toEqual([last + HOUR_MS - (last % HOUR_MS) - HOUR_MS, 0])
  await shop.close()
})

test('fault 75: the state waits unchanged where the service has no newer bootstrap', async () => {
  const [shop, machine] = [gapShop(new Date(START + DAY_MS)), new SimulatedMachine(4)]
  await look(shop, machine, NOW)
  const before = shop.sent.length
  const { watermark, missing, gone } = await look(shop, machine, GAP + 8 * DAY_MS)
  expect([watermark, missing]).toEqual([GAP, 1])
  expect(gone).toBeGreaterThanOrEqual(24)
  // The run asks for the time of the bootstrap, and fetches none again.
  const asked = shop.sent.slice(before).filter(line => /\/item\?.*ALL_ACTIVE/.test(line))
  expect(asked).toHaveLength(1)
  await shop.close()
})

test('a bootstrap that was made after `until` is not applied, because the state would be newer than requested', async () => {
  const shop = gapShop()
  shop.comes()
  const bootstrap = START + DAY_MS
  const machine = new SimulatedMachine(5)
  const options = { changes: 'none', keepFileBytes: 0 } as const
  const early = await shop.sync(machine.start(), { ...options, until: new Date(bootstrap - 1) })
    .summary
  expect(early.categories.map(({ watermark, missing }) => [watermark, missing.length])).toEqual([
    [undefined, 2],
  ])
  const onTime = await shop.sync(machine.start(), { ...options, until: new Date(bootstrap) })
    .summary
  expect(
    onTime.categories.map(({ watermark, missing }) => [watermark?.getTime(), missing.length]),
  ).toEqual([[bootstrap, 0]])
  await shop.close()
})
