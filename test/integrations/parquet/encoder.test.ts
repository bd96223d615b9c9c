// The encoder of Parquet, against three readers of other code, and page by page. The batches here have
// any types and any cuts; parquet-sink.test.ts has those of files.

import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { snappyUncompress } from 'hyparquet'
import { readRleBitPackedHybrid } from 'hyparquet/src/encoding.js'
import { afterAll, expect, test } from 'vitest'
import type { ArrowField, ArrowType } from '../../../src/engine/codec/columns/arrow-type'
import { columnData } from '../../../src/engine/codec/columns/column-data'
import { dataOfValues } from '../../../src/engine/sinks/column-items'
import { type ColumnBatch, pipeline } from '../../../src/index'
import { ByteBuffer } from '../../../src/integrations/parquet/byte-buffer'
import { Dictionary } from '../../../src/integrations/parquet/dictionary'
import { footer, rowGroup } from '../../../src/integrations/parquet/footer'
import { leavesOf, schemaNode, slotsOfRows } from '../../../src/integrations/parquet/leaf-slots'
import { pageCore } from '../../../src/integrations/parquet/page-core'
import { RawValues } from '../../../src/integrations/parquet/raw-values'
import { ValueRange } from '../../../src/integrations/parquet/value-range'
import { type ParquetSinkOptions, parquetSink } from '../../../src/parquet'
import {
  byDuckdb,
  byHyparquet,
  byParquetWasm,
  chunksOf,
  given,
  metadataOf,
  query,
} from './parquet-readers'

const folder = await mkdtemp(join(tmpdir(), 'feedmill-parquet-encoder-'))
const path = join(folder, 'rows.parquet')
afterAll(() => rm(folder, { recursive: true, force: true }))

type Row = Readonly<Record<string, unknown>>

/** A batch as a parser makes it. */
function batchOf(fields: readonly ArrowField[], rows: readonly Row[]): ColumnBatch {
  const columns = fields.map(({ name, type }) => ({
    name,
    type,
    data: dataOfValues(
      type,
      rows.map(row => row[name] ?? null),
    ),
  }))
  const parts = { length: rows.length, columns, file: { feed: 'any' } }
  return { ...parts, column: () => columns[0], [Symbol.iterator]: () => rows.values() } as never
}

/** Writes rows in batches that end at the cuts. Returns the bytes of the file. */
async function written(
  fields: readonly ArrowField[],
  rows: readonly Row[],
  { cuts = [], ...options }: ParquetSinkOptions<undefined> & { cuts?: readonly number[] } = {},
): Promise<Buffer> {
  const ends = [...cuts.filter(cut => cut < rows.length).sort((a, b) => a - b), rows.length]
  const batches = ends.map((end, n) => batchOf(fields, rows.slice(ends[n - 1] ?? 0, end)))
  await pipeline(batches).run(parquetSink(path, options))
  return readFile(path)
}

const UTF8: ArrowType = { kind: 'utf8' }
const column = (type: ArrowType): ArrowField[] => [{ name: 'a', type }]
const rowsOf = (values: readonly unknown[]) => values.map(a => ({ a }))

// Types, and values that their columns can have.

const text = fc.string({ unit: 'binary', maxLength: 12 }).map(value => value.toWellFormed())
const fewTexts = fc.constantFrom('', 'a', 'ab', 'abc', 'abcdefgh', 'abcdefghijkl', 'é', '😀')
const scalars: readonly (readonly [ArrowType, fc.Arbitrary<unknown>])[] = [
  [UTF8, fc.oneof(text, fewTexts)],
  [{ kind: 'int32' }, fc.oneof(fc.integer(), fc.integer({ min: -2, max: 2 }))],
  [{ kind: 'int64' }, fc.oneof(fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n), fc.bigInt(-2n, 2n))],
  [{ kind: 'float64' }, fc.oneof(fc.double({ noNaN: true }), fc.constantFrom(-0, 0, 1.5))],
  [{ kind: 'boolean' }, fc.boolean()],
  [{ kind: 'date' }, fc.integer({ min: 0, max: 40_000 }).map(dayOf)],
  [{ kind: 'timestamp' }, fc.integer({ min: 0, max: 4e9 }).map(n => new Date(n * 999))],
  [
    { kind: 'decimal', scale: 2 },
    fc.integer({ min: -99_999, max: 99_999 }).map(n => (n / 100).toFixed(2)),
  ],
  [{ kind: 'dictionary', values: ['new', 'used', 'broken'] }, fc.constantFrom('new', 'used')],
]

