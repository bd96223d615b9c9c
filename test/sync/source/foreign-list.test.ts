// The list and the files of a shop that knows nothing of the service: other names, CSV with
// semicolons, quotes and comments, removals by a word, and a list in its own words.

import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { decimal, defineSchema, int32, text, timestamp } from '../../../src/index'
import { fetchTransport } from '../../../src/service/http/fetch-transport'
import { openState } from '../../../src/sync/read/open-state'
import { sync } from '../../../src/sync/run/sync'
import type { FeedSource, SourceFile } from '../../../src/sync/source/feed-source'
import { SimulatedMachine } from '../simulated-machine'
import { FOLDER } from '../small-run'

const fixtures = new URL('../../../fixtures/foreign-feed/', import.meta.url)

interface ForeignList {
  readonly exports: readonly {
    readonly object: string
    readonly mode: 'VOLL' | 'DELTA'
    readonly createdAt: string
  }[]
}

const columns = {
  sku: text({ aliases: ['Artikel-Nr.'], notNull: true }),
  title: text({ aliases: ['Bezeichnung'] }),
  price: decimal({ aliases: ['Preis (EUR)'] }),
  stock: int32({ aliases: ['Bestand'] }),
  updatedAt: timestamp({ aliases: ['Stand'] }),
  status: text({ aliases: ['Status'] }),
}

/** The shop's server has its files and no ranges. */
const asked: string[] = []
const transport = fetchTransport(async ({ url }) => {
  asked.push(new URL(url).pathname)
  const file = new URL(`.${new URL(url).pathname}`, fixtures)
  if (!existsSync(file)) return new Response('gone', { status: 404 })
  const bytes = readFileSync(file)
  const headers = { 'content-type': 'text/csv', 'content-length': String(bytes.length) }
  return new Response(bytes, { headers })
})

/** The list as the shop has it until a time. */
function filesUntil(time: string): SourceFile[] {
  const list = JSON.parse(readFileSync(new URL('list.json', fixtures), 'utf8')) as ForeignList
  return list.exports
    .filter(({ createdAt }) => createdAt <= time)
    .map(({ object, mode, createdAt }) => ({
      id: object,
      from: `https://gartenhaus.test/${object}`,
      kind: mode === 'VOLL' ? 'full' : 'changes',
      time: new Date(createdAt),
    }))
}

function sourceUntil(time: string): FeedSource<typeof columns> {
  return {
    name: 'gartenhaus',
    schema: defineSchema({ name: 'sortiment', columns }),
    key: 'sku',
    version: 'updatedAt',
    isRemoved: row => row.get('status') === 'gelöscht',
    dialect: { delimiter: ';', quoting: 'doubled', comment: '#' },
    files: async () => filesUntil(time),
    transport,
  }
}

async function itemsAt(machine: SimulatedMachine): Promise<unknown[]> {
  const state = await openState(FOLDER, { environment: machine.start() })
  const items: unknown[] = []
  for await (const block of state.feed(sourceUntil('')).rows())
    for (const row of block)
      items.push([row.get('sku'), row.get('title'), row.get('price')?.text, row.get('stock')])
  await state.close()
  return items
}

const hoe = 'Hacke; Stiel\r\naus Esche'
const DAYS: readonly [string, number, unknown[]][] = [
  [
    '2026-03-01T05:00:00Z',
    0,
    [
      ['100-1', 'Gießkanne "Bert", 10 l', '24.90', 17],
      ['100-2', 'Schlauch', '39.00', 4],
      ['100-3', hoe, '18.50', 0],
      ['100-4', 'Eimer', '6.00', 80],
    ],
  ],
  [
    '2026-03-02T05:00:00Z',
    1,
    [
      ['100-1', 'Gießkanne "Bert", 10 l', '24.90', 17],
      ['100-2', 'Schlauch, 25 m', '37.00', 9],
      ['100-3', hoe, '17.90', 2],
      ['100-5', 'Spaten', '29.00', 12],
    ],
  ],
  [
    '2026-03-03T05:00:00Z',
    0,
    [
      ['100-2', 'Schlauch, 25 m', '37.00', 7],
      ['100-3', hoe, '17.90', 2],
      ['100-6', 'Rechen', '14.00', 25],
    ],
  ],
]

describe('the feed of another shop', () => {
  test('is followed day by day, each file once', async () => {
    const machine = new SimulatedMachine(0)
    asked.length = 0
    for (const [time, leftOut, items] of DAYS) {
      const options = { source: sourceUntil(time), folder: FOLDER, environment: machine.start() }
      const { rowsLeftOut, categories } = await sync(options).summary
      expect([rowsLeftOut, categories[0]!.missing]).toEqual([leftOut, []])
      expect(await itemsAt(machine)).toEqual(items)
    }
    expect(asked.length).toBe(4)
    expect(new Set(asked).size).toBe(4)
  })

  test('is read from its newest full file by a run that begins late', async () => {
    const machine = new SimulatedMachine(0)
    asked.length = 0
    const source = sourceUntil('2026-03-04')
    await sync({ source, folder: FOLDER, environment: machine.start() }).summary
    expect([asked, await itemsAt(machine)]).toEqual([['/sortiment-0303.csv'], DAYS[2]![2]])
  })
})
