// Compares TsvColumnParser with TsvRowParser and TsvObjectParser, however the bytes are cut. The
// laws are tested in laws.test.ts, and cells of every kind in codec/columns/.

import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { tsvBytes } from '../../../src/emulator/feeds/feed-file'
import { createWorld } from '../../../src/emulator/world/world'
import type { ColumnBatch } from '../../../src/engine/codec/columns/column-batch'
import type { BadRow } from '../../../src/engine/codec/tsv/bad-row-report'
import { FeedError } from '../../../src/engine/errors'
import { pipeline } from '../../../src/engine/pipeline/pipeline'
import { quarantine } from '../../../src/engine/quarantine/quarantine'
import {
  date,
  decimal,
  int32,
  list,
  text,
  timestamp,
} from '../../../src/engine/schema/column-kinds'
import {
  type Columns,
  defineSchema,
  type FeedName,
  type FeedSchema,
} from '../../../src/engine/schema/feed-schema'
import { schemaOf } from '../../../src/engine/schema/feed-schemas'
import type { BadCell } from '../../../src/engine/stages/bad-cell-policy'
import { ColumnDecoder } from '../../../src/engine/stages/column-decoder'
import { Gunzip } from '../../../src/engine/stages/gunzip'
import {
  TsvColumnParser,
  type TsvColumnParserOptions,
} from '../../../src/engine/stages/tsv-column-parser'
import { TsvObjectParser } from '../../../src/engine/stages/tsv-object-parser'
import { TsvRowParser } from '../../../src/engine/stages/tsv-row-parser'
import { richCell, tsv } from '../../tsv-text'

const FEEDS = ['item', 'item_group', 'item_snapshot', 'item_priority'] as const
const schema = defineSchema({
  name: 'other',
  columns: { n: int32(), price: decimal(), day: date(), tags: list(','), gone: int32() },
})
const HEADER = ['n', 'price', 'day', 'tags', 'other']
const file = (rows: readonly (readonly string[])[]) => Buffer.from(tsv([HEADER, ...rows]))

function cut(bytes: Uint8Array, size: number): Uint8Array[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
    bytes.subarray(n * size, (n + 1) * size),
  )
}

type Options = TsvColumnParserOptions<Columns, string>

/** Objects as JSON: a decimal of a column has no zeros at the end of its fraction. */
const shown = (objects: Iterable<object>) =>
  JSON.parse(JSON.stringify([...objects]), (_, value) =>
    typeof value === 'string' && /^-?\d+\.\d+$/.test(value)
      ? value.replace(/^(-?)0+(?=\d)/, '$1').replace(/\.?0+$/, '')
      : value,
  )

const objectsOf = (pieces: Iterable<Uint8Array>, options: Options) =>
  pipeline(pieces).to(new TsvColumnParser(options)).toArray()

const rowsOf = async (pieces: Iterable<Uint8Array>, options: Options) => {
  const { onBadCell = 'throw', engine: _, ...parsing } = options
  const rows = await pipeline(pieces)
    .to(new TsvRowParser(parsing))
    .to(new ColumnDecoder({ onBadCell }))
    .toArray()
  return rows.map(row => row.toObject())
}

/** What a run gives, or its failure. */
const outcomeOf = (run: Promise<readonly object[]>): Promise<unknown> =>
  run.then(shown, (error: unknown) => {
    if (!FeedError.is(error)) throw error
    return { code: error.code, context: error.context }
  })

async function expectSame(bytes: Uint8Array, sizes: readonly number[], options: Options) {
  const rows = await rowsOf([bytes], options)
  const objects = await pipeline([bytes])
    .to(new TsvObjectParser(options as never))
    .toArray()
  expect(shown(objects as object[])).toEqual(shown(rows))
  for (const size of sizes)
    for (const batchBytes of [64, 1 << 18])
      expect(shown(await objectsOf(cut(bytes, size), { ...options, batchBytes }))).toEqual(
        shown(rows),
      )
}

test('the objects of all rows, cut anywhere, behind each engine of Gunzip or not', async () => {
  const row = fc.tuple(
    fc.integer({ min: -1e6, max: 1e6 }).map(String),
    fc.constantFrom('', '-0.50', '9.90', '-1234567890123456.25', `${'9'.repeat(28)}.0000000001`),
    fc.constantFrom('', '0000-01-01', '1969-12-31', '1582-10-15', '9999-12-31'),
    fc.constantFrom('', 'a', 'a,b', 'é,"x"', 'ß, 漢字'),
    richCell,
  )
  await fc.assert(
    fc.asyncProperty(
      fc.array(row, { maxLength: 20 }),
      fc.integer({ min: 1, max: 200 }),
      fc.constantFrom(undefined, ['n'], ['other', 'n', 'gone']),
      fc.constantFrom('wasm' as const, 'zlib' as const, 'fflate' as const),
      async (rows, size, columns, engine) => {
        const bytes = file(rows)
        const options = { schema, ...(columns && { columns }) } as Options
        await expectSame(bytes, [size], options)
        const zipped = pipeline(cut(gzipSync(bytes), size)).to(new Gunzip({ engine }))
        expect(shown(await zipped.to(new TsvColumnParser(options)).toArray())).toEqual(
          shown(await rowsOf([bytes], options)),
        )
      },
    ),
    { numRuns: 25 },
  )
})

