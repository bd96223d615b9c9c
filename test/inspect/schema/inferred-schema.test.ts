// The schemas of the files of fixtures/foreign/, which were written by hand, and that of any table:
// a file reads by its schema without a bad cell, and is written again with the same texts. The
// independent reader is csv-parse.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Columns, type Dialect, pipeline, type Row, TsvRowParser } from '../../../src'
import { type InferredSchema, inferSchema } from '../../../src/inspect'

const FOLDER = join(import.meta.dirname, '../../../fixtures/foreign')
const names = readdirSync(FOLDER)
const files = names.filter(name => !name.endsWith('.schema.json'))
const expectedOf = (file: string) =>
  JSON.parse(readFileSync(join(FOLDER, file.replace(/\.\w+$/, '.schema.json')), 'utf8'))

/** What the header line of a file does not say. */
function toldDialect(dialect: Dialect): Dialect {
  return dialect.header === undefined && dialect.delimiter !== undefined ? {} : dialect
}

/** The rows of a file as csv-parse reads them, the header line among them. */
function oracleRows(text: string, { delimiter = '\t', quoting }: Dialect): string[][] {
  return parse(text, {
    bom: true,
    delimiter,
    quote: quoting === 'none' ? false : '"',
    relax_column_count: true,
  })
}

/** What a sink writes of the cells of a row. */
function writtenCells(row: Row<Columns>): string[] {
  return row.batch.header.columns.map(({ name, spec }) => {
    const value = row.get(name as never) as unknown
    if (value === null) return ''
    if (value instanceof Date) return value.toISOString()
    return spec.type === 'json' ? JSON.stringify(value) : String(value)
  })
}

async function readAgain(bytes: Buffer, { schema, dialect }: InferredSchema): Promise<string[][]> {
  return pipeline([bytes])
    .to(new TsvRowParser<Columns>({ schema, dialect }))
    .map(writtenCells)
    .toArray()
}

test('there are twelve files', () => {
  expect(files).toHaveLength(12)
  expect(names).toHaveLength(24)
})

describe.each(files)('%s', file => {
  const { dialect, ...schema } = expectedOf(file)

  test('has the schema that stands beside it', async () => {
    const found = await inferSchema(join(FOLDER, file), { dialect: toldDialect(dialect) })
    expect(found.dialect).toEqual(dialect)
    expect(found.schema).toEqual(schema)
    expect(Object.keys(found.schema.columns)).toEqual(Object.keys(schema.columns))
  })

  test('reads by its schema without a bad cell, and is written again as csv-parse reads it', async () => {
    const bytes = readFileSync(join(FOLDER, file))
    const found = await inferSchema([bytes], { dialect })
    const oracle = oracleRows(bytes.toString(), dialect).slice(-100)
    expect(oracle.length).toBe(100)
    expect(await readAgain(bytes, found)).toEqual(oracle)
  })
})

const upTo = (most: bigint) => fc.bigInt({ min: -most, max: most })
const digits = (least: number, most: number) =>
  fc.stringMatching(new RegExp(`^[0-9]{${least},${most}}$`))
const wholeText = fc.integer().map(String)
/** Texts of each kind that no narrower kind takes all of. */
const KINDS = {
  boolean: fc.constantFrom('true', 'false'),
  int32: wholeText,
  int64: upTo(2n ** 63n - 1n)
    .filter(n => n > 2n ** 31n || n < -(2n ** 31n))
    .map(String),
  decimal: fc
    .tuple(upTo(10n ** 20n), digits(1, 18))
    .map(([whole, fraction]) => `${whole}.${fraction}`),
  float64: fc
    .double({ noNaN: true, noDefaultInfinity: true })
    .map(String)
    .filter(text => text.includes('e')),
  date: fc
    .date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
    .map(day => day.toISOString().slice(0, 10)),
  timestamp: fc
    .date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
    .map(time => time.toISOString()),
  json: fc
    .oneof(fc.array(fc.jsonValue()), fc.dictionary(fc.string(), fc.jsonValue()))
    .map(value => JSON.stringify(value))
    .filter(text => JSON.stringify(JSON.parse(text)) === text),
  text: fc.constantFrom('a', 'ä b', 'x,y', 'say "so"', 'two\nlines', 'true love'),
} as const
type Kind = keyof typeof KINDS
const KIND_NAMES = Object.keys(KINDS) as Kind[]
const NARROW = KIND_NAMES.filter(kind => kind !== 'text')