function dayOf(days: number): string {
  return new Date(days * 86_400_000).toISOString().slice(0, 10)
}

type Column = readonly [ArrowType, fc.Arbitrary<unknown>]
const nullable = (value: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 3, arbitrary: value }, { weight: 1, arbitrary: fc.constant(null) })

const listOf = ([item, value]: Column): Column => [
  { kind: 'list', item },
  fc.array(item.kind === 'list' ? value : nullable(value), { maxLength: 4 }),
]

function structOf(parts: readonly Column[]): Column {
  const fields = parts.map(([type], n) => ({ name: `f${n}`, type }))
  const values = parts.map(([type, value], n) => [
    `f${n}`,
    // Columns have no lists inside that are null.
    type.kind === 'list' ? value : nullable(value),
  ])
  return [{ kind: 'struct', fields }, fc.record(Object.fromEntries(values))]
}

/** All values of a column are few, so that it has a dictionary, or any. */
const scalar = fc.constantFrom(...scalars).chain(([type, value]) =>
  fc.oneof(
    fc.constant<Column>([type, value]),
    fc.tuple(value, value).map((few): Column => [type, fc.constantFrom(...few)]),
  ),
)
const list = scalar.map(listOf)
const struct = fc.array(fc.oneof(scalar, list), { minLength: 1, maxLength: 3 }).map(structOf)
const anyColumn = fc.oneof(scalar, list, struct, struct.map(listOf), list.map(listOf))

const table = fc.array(anyColumn, { minLength: 1, maxLength: 4 }).chain(columns => {
  const fields = columns.map(([type], n) => ({ name: `c${n}`, type }))
  const values = columns.map(([, value], n) => [`c${n}`, nullable(value)])
  const rows = fc.array(fc.record(Object.fromEntries(values)) as fc.Arbitrary<Row>, {
    maxLength: 60,
  })
  return rows.map(drawn => ({ fields, rows: drawn }))
})

test('three readers of other code read what was written, however it was cut', async () => {
  await fc.assert(
    fc.asyncProperty(
      table,
      fc.array(fc.nat(60), { maxLength: 4 }),
      fc.constantFrom(1, 7, 1000),
      fc.constantFrom('snappy', 'gzip', 'none'),
      async ({ fields, rows }, cuts, rowGroupRows, compression) => {
        const bytes = await written(fields, rows, { cuts, rowGroupRows, compression })
        const expected = given(fields, rows)
        expect(byParquetWasm(fields, bytes)).toEqual(expected)
        expect(await byDuckdb(fields, path)).toEqual(expected)
        expect(await byHyparquet(fields, bytes)).toEqual(expected)
        checkStructure(bytes, rows.length)
      },
    ),
    { numRuns: 60 },
  )
})

/** What readers do not all check: counts, sizes, offsets and CRCs. */
function checkStructure(bytes: Buffer, rows: number): void {
  const { row_groups, num_rows } = metadataOf(bytes)
  expect(Number(num_rows)).toBe(rows)
  expect(row_groups.reduce((sum, group) => sum + Number(group.num_rows), 0)).toBe(rows)
  for (const group of row_groups) {
    const sizes = group.columns.map(({ meta_data }) => Number(meta_data!.total_compressed_size))
    expect(Number(group.total_compressed_size)).toBe(sizes.reduce((sum, size) => sum + size, 0))
  }
  for (const { meta, pages } of chunksOf(bytes)) {
    const dataPages = pages.filter(page => !page.isDictionary)
    expect(dataPages.reduce((sum, { values }) => sum + values, 0)).toBe(Number(meta.num_values))
    for (const { crc, body } of pages) expect(crc32(body)).toBe(crc)
    for (const { encoding } of pages) expect(meta.encodings).toContain(encoding)
    if (meta.codec !== 'UNCOMPRESSED') continue
    for (const { rawBytes, body } of pages) expect(body.length).toBe(rawBytes)
  }
}