test('every cut of a small file', async () => {
  const bytes = file([
    ['1', '2.50', '1970-01-01', 'é,b', 'a\n"b"\\'],
    ['', '', '', '', ''],
    ['-7', '-0.1', '0000-02-29', ' ', '漢'],
  ])
  const expected = shown(await rowsOf([bytes], { schema }))
  for (let at = 0; at <= bytes.length; at++) {
    const pieces = [bytes.subarray(0, at), bytes.subarray(at)]
    expect(shown(await objectsOf(pieces, { schema, batchBytes: 64 }))).toEqual(expected)
  }
})

const folder = new URL('../../../fixtures/', import.meta.url)
const fixtures = FEEDS.flatMap(feed => {
  const room = feed.replace('_', '-')
  return readdirSync(new URL(room, folder))
    .filter(name => /\.tsv(\.gz)?$/.test(name))
    .map(name => [`${room}/${name}`, feed] as const)
})

test.each(fixtures)('%s: what TsvRowParser and ColumnDecoder make of it', async (name, feed) => {
  const raw = readFileSync(new URL(name, folder))
  const bytes = name.endsWith('.gz') ? gunzipSync(raw) : raw
  for (const policies of [
    {},
    { onBadRow: 'skip', onBadCell: 'null' },
    { onBadRow: 'skip', onBadCell: 'null', invalidUtf8: 'replace' },
  ] as const) {
    const options = { schema: schemaOf(feed) as FeedSchema<Columns>, ...policies }
    const expected = await outcomeOf(rowsOf([bytes], options))
    for (const size of [7, 1 << 20])
      expect(await outcomeOf(objectsOf(cut(bytes, size), options))).toEqual(expected)
  }
})

const world = createWorld({ seed: 5, items: 80, churn: 20 })

test.each(FEEDS)('the %s feed of a world', async (feed: FeedName & (typeof FEEDS)[number]) => {
  const isSpan = feed === 'item_snapshot'
  const to = isSpan ? new Date(+world.start + 3_600_000) : world.start
  const bytes = Buffer.concat([
    ...tsvBytes(world, {
      feed,
      content: isSpan ? 'span' : 'bootstrap',
      marketplaceId: 'MKT_US',
      categoryId: '220',
      from: world.start,
      to,
    }),
  ])
  const options = { schema: schemaOf(feed) as FeedSchema<Columns> }
  expect((await rowsOf([bytes], options)).length).toBeGreaterThan(0)
  await expectSame(bytes, [4096], options)
  const columns = Object.keys(options.schema.columns).slice(1, 4)
  await expectSame(bytes, [4096], { ...options, columns })
})

describe('cells that are not of their type', () => {
  const bytes = file([
    ['1', '1', '', 'a', ''],
    ['one', 'x', '', 'b', ''],
    ['3', '', '2023-02-29', '', 'x'],
    ['4', '4', '', '', ''],
  ])

  test('end the stream with the first one of the first row that has one', async () => {
    const failure = await outcomeOf(objectsOf([bytes], { schema }))
    expect(failure).toEqual(await outcomeOf(rowsOf([bytes], { schema })))
    expect(failure).toMatchObject({
      code: 'CELL_INVALID',
      context: { row: 2, line: 3, byteOffset: 31, column: 'n', excerpt: 'one' },
    })
  })

  test('are empty and counted with `null`, and passed to a function', async () => {
    const seen: BadCell[] = []
    for (const onBadCell of ['null', (bad: BadCell) => void seen.push(bad)] as const) {
      const parser = new TsvColumnParser({ schema, onBadCell })
      const objects = await pipeline([bytes]).to(parser).toArray()
      expect(objects.map(({ n, price, day }) => [n, price && `${price}`, day])).toEqual([
        [1, '1', null],
        [null, null, null],
        [3, null, null],
        [4, '4', null],
      ])
      expect(parser.badCells).toBe(3)
    }
    const told: BadCell[] = []
    await rowsOf([bytes], { schema, onBadCell: bad => void told.push(bad) })
    const plain = (cells: BadCell[]) =>
      cells
        .map(({ column, text: cell, position, error }) => ({
          column,
          cell,
          position,
          context: error.context,
        }))
        .sort((a, b) => a.position.row - b.position.row || (a.column < b.column ? -1 : 1))
    expect(plain(seen)).toEqual(plain(told))
  })

  test('take their rows into a quarantine, with the position', async () => {
    const files = ['rows', 'columns'].map(name =>
      join(tmpdir(), `feedmill-${name}-${process.pid}.ndjson`),
    )
    const [rowsFile, columnsFile] = files as [string, string]
    try {
      const rows = quarantine(rowsFile)
      const left = await rowsOf([bytes], { schema, onBadCell: rows, onBadRow: rows })
      const columns = quarantine(columnsFile)
      const parser = new TsvColumnParser({ schema, onBadCell: columns, onBadRow: columns })
      const { stages } = await pipeline([bytes])
        .to(parser)
        .forEach(() => {})
      expect(left.map(({ n }) => n)).toEqual([1, 4])
      const byRow = (path: string) =>
        readFileSync(path, 'utf8')
          .trimEnd()
          .split('\n')
          .map(line => JSON.parse(line))
          .filter(record => 'row' in record)
          .map(({ row, line, byteOffset, code, column, text: line_ }) => ({
            row,
            line,
            byteOffset,
            code,
            column,
            text: line_,
          }))
          .sort((a, b) => a.row - b.row)
      expect(byRow(columnsFile)).toEqual(byRow(rowsFile))
      expect(byRow(columnsFile).map(({ row }) => row)).toEqual([2, 3])
      expect(stages.at(-1)).toMatchObject({ rowsOut: 2, rowsLeftOut: 2 })
      expect([columns.rows, columns.bytes]).toEqual([rows.rows, rows.bytes])
    } finally {
      for (const path of files) rmSync(path, { force: true })
    }
  })
})

