import { gunzipSync } from 'node:zlib'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { FeedName } from '../../../src'
import {
  feedLines,
  gzipBytes,
  tsvBlocks,
  tsvBytes,
  tsvCell,
  tsvLine,
} from '../../../src/emulator/feeds/feed-file'
import {
  checkFileFormat,
  type FeedFile,
  type FileFormat,
  fileKey,
} from '../../../src/emulator/feeds/file-format'
import { dayNumber, dayStart, HOUR_MS } from '../../../src/emulator/world/item-life'
import { createWorld, type World } from '../../../src/emulator/world/world'

const bootstrap = (feed: FeedName, at: Date): FeedFile => ({
  feed,
  content: 'bootstrap',
  marketplaceId: 'MKT_US',
  categoryId: '220',
  from: at,
  to: at,
})
const span = (feed: FeedName, from: Date, to: Date): FeedFile => ({
  feed,
  content: 'span',
  marketplaceId: 'MKT_US',
  categoryId: '220',
  from,
  to,
})
const hour = (world: World, h: number) =>
  span(
    'item_snapshot',
    new Date(+world.start + h * HOUR_MS),
    new Date(+world.start + (h + 1) * HOUR_MS),
  )

/** Reads a file with an independent parser. */
function records(world: World, file: FeedFile, format?: FileFormat): Record<string, string>[] {
  const text = Buffer.concat([...tsvBytes(world, file, format)]).toString('utf8')
  return parse(text, {
    columns: true,
    delimiter: '\t',
    quote: '"',
    escape: '\\',
    record_delimiter: ['\n', '\r\n'],
  }) as Record<string, string>[]
}

async function bytesOf(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = []
  for await (const chunk of chunks) all.push(chunk)
  return Buffer.concat(all)
}

