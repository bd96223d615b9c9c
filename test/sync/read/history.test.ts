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
import { afterAll, beforeAll, expect, test } from 'vitest'
import { machineEnvironment } from '../../../src/sync/folder/environment'
import { type OpenCategory, openState } from '../../../src/sync/read/open-state'
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
})
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