/** Cells that are nearly of a kind. */
const NEAR_MISSES = [
  '007',
  '+1',
  '1.',
  '.5',
  '1e5',
  ' 1',
  '1 ',
  '-0',
  '-0.0',
  '-',
  '2026-02-30',
  '2026-2-3',
  'TRUE',
  'True',
  '2026-01-01T00:00:00Z',
  '2026-01-01T24:00:00.000Z',
  '2026-01-01T00:00:00+00:00',
  '1,5',
  '1.5 EUR',
  'NULL',
  '\\N',
  '[1, 2]',
  '{"a":1,"a":2}',
  '{"b":1.0}',
  '"a"',
  'NaN',
  'Infinity',
  '0x10',
  '١',
  '1_000',
]
/** Cells at the bounds of kinds. */
const BOUNDS = [
  '2147483647',
  '2147483648',
  '-2147483648',
  '-2147483649',
  '9223372036854775807',
  '9223372036854775808',
  '-9223372036854775808',
  '12345678901234567890',
  '9007199254740993',
  '0.1',
  '1e-7',
  '1e+21',
  '0',
  '5e-324',
  `1${'0'.repeat(38)}`,
  `0.${'1'.repeat(38)}`,
  `0.${'1'.repeat(39)}`,
  '[]',
  '2024-02-29',
]

function csvOf(rows: readonly (readonly string[])[]): Buffer {
  const cell = (text: string) => `"${text.replaceAll('"', '""')}"`
  return Buffer.from(rows.map(row => `${row.map(cell).join(',')}\n`).join(''))
}

const DIALECT: Dialect = { delimiter: ',', quoting: 'doubled' }
const inferred = (rows: readonly (readonly string[])[]) =>
  inferSchema([csvOf(rows)], { dialect: DIALECT })

describe('any table', () => {
  test.each(KIND_NAMES)('of canonical texts of %s has a column of that kind', async kind => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.option(KINDS[kind], { nil: '' }), { maxLength: 20 }),
        KINDS[kind],
        async (cells, last) => {
          const { schema, columns } = await inferred([
            ['c'],
            ...[...cells, last].map(cell => [cell]),
          ])
          expect(schema.columns.c!.type).toBe(kind)
          if (kind === 'decimal') {
            const scales = [...cells, last].map(cell => (cell.split('.')[1] ?? '').length)
            expect(schema.columns.c).toEqual({ type: 'decimal', scale: Math.max(...scales) })
          }
          expect(columns[0]!.nullWords).toEqual([])
        },
      ),
      { numRuns: 60 },
    )
  })

  test('fault 154: with one cell that is none of its kind has a wider one, and the report names the cell', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc
          .constantFrom(...NARROW)
          .chain(kind =>
            fc.tuple(fc.constant(kind), fc.array(KINDS[kind], { minLength: 1, maxLength: 12 })),
          ),
        fc.constantFrom(...NEAR_MISSES),
        fc.nat(),
        async ([kind, cells], miss, place) => {
          const at = place % (cells.length + 1)
          const all = cells.toSpliced(at, 0, miss)
          const { schema, columns } = await inferred([['c'], ...all.map(cell => [cell])])
          expect(schema.columns.c!.type).toBe('text')
          const found = columns[0]!.contradictions.find(({ type }) => type === kind)
          expect(found).toMatchObject({ row: at + 1, line: at + 2, excerpt: miss })
        },
      ),
      { numRuns: 300 },
    )
  })

  test('reads by its schema, and is written again with the same texts', async () => {
    const anyCell = fc.oneof(
      ...NARROW.map(kind => KINDS[kind]),
      KINDS.text,
      fc.constantFrom('', ...NEAR_MISSES),
      fc.constantFrom(...BOUNDS),
    )
    const likely = (cells: readonly string[]) => fc.oneof(fc.constantFrom(...cells), anyCell)
    const column = fc.oneof(
      fc.array(anyCell, { minLength: 6, maxLength: 6 }),
      fc.array(fc.constantFrom(...BOUNDS), { minLength: 6, maxLength: 6 }),
      fc.array(likely(BOUNDS), { minLength: 6, maxLength: 6 }),
      ...NARROW.map(kind => fc.array(KINDS[kind], { minLength: 6, maxLength: 6 })),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(column, { minLength: 2, maxLength: 4 }), async columns => {
        const heading = columns.map((_, n) => `c${n}`)
        const rows = columns[0]!.map((_, row) => columns.map(cells => cells[row]!))
        const bytes = csvOf([heading, ...rows])
        const found = await inferSchema([bytes], { dialect: DIALECT })
        expect(await readAgain(bytes, found)).toEqual(rows)
      }),
      { numRuns: 500 },
    )
  })
})

