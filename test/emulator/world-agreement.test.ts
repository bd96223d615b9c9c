// Tests that the files that the service gives by its clock lead to the true state of the world:
// bootstrap, dailies, snapshots and priority files, in any order, in several marketplaces and
// categories.
// Long: its properties compare whole worlds.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DAY_MS, dayNumber, dayStart, HOUR_MS } from '../../src/emulator/world/item-life'
import type { World } from '../../src/emulator/world/world'
import {
  type Columns,
  type FeedFile,
  type FeedSchema,
  Gunzip,
  itemPrioritySchema,
  itemSchema,
  itemSnapshotSchema,
  type MergedItem,
  pipeline,
  type RowBatch,
  SnapshotMerger,
  TsvRowParser,
} from '../../src/index'
import { bodyOf, type Client, client } from './emulator-client'

interface Place {
  readonly marketplaceId: string
  readonly categoryId: string
}

interface Asked {
  readonly query: string
  readonly file: FeedFile
  readonly schema: FeedSchema<Columns>
}

const START = new Date('2026-03-01T07:00:00Z')
const dateOf = (day: number) =>
  new Date(day * DAY_MS).toISOString().slice(0, 10).replaceAll('-', '')
/** All documented columns, with the campaign payload of the item feed. */
const columnsOf = (world: World) => [...world.itemColumns, 'priorityListingPayload']

const bootstrap: Asked = {
  query: 'item?feed_scope=ALL_ACTIVE',
  file: { feed: 'item', scope: 'ALL_ACTIVE' },
  schema: itemSchema,
}
const daily = (day: number): Asked => ({
  query: `item?feed_scope=NEWLY_LISTED&date=${dateOf(day)}`,
  file: { feed: 'item', scope: 'NEWLY_LISTED', date: dateOf(day) },
  schema: itemSchema,
})
const snapshot = (time: number): Asked => ({
  query: `item_snapshot?snapshot_date=${new Date(time).toISOString()}`,
  file: { feed: 'item_snapshot', hour: new Date(time) },
  schema: itemSnapshotSchema,
})
const priority = (day: number): Asked => ({
  query: `item_priority?date=${dateOf(day)}`,
  file: { feed: 'item_priority', date: dateOf(day) },
  schema: itemPrioritySchema,
})

/** The batches of one file; none where it is 204. */
async function read(
  { get }: Client,
  { marketplaceId, categoryId }: Place,
  { query, file, schema }: Asked,
): Promise<RowBatch<Columns>[]> {
  const response = await get(`/${query}&category_id=${categoryId}`, {
    range: 'bytes=0-90000000',
    'X-MKT-C-MARKETPLACE-ID': marketplaceId,
  })
  expect([query, response.status === 200 || response.status === 204]).toEqual([query, true])
  if (response.status === 204) return []
  const lastModified = new Date(response.headers.get('last-modified')!)
  const bytes = await bodyOf(response)
  const batches: RowBatch<Columns>[] = []
  const parsed = pipeline([bytes])
    .to(new Gunzip())
    .to(new TsvRowParser({ schema, file: { ...file, lastModified } }))
  for await (const batch of parsed.batches()) batches.push(batch)
  return batches
}

async function mergedCells(
  client: Client,
  place: Place,
  files: readonly Asked[],
): Promise<string[][]> {
  const merger = new SnapshotMerger({ changes: 'none' })
  for (const file of files)
    for (const batch of await read(client, place, file)) merger.write(batch as never)
  merger.end()
  for await (const _ of merger) {
  }
  const columns = columnsOf(client.emulator.world)
  const cells: string[][] = []
  for await (const item of merger.entries()) cells.push(columns.map(name => cellOf(item, name)))
  return cells
}

/** The payload of a priority row replaces that of an older item row. */
function cellOf({ row, priority: newest, version }: MergedItem, column: string): string {
  if (column !== 'priorityListingPayload' || newest === null) return row.text(column)
  const { date } = newest.batch.file
  const endOfDay =
    Date.parse(`${date!.slice(0, 4)}-${date!.slice(4, 6)}-${date!.slice(6)}T07:00:00Z`) + DAY_MS
  return endOfDay > version.timeMs ? newest.text(column) : row.text(column)
}

