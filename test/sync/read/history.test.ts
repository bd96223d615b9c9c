// Long: it makes the history of many synchronisations again.

import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type FileId, fileIdKey } from '../../../src/sync/file-id'
import { machineEnvironment } from '../../../src/sync/folder/environment'
import { filesAsOf } from '../../../src/sync/read/history'
import { type OpenCategory, openState } from '../../../src/sync/read/open-state'
import { type AppliedFile, NO_ROWS } from '../../../src/sync/target/target'
import { DAY_MS, HOUR_MS, SmallShop } from '../small-run'

const START = Date.parse('2026-03-01T07:00:00Z')
/** A time in the middle of a day; the bootstrap is from the end of the day before yesterday. */
const FIRST = START + 2 * DAY_MS + 10 * HOUR_MS
const BOOTSTRAP = START + DAY_MS
const SECOND = FIRST + 2 * DAY_MS

const folder = mkdtempSync(join(tmpdir(), 'feedmill-history-'))
const shop = new SmallShop(
  {
    world: { seed: 11, items: 30, churn: 40, start: new Date(START), hours: 120 },
    bootstrapAt: 'daily',
  },
  FIRST,
)
beforeAll(async () => {
  for (const nowMs of [FIRST, SECOND]) {
    shop.nowMs = nowMs
    const { failed } = await shop.sync(machineEnvironment, { folder, changes: 'none' }).summary
    expect(failed).toEqual([])
  }
}, 60_000)
afterAll(async () => {
  await shop.close()
  rmSync(folder, { recursive: true })
})

async function reading<T>(use: (category: OpenCategory) => Promise<T>): Promise<T> {
  const state = await openState(folder)
  try {
    return await use(state.categories[0]!)
  } finally {
    await state.close()
  }
}

async function rowsAt(category: OpenCategory, ms: number) {
  const past = await category.asOf(new Date(ms))
  try {
    const rows: string[][] = []
    let joined = 0
    for await (const block of past.items()) {
      for (const { row, group } of block) {
        rows.push(shop.emulator.world.itemColumns.map(name => row.text(name)))
        if (group !== null) joined++
      }
    }
    return { at: past.at.getTime(), rows, joined }
  } finally {
    await past.close()
  }
}
const truthAt = (ms: number) =>
  Array.from(shop.emulator.world.truthAt(new Date(ms)), ({ cells }) => [...cells])

test('the state of any time since the bootstrap is the truth of that time', async () => {
  await reading(async category => {
    const times = fc.integer({ min: BOOTSTRAP, max: SECOND - HOUR_MS })
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          times,
          times.map(ms => ms - (ms % HOUR_MS)),
        ),
        async ms => {
          const { at, rows, joined } = await rowsAt(category, ms)
          expect(at).toBe(ms - (ms % HOUR_MS))
          expect(rows).toEqual(truthAt(at))
          expect(joined).toBeGreaterThan(0)
        },
      ),
      { numRuns: 8, examples: [[BOOTSTRAP], [SECOND - HOUR_MS]] },
    )
  })
  expect(readdirSync(folder)).not.toContain('history')
})

test('a read of an earlier state does not change the state of today', async () => {
  const today = (category: OpenCategory) => category.plan(new Date(SECOND)).watermark?.getTime()
  const before = await reading(async category => {
    await rowsAt(category, FIRST)
    return today(category)
  })
  expect([before, await reading(async category => today(category))]).toEqual([
    SECOND - HOUR_MS,
    SECOND - HOUR_MS,
  ])
})

test.each([BOOTSTRAP - 1, SECOND])(
  'a time that the files do not lead to is refused: %i',
  async ms => {
    await reading(category =>
      expect(category.asOf(new Date(ms))).rejects.toMatchObject({ code: 'STATE_HISTORY_MISSING' }),
    )
    expect(readdirSync(folder)).not.toContain('history')
  },
)

test('a time of years behind the last file says to where the files lead', async () => {
  for (const year of [2126, 9999])
    await reading(category =>
      expect(category.asOf(new Date(Date.UTC(year, 1)))).rejects.toMatchObject({
        code: 'STATE_HISTORY_MISSING',
        message: expect.stringContaining('the files lead to 20'),
      }),
    )
})