describe('headings', () => {
  test.each([
    ['that differ in case', ['Price', 'price', 'PRICE']],
    ['that are repeated', ['a', 'a', 'a#2', 'a']],
    ['that are empty', ['', 'a', '']],
    ['of spaces', [' ', 'a ', ' a']],
    ['of plain data', ['__proto__', 'constructor', '2', '1']],
  ])('%s give a schema that reads the file', async (_, headings) => {
    const row = headings.map((_, n) => `${n}`)
    const bytes = csvOf([headings, row])
    const found = await inferSchema([bytes], { dialect: DIALECT })
    const again = JSON.parse(JSON.stringify(found.schema))
    expect(await readAgain(bytes, { ...found, schema: again })).toEqual([row])
    expect(found.columns.map(({ heading }) => heading)).toEqual(headings)
    const named = found.columns.filter(({ inSchema }) => inSchema).map(({ heading }) => heading)
    expect(named.toSorted()).toEqual(Object.keys(found.schema.columns).toSorted())
    expect(
      found.columns.every(({ type, inSchema }) => type === (inSchema ? 'int32' : 'text')),
    ).toBe(true)
  })

  test.each([
    ['shop/stock.csv.gz', 'stock'],
    ['C:\\shop\\My stock (2).TSV', 'My_stock_2'],
    ['https://shop.example/a/feed.csv?token=x/y', 'feed'],
    ['https://shop.example/', 'feed'],
    ['item.tsv', 'item_file'],
    ['.csv', 'feed'],
  ])('the schema of %s is %s', async (name, expected) => {
    expect((await inferSchema([csvOf([['a', 'b']])], { dialect: DIALECT, name })).schema.name).toBe(
      expected,
    )
  })
})

describe('words for null', () => {
  test('keep a column text, and are named with their cells and the kind without them', async () => {
    const { columns } = await inferred([['c'], ['1'], ['\\N'], ['2.5'], ['NULL'], ['\\N']])
    expect(columns[0]).toMatchObject({
      type: 'text',
      typeWithoutNullWords: 'decimal',
      nullWords: [
        { word: '\\N', row: 2, line: 3 },
        { word: 'NULL', row: 4, line: 5 },
      ],
    })
    const contradicted = (type: string) =>
      columns[0]!.contradictions.find(contradiction => contradiction.type === type)
    expect(contradicted('boolean')).toMatchObject({ row: 1, reason: 'neither true nor false' })
    expect(contradicted('int64')).toMatchObject({
      row: 2,
      excerpt: '\\N',
      reason: 'a word for null',
    })
    expect(contradicted('decimal')).toMatchObject({ row: 2 })
  })

  test('alone, or among other texts, have no kind', async () => {
    for (const cells of [
      ['-', 'n/a'],
      ['Hello', '-'],
    ]) {
      const { columns } = await inferred([['c'], ...cells.map(cell => [cell])])
      expect(columns[0]).toMatchObject({ type: 'text', typeWithoutNullWords: null })
      expect(columns[0]!.nullWords.map(({ word }) => word)).toContain('-')
    }
  })
})

test('a file without rows has columns of text', async () => {
  const { schema, columns } = await inferred([['a', 'b']])
  expect(schema.columns).toEqual({ a: { type: 'text' }, b: { type: 'text' } })
  expect(columns.flatMap(({ contradictions }) => contradictions)).toEqual([])
})

test('a file that cannot be read to its end has no schema', async () => {
  await expect(inferSchema([Buffer.from('')])).rejects.toMatchObject({ code: 'TSV_EMPTY' })
})

test('a deep JSON cell is text', async () => {
  const deep = '['.repeat(100_000) + ']'.repeat(100_000)
  const { schema } = await inferred([['c'], [deep]])
  expect(['text', 'json']).toContain(schema.columns.c!.type)
})