test('a flipped bit of any page is found by its CRC', async () => {
  const bytes = await written(column(UTF8), rowsOf(['a', 'b', 'a', null]))
  for (const { pages } of chunksOf(bytes))
    for (const { at, body } of pages)
      for (let bit = 0; bit < 8 * body.length; bit++) {
        const flipped = Buffer.from(bytes)
        flipped[at + (bit >> 3)]! ^= 1 << (bit & 7)
        const wrong = chunksOf(flipped).flatMap(chunk => chunk.pages)
        expect(wrong.filter(page => crc32(page.body) !== page.crc)).toHaveLength(1)
      }
})

const LIST: ArrowType = { kind: 'list', item: UTF8 }

test('lists of 65,537 items are whole, and no page begins inside a row', async () => {
  const long = Array.from({ length: 65_537 }, (_, n) => (n % 5 === 0 ? null : `v${n % 3000}`))
  const values = [['x'], long, [], ...Array.from({ length: 30_000 }, () => ['y', 'z']), long]
  const rows = rowsOf(values)
  const bytes = await written(column(LIST), rows, {
    cuts: [1, 2, 900, 20_000],
    compression: 'none',
  })
  const expected = given(column(LIST), rows)
  // A report of the difference would take minutes.
  expect(isDeepStrictEqual(byParquetWasm(column(LIST), bytes), expected)).toBe(true)
  expect(isDeepStrictEqual(await byDuckdb(column(LIST), path), expected)).toBe(true)
  expect(isDeepStrictEqual(await byHyparquet(column(LIST), bytes), expected)).toBe(true)
  checkStructure(bytes, rows.length)
  const pages = chunksOf(bytes).flatMap(chunk => chunk.pages.filter(page => !page.isDictionary))
  expect(pages.length).toBeGreaterThan(2)
  for (const { body } of pages) expect(firstRepetition(body)).toBe(0)
}, 60_000)

/** Returns the repetition level of the first slot of a page that is not compressed. */
function firstRepetition(body: Uint8Array): number {
  const view = new DataView(body.buffer, body.byteOffset, body.length)
  const output = new Uint8Array(8)
  readRleBitPackedHybrid({ view, offset: 4 }, 1, output, view.getInt32(0, true))
  return output[0]!
}

test.each([
  ['null', [null, null, null]],
  ['no row', []],
])('all columns of %s are read by all', async (_, values) => {
  const fields = [...scalars.map(([type]) => type), LIST].map((type, n) => ({
    name: `c${n}`,
    type,
  }))
  const rows = values.map(value => Object.fromEntries(fields.map(({ name }) => [name, value])))
  const bytes = await written(fields, rows)
  const expected = given(fields, rows)
  expect(byParquetWasm(fields, bytes)).toEqual(expected)
  expect(await byDuckdb(fields, path)).toEqual(expected)
  expect(await byHyparquet(fields, bytes)).toEqual(expected)
  for (const { meta, pages } of chunksOf(bytes)) {
    expect(Number(meta.statistics!.null_count)).toBe(3)
    expect(meta.statistics!.min_value).toBeUndefined()
    // Without a value there is no dictionary that places could be in.
    expect(pages.map(({ encoding }) => encoding)).toEqual(['PLAIN'])
  }
})

test('a page without a value behind a dictionary has the width of its places', async () => {
  const values = [...Array(20_000).fill('a'), ...Array(20_000).fill(null)]
  const cuts = Array.from({ length: 40 }, (_, n) => 1000 * n)
  const bytes = await written(column(UTF8), rowsOf(values), { cuts, compression: 'none' })
  const [chunk] = chunksOf(bytes)
  expect(chunk!.pages.at(-1)!.encoding).toBe('RLE_DICTIONARY')
  expect(chunk!.pages.at(-1)!.body.at(-1)).toBe(1)
  expect(isDeepStrictEqual(byParquetWasm(column(UTF8), bytes), rowsOf(values))).toBe(true)
  expect(isDeepStrictEqual(await byDuckdb(column(UTF8), path), rowsOf(values))).toBe(true)
})