describe('feed files', () => {
  test('an item file holds the cells of the world', () => {
    const world = createWorld({ seed: 9, items: 1_200 })
    for (const format of [
      {},
      { tailColumns: true },
      { tailColumns: true, unknownColumns: true },
    ] as FileFormat[]) {
      const rows = records(world, bootstrap('item', world.start), format)
      const columns = Object.keys(rows[0]!)
      expect(rows.map(row => Object.values(row))).toEqual(
        Array.from(world.truthAt(world.start, {}, columns), row => row.cells),
      )
    }
  })

  test('the bootstrap and the snapshots, merged in the simplest way, give the true state', () => {
    const options = fc.record({
      seed: fc.integer(),
      items: fc.integer({ min: 1, max: 40 }),
      churn: fc.constantFrom(1, 30, 300),
      hours: fc.integer({ min: 1, max: 6 }),
    })
    fc.assert(
      fc.property(options, given => {
        const world = createWorld(given)
        const merged = new Map(
          records(world, bootstrap('item', world.start)).map(row => [row.itemId, row]),
        )
        for (let h = 0; h < given.hours; h++) {
          for (const row of records(world, hour(world, h))) {
            if (row.availability === 'UNAVAILABLE') merged.delete(row.itemId)
            else merged.set(row.itemId, row)
          }
        }
        const reached = [...merged.values()]
          .map(row => world.itemColumns.map(name => row[name]))
          .sort((a, b) => (a[0]! < b[0]! ? -1 : 1))
        expect(reached).toEqual(Array.from(world.truthAt(world.end), row => row.cells))
      }),
      { numRuns: 25 },
    )
  })

  test('an ended item fills only itemId and availability', () => {
    const world = createWorld({ seed: 3, items: 3_000, churn: 30 })
    const rows = records(world, hour(world, 5))
    const ended = rows.filter(row => row.availability === 'UNAVAILABLE')
    expect(ended.length).toBeGreaterThan(5)
    for (const row of ended)
      expect(
        Object.entries(row)
          .filter(([, value]) => value !== '')
          .map(([name]) => name),
      ).toEqual(['itemId', 'availability'])
    expect(Object.keys(rows[0]!).slice(0, 4)).toEqual([
      'itemId',
      'availability',
      'title',
      'imageUrl',
    ])
    expect(Object.keys(rows[0]!)).toHaveLength(42)
  })

  test('the dates of a snapshot row give its moment and say whether it is new', () => {
    const world = createWorld({ seed: 3, items: 3_000, churn: 10 })
    const file = hour(world, 2)
    for (const row of records(world, file)) {
      if (row.availability === 'UNAVAILABLE') continue
      const moment = Date.parse(row.itemSnapshotDate!)
      expect(moment >= +file.from && moment < +file.to).toBe(true)
      expect(row.changeMetadata!.split('|').includes('NEW')).toBe(
        Date.parse(row.itemCreationDate!) >= +file.from,
      )
    }
  })

  test('a daily file holds the items listed on its day, in their state at that time', () => {
    const world = createWorld({ seed: 6, items: 1_000, hours: 72 })
    const day = dayNumber(+world.start + 30 * HOUR_MS)
    const [from, to] = [new Date(dayStart(day)), new Date(dayStart(day + 1))]
    const truth = new Map(Array.from(world.truthAt(to), row => [row.itemId, row.cells]))
    const rows = records(world, span('item', from, to))
    expect(rows.length).toBeGreaterThan(10)
    for (const row of rows) expect(Object.values(row)).toEqual(truth.get(row.itemId!))
    expect(rows.map(row => row.itemId)).toEqual(
      Array.from(world.listedWithin(from, to), item => item.itemId),
    )
  })

  test('group and priority files have their columns, and only an item removed from its campaign has no payload', () => {
    const world = createWorld({ seed: 6, items: 4_000, hours: 72 })
    const day = dayNumber(+world.start + 30 * HOUR_MS)
    const groups = records(world, bootstrap('item_group', world.start))
    expect(Object.keys(groups[0]!).join()).toBe(
      'itemGroupId,itemGroupType,title,variesByLocalizedAspects,imageUrl,additionalImageUrls,imageAlteringProhibited',
    )
    const priority = records(
      world,
      span('item_priority', new Date(dayStart(day)), new Date(dayStart(day + 1))),
    )
    expect(Object.keys(priority[0]!)).toEqual([
      'itemId',
      'priorityListingPayload',
      'changeMetadata',
    ])
    for (const row of priority)
      expect(row.priorityListingPayload === '').toBe(row.changeMetadata === 'REMOVED_FROM_CAMPAIGN')
  })

  test('the gzip bytes are the same each time, carry no time, and inflate to the TSV bytes', async () => {
    const make = () =>
      bytesOf(
        gzipBytes(
          createWorld({ seed: 7, items: 2_000 }),
          bootstrap('item', new Date('2026-03-01T00:00:00Z')),
        ),
      )
    const [first, second] = await Promise.all([make(), make()])
    expect(first.equals(second)).toBe(true)
    expect(first.readUInt32LE(4)).toBe(0)
    const world = createWorld({ seed: 7, items: 2_000 })
    expect(
      gunzipSync(first).equals(Buffer.concat([...tsvBytes(world, bootstrap('item', world.start))])),
    ).toBe(true)
    const other = await bytesOf(
      gzipBytes(createWorld({ seed: 8, items: 2_000 }), bootstrap('item', world.start)),
    )
    expect(other.equals(first)).toBe(false)
  })

  test('a reader that stops early stops the generation', async () => {
    const world = createWorld({ seed: 7, items: 50_000_000 })
    for await (const chunk of gzipBytes(world, bootstrap('item', world.start))) {
      expect(chunk.length).toBeGreaterThan(0)
      break
    }
  })

  test('a file without rows does not exist', async () => {
    const world = createWorld({ seed: 7, items: 0 })
    expect(await bytesOf(gzipBytes(world, bootstrap('item', world.start)))).toHaveLength(0)
    expect([...feedLines(world, bootstrap('item_group', world.start))]).toHaveLength(1)
  })

  test('the unknown column is between two documented ones, and headers have the requested spelling', () => {
    const world = createWorld({ seed: 7, items: 10 })
    const header = (format: FileFormat) =>
      feedLines(world, bootstrap('item', world.start), format).next().value!.trimEnd().split('\t')
    const names = header({ unknownColumns: true })
    expect(
      names.slice(names.indexOf('returnMethod'), names.indexOf('returnShippingCostPayer') + 1),
    ).toEqual(['returnMethod', 'RestockingFeePercentage', 'returnShippingCostPayer'])
    expect(header({})).toEqual(world.itemColumns)
    expect(header({ headerSpelling: 'PascalCase' })).toContain('GTIN')
  })

  test('different files have different keys', () => {
    const at = new Date('2026-03-01T00:00:00Z')
    const files = (['item', 'item_group'] as const).flatMap(feed => [
      bootstrap(feed, at),
      span(feed, at, at),
    ])
    expect(new Set(files.map(fileKey)).size).toBe(4)
  })

  test('an invalid gzip level is refused', () => {
    expect(() => checkFileFormat({ gzipLevel: 10 })).toThrow(
      expect.objectContaining({ code: 'OPTION_INVALID' }),
    )
  })

  test('fault 102: a name of no file is refused at the call', () => {
    const world = createWorld({ seed: 7, items: 10 })
    const file = bootstrap('item', new Date('2026-03-01T00:00:00Z'))
    for (const [given, option] of [
      [{ ...file, feed: 'items' }, 'file.feed'],
      [{ ...file, category: '220' }, 'category'],
      [{ ...file, to: '2026-03-01' }, 'file.to'],
    ] as const) {
      const refusal = expect.objectContaining({
        code: 'OPTION_INVALID',
        context: expect.objectContaining({ option }),
      })
      for (const make of [feedLines, tsvBytes, gzipBytes])
        expect(() => make(world, given as never)).toThrow(refusal)
    }
  })
})

describe('TSV', () => {
  const cell = fc.string({
    unit: fc.constantFrom('a', 'é', '日', '🎁', '\t', '"', '\\', '\n', '\r', ' ', "'"),
    maxLength: 6,
  })

  describe('TSV writer', () => {
    test.each([
      ['plain', 'plain'],
      ['', ''],
      ["it's", "it's"],
      ['a\tb', '"a\tb"'],
      ['15" wide', '"15\\" wide"'],
      ['C:\\', '"C:\\\\"'],
      ['a\nb', '"a\nb"'],
      ['a\rb', '"a\rb"'],
    ])('%j is written as %s', (value, written) => {
      expect(tsvCell(value)).toBe(written)
    })

    test('an independent reader reads every cell back', () => {
      fc.assert(
        fc.property(fc.array(fc.tuple(fc.constant('x'), cell, cell), { maxLength: 5 }), rows => {
          const text = [...tsvBlocks(rows.map(tsvLine), 7)]
            .map(block => Buffer.from(block).toString('utf8'))
            .join('')
          const read = parse(text, {
            delimiter: '\t',
            quote: '"',
            escape: '\\',
            record_delimiter: ['\n', '\r\n'],
          })
          expect(read).toEqual(rows)
        }),
      )
    })

    test('blocks hold whole lines', () => {
      const blocks = [...tsvBlocks(['one\n', 'two\n', 'three\n'], 5)].map(block =>
        Buffer.from(block).toString(),
      )
      expect(blocks).toEqual(['one\ntwo\n', 'three\n'])
      expect([...tsvBlocks([])]).toEqual([])
    })
  })
})
