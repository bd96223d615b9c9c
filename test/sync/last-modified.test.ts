// The time of a file, where clocks are wrong: a synchronisation ends with the truth at its watermark,
// or refuses the file.
// Long: it synchronises many small worlds.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { possibleDate } from '../../src/engine/codec/range/file-identity'
import { openState } from '../../src/sync/read/open-state'
import { SimulatedMachine } from './simulated-machine'
import { FOLDER, HOUR_MS, NO_EARLIER_DAYS, SmallShop } from './small-run'

const MINUTE_MS = 60_000
const START_MS = Date.parse('2026-03-01T07:00:00Z')

describe('fault 157: the date of an answer', () => {
  const NOW_MS = Date.parse('2026-03-01T12:00:00Z')
  const at = (ms: number) => new Date(NOW_MS + ms).toUTCString()

  test.each<[string, number, number | undefined, number | undefined]>([
    ['before both clocks', -1000, 0, -1000],
    ['the same', 0, 0, 0],
    ['a second after the Date', 1000, 0, 1000 - 5 * MINUTE_MS],
    ['5 minutes after the Date', 0, -5 * MINUTE_MS, -5 * MINUTE_MS],
    ['more than 5 minutes after the Date', 0, -5 * MINUTE_MS - 1000, undefined],
    ['5 minutes after this clock, without a Date', 5 * MINUTE_MS, undefined, 0],
    ['more after this clock, without a Date', 5 * MINUTE_MS + 1000, undefined, undefined],
    ['more after this clock, and before the Date', 90 * MINUTE_MS, 91 * MINUTE_MS, undefined],
  ])('is one or none: %s', (_, made, date, expected) => {
    const identity = { lastModified: at(made), ...(date !== undefined && { date: at(date) }) }
    expect(possibleDate(identity, NOW_MS)).toBe(expected === undefined ? undefined : at(expected))
  })

  test.each(['Fri, 31 Dec 9999 23:59:59 GMT', '2026-03-01T13:30:00Z'])('%s is none', text => {
    expect(possibleDate({ lastModified: text }, NOW_MS)).toBeUndefined()
  })
})

/** How wrong the clocks are, in milliseconds. */
interface Clocks {
  /** Last-Modified of bootstraps, after the time of the request. Undefined: the truth. */
  readonly ahead: number | undefined
  /** The clock of the Date; null for answers without one. */
  readonly date: number | null
  /** The clock of the client. */
  readonly client: number
}

/** Rows of the state and the truth at its watermark; no rows where there is none. */
async function reached(shop: SmallShop, machine: SimulatedMachine) {
  const { world } = shop.emulator
  const state = await openState(FOLDER, { environment: machine.start() })
  try {
    const [category] = state.categories
    const watermark = category?.plan(new Date(shop.nowMs)).watermark
    const rows: string[][] = []
    if (category !== undefined)
      for await (const block of category.items())
        for (const { row } of block) rows.push(world.itemColumns.map(name => row.text(name)))
    const truth =
      watermark === undefined ? [] : [...world.truthAt(watermark, { categoryId: '220' })]
    return { watermark, rows, truth: truth.map(({ cells }) => [...cells]) }
  } finally {
    await state.close()
  }
}

const skew = fc.oneof(
  fc.constantFrom(0, 0, 1000, -1000, 299_000, 301_000, 90 * MINUTE_MS, 24 * HOUR_MS),
  fc.integer({ min: -3 * 3600, max: 3 * 3600 }).map(seconds => seconds * 1000),
  fc.constant(Date.parse('9999-12-31T00:00:00Z') - START_MS - 48 * HOUR_MS),
)
const clocks: fc.Arbitrary<Clocks> = fc
  .record({
    ahead: fc.option(
      fc.oneof(
        fc.integer({ min: 1, max: 299 }).map(seconds => seconds * 1000),
        skew.map(each => Math.abs(each) + 1000),
      ),
      { nil: undefined },
    ),
    date: fc.option(skew, { nil: null }),
    // Far from the truth, this clock would not even get a token.
    client: fc
      .oneof(fc.constantFrom(0, 0, 0), fc.integer({ min: -7200, max: 7200 }))
      .map(s => s * 1000),
  })
  // Where all clocks are ahead, nothing shows it.
  .map(each => (each.client > 0 ? { ...each, date: Math.min(each.date ?? 0, 0) } : each))

test('fault 157: a bootstrap from the future is refused, and every other gives the truth', async () => {
  const seen = { refused: 0, reached: 0, ahead: 0 }
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(fc.integer({ min: 0, max: 119 }), fc.integer({ min: 56, max: 59 })),
      fc.integer({ min: 0, max: 4 }),
      clocks,
      async (minute, sinceMinutes, { ahead, date, client }) => {
        const madeMs = START_MS + 5 * HOUR_MS + minute * MINUTE_MS
        const bootstrapAt = new Date(madeMs)
        const world = { seed: 5, items: 24, churn: 200, start: new Date(START_MS), hours: 60 }
        const shop: SmallShop = new SmallShop({ world, bootstrapAt }, madeMs, {
          between: async (request, forward) => {
            const response = await forward(request)
            if (date === null) response.headers.delete('date')
            else response.headers.set('date', new Date(shop.nowMs + date).toUTCString())
            // A clock that is ahead by more than 5 minutes has to be seen, and one by less may be.
            if (ahead !== undefined && request.url.includes('ALL_ACTIVE'))
              response.headers.set('last-modified', new Date(firstMs + ahead).toUTCString())
            return response
          },
        })
        const firstMs = madeMs + sinceMinutes * MINUTE_MS
        shop.limits = NO_EARLIER_DAYS
        const machine = new SimulatedMachine(1)
        const now = () => new Date(shop.nowMs + client)
        const run = () =>
          shop.sync(machine.start(), { now, changes: 'none', keepFileBytes: 0 }).summary
        shop.nowMs = firstMs
        const { failed, categories } = await run()
        for (const { error } of failed) expect(error.message).toContain('Last-Modified')
        const before = categories[0]!.watermark
        if (before === undefined) seen.refused++
        else if (ahead !== undefined) seen.ahead++
        expect((before?.getTime() ?? 0) <= firstMs).toBe(true)
        shop.nowMs = madeMs + 5 * HOUR_MS
        if (before === undefined) return void (await shop.close())
        await run()
        const { watermark, rows, truth } = await reached(shop, machine)
        expect(watermark!.getTime()).toBeGreaterThanOrEqual(before.getTime())
        expect(rows).toEqual(truth)
        seen.reached++
        await shop.close()
      },
    ),
    {
      numRuns: 30,
      // The clock of Last-Modified is in the next hour, of which the file has nothing.
      examples: [50, 53, 56].map(
        minute =>
          [minute, 60 - minute + 2, { ahead: 60_000, date: 0, client: 0 }] as [
            number,
            number,
            Clocks,
          ],
      ),
    },
  )
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(3)
}, 120_000)