test('a dictionary that passes 1 MiB is left, and one that does not pay is none', async () => {
  const encodingsOf = async (values: readonly unknown[], type = UTF8) => {
    const cuts = Array.from({ length: 80 }, (_, n) => 1000 * n)
    const bytes = await written(column(type), rowsOf(values), { cuts })
    const read = byParquetWasm(column(type), bytes)
    expect(isDeepStrictEqual(read, given(column(type), rowsOf(values)))).toBe(true)
    const [chunk] = chunksOf(bytes)
    for (const page of chunk!.pages)
      if (page.isDictionary) expect(page.rawBytes).toBeLessThanOrEqual(1 << 20)
    return chunk!.pages.map(page => (page.isDictionary ? 'dictionary' : page.encoding))
  }
  const unique = Array.from({ length: 60_000 }, (_, n) => `value ${n}`)
  expect(new Set(await encodingsOf(unique))).toEqual(new Set(['PLAIN']))
  const repeated = Array.from({ length: 60_000 }, (_, n) => `value ${n % 50}`)
  expect(new Set((await encodingsOf(repeated)).slice(1))).toEqual(new Set(['RLE_DICTIONARY']))
  const long = 'x'.repeat(300)
  const later = Array.from({ length: 60_000 }, (_, n) => (n < 20_000 ? 'few' : `${n >> 2} ${long}`))
  const mixed = await encodingsOf(later)
  expect(mixed.slice(0, 2)).toEqual(['dictionary', 'RLE_DICTIONARY'])
  expect(mixed.at(-1)).toBe('PLAIN')
  const huge = [`${'é'.repeat(1_200_000)}`, 'small', 'y'.repeat(3_000_000), '']
  expect(await encodingsOf(huge)).toContain('PLAIN')
}, 60_000)

/** Adds values to a dictionary. Returns it, and whether it has room for all of them. */
function dictionaryOf(type: ArrowType, values: readonly unknown[], dictionary = new Dictionary()) {
  const raw = new RawValues(type)
  raw.add(columnData(type, values), slotsOfRows(0, values.length))
  const places = new Int32Array(values.length)
  return { dictionary, places, isWhole: pageCore().places(raw, dictionary, places) }
}

test('a dictionary tells values apart whose hashes are equal', () => {
  // Among 65,536 values every second time two have the same hash of 32 bits.
  for (let n = 0n; n < 20n; n++) {
    const values = Array.from({ length: 1 << 16 }, (_, at) => (n << 40n) + BigInt(at) * 7919n)
    const { dictionary, places } = dictionaryOf({ kind: 'int64' }, values)
    expect(dictionary.size).toBe(1 << 16)
    expect(places.every((place, at) => place === at)).toBe(true)
  }
})

test('a dictionary has at most 1 MiB and 65,536 values', () => {
  const texts = Array.from({ length: 1045 }, (_, n) => String(n).padEnd(1000, '-'))
  const { dictionary, isWhole } = dictionaryOf(UTF8, texts.slice(0, 1044))
  expect([isWhole, dictionary.size]).toEqual([true, 1044])
  expect(dictionaryOf(UTF8, texts, dictionary).isWhole).toBe(false)
  expect([dictionary.size, dictionary.values.length]).toEqual([1044, 1044 * 1004])
  const numbers = Array.from({ length: (1 << 16) + 1 }, (_, n) => n)
  expect(dictionaryOf({ kind: 'int32' }, numbers).isWhole).toBe(false)
})

// Statistics.

test('the bounds of a chunk hold all of its values, and readers that skip by them find each', async () => {
  const bounded = scalars.filter(([{ kind }]) => kind !== 'boolean')
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...bounded),
      fc.infiniteStream(fc.nat()),
      fc.constantFrom(2, 5),
      async ([type, value], seeds, rowGroupRows) => {
        const [seed] = seeds
        const values = fc.sample(nullable(value), { numRuns: 30, seed: seed! })
        await written(column(type), rowsOf(values), { rowGroupRows })
        const distinct = new Set(given(column(type), rowsOf(values)).map(({ a }) => a))
        for (const each of distinct) {
          if (each === null) continue
          const literal =
            type.kind === 'timestamp'
              ? `make_timestamptz(${Number(each) * 1000})`
              : typeof each === 'string'
                ? `$$${each.replaceAll('\0', '')}$$`
                : String(each)
          if (String(each).includes('\0')) continue
          const [found] = await query<{ n: number }>(
            `SELECT count(*)::INT AS n FROM '${path}' WHERE a = ${literal}`,
          )
          const count = given(column(type), rowsOf(values)).filter(({ a }) => a === each).length
          expect([each, found!.n]).toEqual([each, count])
        }
      },
    ),
    { numRuns: 12 },
  )
}, 60_000)

const bytesOf = (value: string) => Buffer.from(value)