test('bad rows are those of TsvRowParser, and their neighbours keep their cells', async () => {
  const bytes = Buffer.concat([
    file([['1', '1.5', '', 'a', 'é']]),
    Buffer.from('short\n2\t\t\t\t\xff\n3\t\t\t"b,c"\tx\n', 'latin1'),
    Buffer.from('4\t4.25\t1969-12-31\tß\t"y"z\n5\t\t\t\t漢\n'),
  ])
  for (const invalidUtf8 of ['bad-row', 'replace'] as const) {
    const bad: BadRow[][] = [[], []]
    const options = (n: number) => ({
      schema,
      invalidUtf8,
      onBadRow: (row: BadRow) => void bad[n]!.push(row),
    })
    const rows = await rowsOf([bytes], options(0) as Options)
    expect(shown(await objectsOf([bytes], options(1) as Options))).toEqual(shown(rows))
    const plain = (all: BadRow[]) => all.map(({ code, position }) => ({ code, position }))
    expect(plain(bad[1]!)).toEqual(plain(bad[0]!))
    expect(bad[1]).toHaveLength(invalidUtf8 === 'replace' ? 2 : 3)
  }
})

test('a cell of 10 MB is one of a batch, and its neighbours are whole', async () => {
  const long = 'é"漢\n'.repeat(1_250_000)
  const notes = defineSchema({ name: 'other', columns: { n: int32(), note: text() } })
  const bytes = Buffer.from(
    tsv([
      ['n', 'note'],
      ['1', 'a'],
      ['2', long],
      ['3', 'b'],
    ]),
  )
  const batches: ColumnBatch<typeof notes.columns>[] = []
  const run = pipeline(cut(bytes, 1 << 20)).to(
    new TsvColumnParser({ schema: notes, maxRowBytes: 1 << 24 }),
  )
  for await (const batch of run.batches()) batches.push(batch)
  const cells = batches.flatMap(batch => [...batch.column('note')])
  expect(cells.map(cell => cell?.length)).toEqual([1, long.length, 1])
  expect(cells[1] === long).toBe(true)
  expect(batches.flatMap(batch => [...batch.column('n')])).toEqual([1, 2, 3])
  const fails = objectsOf([bytes], { schema: notes })
  await expect(fails).rejects.toMatchObject({ code: 'TSV_QUOTE_UNCLOSED' })
})

test('4,096 columns of several kinds', async () => {
  const makers = [int32(), text(), list('|'), timestamp(), decimal()]
  const names = Array.from({ length: 4096 }, (_, n) => `c${n}`)
  const wide = defineSchema({
    name: 'other',
    columns: Object.fromEntries(names.map((name, n) => [name, makers[n % makers.length]!])),
  })
  const cells = ['-5', 'ß', 'a||é', '1969-12-31T23:59:59.999Z', '-0.10']
  const row = names.map((_, n) => cells[n % cells.length]!)
  const bytes = Buffer.from(tsv([names, row, names.map(() => ''), row.with(4095, '7')]))
  const expected = shown(await rowsOf([bytes], { schema: wide }))
  expect(shown(await objectsOf(cut(bytes, 1 << 14), { schema: wide }))).toEqual(expected)
})

test.each<[string, unknown]>([
  ['onBadCell', 'skip'],
  ['columns', []],
  ['batchBytes', 0],
  ['values', 'text'],
])('%s: %s is OPTION_INVALID', (option, value) => {
  expect(() => new TsvColumnParser({ [option]: value })).toThrow(
    expect.objectContaining({ code: 'OPTION_INVALID' }),
  )
})