const truth = (world: World, time: number, place: Place) =>
  Array.from(world.truthAt(new Date(time), place, columnsOf(world)), row => row.cells)

const shuffled = <T>(list: readonly T[], seed: number) =>
  fc.sample(fc.shuffledSubarray([...list], { minLength: list.length }), { seed, numRuns: 1 })[0]!

describe('the files of one world agree', () => {
  const options = fc.record({
    seed: fc.nat(),
    shape: fc.constantFrom('plain' as const, 'market' as const),
    items: fc.integer({ min: 1, max: 25 }),
    churn: fc.constantFrom(2, 40),
    order: fc.nat(),
  })

  test('the bootstrap, dailies, snapshots and priority files give the truth at the end of a day, in any order', () =>
    fc.assert(
      fc.asyncProperty(options, async ({ order, ...given }) => {
        const marketplaces = ['MKT_US', 'MKT_DE']
        const categories = ['220', '15032']
        const now = new Date(+START + 4 * DAY_MS + 9 * HOUR_MS)
        const opened = await client({
          world: { ...given, start: START, hours: 72, marketplaces, categories },
          now,
          format: { tailColumns: true, gzipLevel: 1 },
        })
        const [first, last] = [dayNumber(+START), dayNumber(+now) - 2]
        const end = dayStart(last + 1)
        const days = Array.from({ length: last - first + 1 }, (_, i) => first + i)
        const hours = Array.from(
          { length: (end - +START) / HOUR_MS },
          (_, i) => +START + i * HOUR_MS,
        )
        const files = [bootstrap, ...days.map(daily), ...hours.map(snapshot), ...days.map(priority)]
        for (const marketplaceId of marketplaces) {
          for (const categoryId of categories) {
            const place = { marketplaceId, categoryId }
            expect(await mergedCells(opened, place, shuffled(files, order))).toEqual(
              truth(opened.emulator.world, end, place),
            )
          }
        }
        await opened.emulator.close()
      }),
      { numRuns: 2 },
    ))

  test('a daily bootstrap and the snapshots since its Last-Modified give the truth at the end of the newest snapshot', () =>
    fc.assert(
      fc.asyncProperty(
        options,
        fc.integer({ min: 0, max: 40 }),
        async ({ order, ...given }, hoursLater) => {
          const now = new Date(+START + (60 + hoursLater) * HOUR_MS)
          const opened = await client({
            world: { ...given, start: START, hours: 48 },
            now,
            bootstrapAt: 'daily',
          })
          const place = { marketplaceId: 'MKT_US', categoryId: '220' }
          const whole = await opened.get(`/${bootstrap.query}&category_id=220`, {
            range: 'bytes=0-90000000',
          })
          const made = Date.parse(
            whole.headers.get('last-modified') ??
              new Date(dayStart(dayNumber(+now - 9 * HOUR_MS) - 1)).toISOString(),
          )
          const end = +now - HOUR_MS
          const hours = Array.from({ length: (end - made) / HOUR_MS }, (_, i) => made + i * HOUR_MS)
          const cells = await mergedCells(
            opened,
            place,
            shuffled([bootstrap, ...hours.map(snapshot)], order),
          )
          const documented = opened.emulator.world.itemColumns.length
          expect(cells.map(row => row.slice(0, documented))).toEqual(
            truth(opened.emulator.world, end, place).map(row => row.slice(0, documented)),
          )
          await opened.emulator.close()
        },
      ),
      { numRuns: 8 },
    ))

  test('payloads change within these days, also by priority files alone', async () => {
    const opened = await client({
      world: { seed: 3, items: 400, start: START, hours: 72 },
      now: new Date(+START + 4 * DAY_MS + 9 * HOUR_MS),
      format: { tailColumns: true, gzipLevel: 1 },
    })
    const place = { marketplaceId: 'MKT_US', categoryId: '220' }
    const days = [0, 1, 2].map(i => dayNumber(+START) + i)
    const at = async (files: Asked[]) =>
      (await mergedCells(opened, place, files)).map(row => [row[0], row.at(-1)])
    const [before, after] = [await at([bootstrap]), await at([bootstrap, ...days.map(priority)])]
    expect(after.filter(([, payload], i) => payload !== before[i]![1]).length).toBeGreaterThan(5)
    await opened.emulator.close()
  })
})