test('a damaged kept file is a typed error, and a file that was cut counts as not kept', async () => {
  const name = readdirSync(join(folder, 'files')).find(file => file.startsWith('item_snapshot'))!
  const path = join(folder, 'files', name)
  const sound = readFileSync(path)
  const damaged = Buffer.from(sound)
  damaged[damaged.length >> 1]! ^= 0x10
  try {
    writeFileSync(path, damaged)
    await reading(category =>
      expect(rowsAt(category, SECOND - HOUR_MS)).rejects.toMatchObject({
        code: expect.stringMatching(/^(GZIP|TSV)_/),
      }),
    )
    truncateSync(path, sound.length - 1)
    await reading(category =>
      expect(rowsAt(category, SECOND - HOUR_MS)).rejects.toMatchObject({
        code: 'STATE_HISTORY_MISSING',
      }),
    )
  } finally {
    writeFileSync(path, sound)
  }
  await reading(async category =>
    expect((await rowsAt(category, SECOND - HOUR_MS)).rows).toEqual(truthAt(SECOND - HOUR_MS)),
  )
})

describe('the files of an earlier time', () => {
  const category = { marketplace: 'MKT_US', categoryId: '220' }
  const bootstrap = (generation: string, feed: 'item' | 'item_group' = 'item'): FileId => {
    return {
      feed,
      ...category,
      scope: 'ALL_ACTIVE',
      generation: new Date(generation).toISOString(),
    }
  }
  const snapshot = (hour: string): FileId => ({
    feed: 'item_snapshot',
    ...category,
    hour: new Date(hour).toISOString(),
  })
  const daily = (date: string, feed: 'item' | 'item_group'): FileId => ({
    feed,
    ...category,
    scope: 'NEWLY_LISTED',
    date,
  })
  const priority = (date: string): FileId => ({ feed: 'item_priority', ...category, date })
  const hours = (from: string, count: number) =>
    Array.from({ length: count }, (_, n) =>
      snapshot(new Date(Date.parse(from) + n * HOUR_MS).toISOString()),
    )

  const entryOf = (id: FileId, n: number): AppliedFile => {
    const sizes = { totalBytes: 9, rawBytes: 9, badRows: 0 }
    return { id, sequence: n + 1, ...sizes, rows: NO_ROWS }
  }

  const G = '2026-03-01T07:00:00Z'
  const day = [daily('20260301', 'item_group'), daily('20260301', 'item'), priority('20260301')]
  /**
   * A bootstrap, 30 hours with the first day's files among them, another bootstrap, 10 hours more.
   */
  const ids = [
    bootstrap(G),
    bootstrap(G, 'item_group'),
    ...hours(G, 30),
    ...day,
    bootstrap('2026-03-02T12:30:00Z'),
    ...hours('2026-03-02T13:00:00Z', 10),
  ]

  function asOf(time: string, dropped: readonly FileId[] = [], of: readonly FileId[] = ids) {
    const isDropped = new Set(dropped.map(fileIdKey))
    const query = {
      category,
      asOf: new Date(time),
      entries: of.map(entryOf),
      isKept: ({ id }: AppliedFile) => !isDropped.has(fileIdKey(id)),
    }
    const { entries, at } = filesAsOf(query)
    return { ids: entries.map(({ id }) => id), at: at.toISOString() }
  }
  const refusal = (reason: string) =>
    expect.objectContaining({
      code: 'STATE_HISTORY_MISSING',
      context: expect.objectContaining({
        category: '220',
        reason: expect.stringContaining(reason),
      }),
    })

  describe('an earlier state consists of', () => {
    test('the bootstraps alone, at their time', () => {
      expect(asOf(G)).toEqual({
        ids: [bootstrap(G), bootstrap(G, 'item_group')],
        at: '2026-03-01T07:00:00.000Z',
      })
      expect(asOf('2026-03-01T07:59:59.999Z').ids).toHaveLength(2)
    })

    test('the full hours up to a later time', () => {
      const { ids: found, at } = asOf('2026-03-01T10:15:00Z')
      expect(found).toEqual([bootstrap(G), bootstrap(G, 'item_group'), ...hours(G, 3)])
      expect(at).toBe('2026-03-01T10:00:00.000Z')
    })

    test('the days that have ended by that time', () => {
      expect(asOf('2026-03-02T06:59:59.999Z').ids).not.toEqual(expect.arrayContaining([day[0]]))
      expect(asOf('2026-03-02T07:00:00.000Z').ids).toEqual(expect.arrayContaining(day))
    })

    test('the newest earlier bootstrap of each feed, which replaces the older files', () => {
      const { ids: found, at } = asOf('2026-03-02T14:00:00Z')
      expect(found).toContainEqual(bootstrap('2026-03-02T12:30:00Z'))
      expect(found).not.toContainEqual(bootstrap(G))
      expect(found).toContainEqual(bootstrap(G, 'item_group'))
      expect(found).toContainEqual(daily('20260301', 'item_group'))
      expect(found).not.toContainEqual(daily('20260301', 'item'))
      expect(found.filter(({ feed }) => feed === 'item_snapshot')).toEqual(
        hours('2026-03-02T12:00:00Z', 2),
      )
      expect(at).toBe('2026-03-02T14:00:00.000Z')
    })

    test('no hour that ends at the time of the bootstrap, which contains it', () => {
      const exact = [...ids.slice(0, 5), bootstrap('2026-03-01T10:00:00Z')]
      const { ids: found } = asOf('2026-03-01T10:00:00Z', hours('2026-03-01T09:00:00Z', 1), exact)
      expect(found).toEqual([bootstrap('2026-03-01T10:00:00Z'), bootstrap(G, 'item_group')])
    })

    test('the bootstrap before the newest one, where that is missing and the hours since are kept', () => {
      expect(asOf('2026-03-02T14:00:00Z', [bootstrap('2026-03-02T12:30:00Z')])).toMatchObject({
        at: '2026-03-02T14:00:00.000Z',
      })
    })
  })

  describe('an earlier state is refused', () => {
    test.each<[string, string, readonly FileId[], string]>([
      [
        'a time before the first bootstrap',
        '2026-03-01T06:59:59.999Z',
        [],
        'no bootstrap of that time',
      ],
      [
        'a bootstrap that is not kept',
        '2026-03-01T09:00:00Z',
        [bootstrap(G)],
        'no bootstrap of that time',
      ],
      [
        'a bootstrap of groups that is not kept',
        '2026-03-01T09:00:00Z',
        [bootstrap(G, 'item_group')],
        'no bootstrap of the groups',
      ],
      [
        'an hour that is not kept',
        '2026-03-01T09:00:00Z',
        hours('2026-03-01T08:00:00Z', 1),
        'item_snapshot/2026-03-01T08:00:00.000Z is not kept',
      ],
      [
        'a day that is not kept',
        '2026-03-02T08:00:00Z',
        [day[0]!],
        'item_group/20260301 is not kept',
      ],
      [
        'a time after the watermark',
        '2026-03-02T23:00:00.000Z',
        hours('2026-03-02T22:00:00Z', 1),
        'not kept',
      ],
      [
        'a time that is still to come',
        '2026-03-03T00:00:00.000Z',
        [],
        'lead to 2026-03-02T23:00:00.000Z',
      ],
    ])('%s', (_, time, dropped, reason) => {
      expect(() => asOf(time, dropped)).toThrow(refusal(reason))
    })

    test('where an hour was never applied', () => {
      const gap = ids.filter(
        id => id.feed !== 'item_snapshot' || id.hour !== '2026-03-01T09:00:00.000Z',
      )
      expect(asOf('2026-03-01T09:59:59.999Z', [], gap).at).toBe('2026-03-01T09:00:00.000Z')
      expect(() => asOf('2026-03-01T10:00:00.000Z', [], gap)).toThrow(
        refusal('lead to 2026-03-01T09:00:00.000Z'),
      )
    })
  })

  test('the files never tell of a later time, and lead to less than an hour before the requested one', () => {
    const times = fc.integer({ min: Date.parse(G), max: Date.parse('2026-03-02T23:59:59.999Z') })
    fc.assert(
      fc.property(
        times,
        fc.uniqueArray(fc.constantFrom(...ids), { maxLength: 2 }),
        (ms, dropped) => {
          try {
            const { ids: found, at } = asOf(new Date(ms).toISOString(), dropped)
            expect(ms - Date.parse(at)).toBeGreaterThanOrEqual(0)
            expect(ms - Date.parse(at)).toBeLessThan(HOUR_MS)
            for (const id of found) expect(dropped).not.toContain(id)
            for (const id of found)
              if (id.feed === 'item_snapshot')
                expect(Date.parse(id.hour) + HOUR_MS).toBeLessThanOrEqual(ms)
          } catch (error) {
            expect(error).toMatchObject({ code: 'STATE_HISTORY_MISSING' })
            expect(dropped.length).toBeGreaterThan(0)
          }
        },
      ),
    )
  })
})