test('bounds of texts are in the order of their bytes, and never cut a character', () => {
  const longText = fc
    .tuple(
      fc.constantFrom('', 'a', 'x'.repeat(62), 'é'.repeat(31), '\u{10ffff}'.repeat(15)),
      text,
      text,
    )
    .map(parts => parts.join(''))
  fc.assert(
    fc.property(fc.array(longText, { minLength: 1, maxLength: 6 }), texts => {
      const range = new ValueRange(UTF8)
      for (const each of texts) range.see(bytesOf(each))
      const sorted = texts.map(bytesOf).sort(Buffer.compare)
      const [least, greatest] = [range.least()!, range.greatest()]
      expect(Buffer.compare(least.bytes, sorted[0]!)).toBeLessThanOrEqual(0)
      expect(least.isExact).toBe(Buffer.compare(least.bytes, sorted[0]!) === 0)
      expect(bytesOf(Buffer.from(least.bytes).toString()).equals(least.bytes)).toBe(true)
      if (greatest === undefined) return
      expect(Buffer.compare(greatest.bytes, sorted.at(-1)!)).toBeGreaterThanOrEqual(0)
      expect(greatest.isExact).toBe(Buffer.compare(greatest.bytes, sorted.at(-1)!) === 0)
      expect(bytesOf(Buffer.from(greatest.bytes).toString()).equals(greatest.bytes)).toBe(true)
      expect(greatest.bytes.length).toBeLessThanOrEqual(67)
    }),
    { numRuns: 500 },
  )
})

test('the module finds the least and the greatest text of a page', () => {
  const alike = fc
    .tuple(fc.constantFrom('', 'abcdefg', 'abcdefgh', 'abcdefghijkl'), text)
    .map(parts => parts.join(''))
  fc.assert(
    fc.property(fc.array(alike, { minLength: 1, maxLength: 20 }), texts => {
      const raw = new RawValues(UTF8)
      raw.add(columnData(UTF8, texts), slotsOfRows(0, texts.length))
      const seen: Buffer[] = []
      pageCore().addTexts(raw, new ByteBuffer(), bytes => seen.push(Buffer.from(bytes)))
      const sorted = texts.map(bytesOf).sort(Buffer.compare)
      expect(seen).toEqual([sorted[0], sorted.at(-1)])
    }),
    { numRuns: 300 },
  )
})

test.each([
  ['z'.repeat(70), `${'z'.repeat(63)}{`],
  [`${'a'.repeat(63)}\u{10ffff}b`, `${'a'.repeat(62)}b`],
  [`${'a'.repeat(61)}\ud7ffbcd`, `${'a'.repeat(61)}\ue000`],
  ['\u{10ffff}'.repeat(20), undefined],
])('the upper bound of %s is the next text', (given, expected) => {
  const range = new ValueRange(UTF8)
  range.see(bytesOf(given))
  const bound = range.greatest()
  expect(bound && Buffer.from(bound.bytes).toString()).toBe(expected)
})

test('bounds of doubles have signed zeros and no NaN', async () => {
  const bounds = async (values: readonly number[]) => {
    const bytes = await written(column({ kind: 'float64' }), rowsOf(values))
    const { min_value, max_value } = chunksOf(bytes)[0]!.meta.statistics!
    return [min_value, max_value]
  }
  expect(await bounds([0, 0])).toEqual([-0, 0])
  expect(await bounds([-0, -0])).toEqual([-0, 0])
  expect(await bounds([Number.NaN, 2, Number.NaN, -1])).toEqual([-1, 2])
  expect(await bounds([Number.NaN])).toEqual([undefined, undefined])
})

test('numbers have their signed order, and null counts are those of their slots', async () => {
  const statistics = async (type: ArrowType, values: readonly unknown[]) =>
    chunksOf(await written(column(type), rowsOf(values)))[0]!.meta.statistics!
  expect(await statistics({ kind: 'int64' }, [1n, -(2n ** 40n), 2n ** 33n, null])).toMatchObject({
    min_value: -(2n ** 40n),
    max_value: 2n ** 33n,
    null_count: 1n,
  })
  const decimal = await statistics({ kind: 'decimal', scale: 0 }, [
    '-5',
    '300',
    `1${'0'.repeat(30)}`,
  ])
  expect([decimal.min_value, decimal.max_value].map(Number)).toEqual([-5, 1e30])
  expect(await statistics({ kind: 'boolean' }, [true, null, true])).toMatchObject({
    min_value: true,
    max_value: true,
  })
  // A list that is null, one that is empty, and one with a null are three slots without a value.
  expect(await statistics(LIST, [null, [], [null, 'a']])).toMatchObject({
    null_count: 3n,
    min_value: 'a',
  })
})

// What no test can write.

test('counters go beyond 2^31', () => {
  const nodes = ['a', 'b'].map(name => schemaNode({ name, type: UTF8 }))
  const leaves = nodes.flatMap(node => leavesOf(node))
  const [leaf] = leaves
  const chunk = {
    leaf: leaf!,
    encodings: [0, 3],
    slots: 2_800_000_000,
    nulls: 2_700_000_000,
    range: new ValueRange(UTF8),
    rawBytes: 30_000_000_000,
    bytes: 5_000_000_000,
    dictionaryBytes: 4_300_000_000,
    parts: [],
  }
  const groups = [rowGroup([chunk, chunk], 2_600_000_000, 2 ** 40, 1)]
  const bytes = footer(nodes, leaves, 9_000_000_000, groups, new Map([['key', 'value']]))
  const { num_rows, row_groups, key_value_metadata } = metadataOf(
    Buffer.concat([Buffer.from('PAR1'), bytes]),
  )
  expect(num_rows).toBe(9_000_000_000n)
  expect(key_value_metadata).toEqual([{ key: 'key', value: 'value' }])
  const [group] = row_groups
  expect(group).toMatchObject({
    num_rows: 2_600_000_000n,
    total_byte_size: 60_000_000_000n,
    total_compressed_size: 10_000_000_000n,
    file_offset: 2n ** 40n,
  })
  expect(group!.columns[1]!.meta_data).toMatchObject({
    num_values: 2_800_000_000n,
    total_uncompressed_size: 30_000_000_000n,
    total_compressed_size: 5_000_000_000n,
    dictionary_page_offset: 2n ** 40n + 5_000_000_000n,
    data_page_offset: 2n ** 40n + 9_300_000_000n,
  })
  expect(group!.columns[1]!.meta_data!.statistics!.null_count).toBe(2_700_000_000n)
})

test('Snappy gives what another decoder takes', () => {
  const piece = fc.oneof(
    fc.uint8Array({ maxLength: 80 }),
    fc.tuple(fc.uint8Array({ minLength: 1, maxLength: 9 }), fc.nat(30_000)).map(([part, times]) => {
      const bytes = Buffer.alloc(part.length * (times >> 4) + 1)
      return bytes.fill(part)
    }),
  )
  const block = (bytes: number) => Buffer.from(fc.sample(fc.noBias(fc.nat(255)), bytes))
  const long = [4, 60, 2048, 65_000, 70_000].map(block).map(bytes => [bytes, bytes, bytes])
  const start = block(11)
  const short = [2047, 2048, 2049].map(distance => [
    start,
    Buffer.alloc(distance - start.length),
    start,
    block(40),
  ])
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), pieces => {
      const content = Buffer.concat(pieces)
      const out = new ByteBuffer()
      pageCore().addSnappy(content, out)
      const read = new Uint8Array(content.length)
      if (content.length > 0) snappyUncompress(out.written(), read)
      expect(Buffer.from(read).equals(content)).toBe(true)
    }),
    { numRuns: 200, examples: [...long, ...short].map(pieces => [pieces] as never) },
  )
})

test('row groups end by their bytes', async () => {
  const values = Array.from({ length: 3000 }, (_, n) => `${n} ${'x'.repeat(50_000)}`)
  const cuts = Array.from({ length: 30 }, (_, n) => 100 * n)
  const bytes = await written(column(UTF8), rowsOf(values), { cuts })
  const { row_groups } = metadataOf(bytes)
  expect(row_groups.length).toBeGreaterThan(2)
  for (const group of row_groups)
    expect(Number(group.total_byte_size)).toBeLessThan((1 << 26) + (1 << 22))
}, 60_000)

test('a failure of the encoder is SINK_FAILED', async () => {
  const batch = batchOf(column(UTF8), rowsOf(['a']))
  const broken = { ...columnData(UTF8, ['a']), offsets: undefined }
  Object.assign(batch, { columns: [{ ...batch.columns[0], name: 'a', type: UTF8, data: broken }] })
  await expect(pipeline([batch]).run(parquetSink(path))).rejects.toMatchObject({
    code: 'SINK_FAILED',
    context: { sink: 'parquet', target: path },
  })
})
