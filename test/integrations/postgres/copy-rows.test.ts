// What PostgreSQL has of the rows of a file, compared with what the rows themselves say: cells with
// every character that COPY, arrays and jsonb escape, and cells of another form.

import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  aspects,
  boolean,
  type Columns,
  type Dialect,
  date,
  decimal,
  defineSchema,
  float64,
  int32,
  int64,
  json,
  list,
  pipeline,
  type Row,
  regions,
  TsvRowParser,
  text,
  timestamp,
} from '../../../src/index'
import { postgresSink } from '../../../src/integrations/postgres'
import { columnNameOf } from '../../../src/sync/target/sql/sql-tables'
import { runsWithService } from '../../services'
import { type TestDatabase, testDatabase } from './test-database'

const COLUMNS = {
  key: text(),
  title: text(),
  itemCount: int32(),
  big: int64(),
  price: decimal(),
  weight: float64(),
  isNew: boolean(),
  day: date(),
  seen: timestamp(),
  tags: list('|', text()),
  sizes: list(',', int32()),
  localizedAspects: aspects(),
  shipTo: regions(),
  extra: json(),
} satisfies Columns
const schema = defineSchema({ name: 'things', columns: COLUMNS })
const NAMES = Object.keys(COLUMNS)

const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '\\',
        '\\N',
        '\\.',
        '\r',
        "'",
        '"',
        '{',
        '}',
        ',',
        '|',
        'é',
        '😀',
        ' ',
        '\x7f',
      ),
      fc.string({ unit: 'grapheme', maxLength: 3 }),
    ),
    { maxLength: 5 },
  )
  // A cell with NUL is a bad one.
  .map(parts => parts.join('').replace(/[\t\n\0]/g, ''))
const base64 = (words: string) => Buffer.from(words).toString('base64')
const cellOf: Readonly<Record<string, fc.Arbitrary<string>>> = {
  key: hostile,
  title: hostile,
  itemCount: fc.oneof(
    fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }).map(String),
    fc.constant('007'),
  ),
  big: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String),
  price: fc.tuple(fc.integer(), fc.nat(99)).map(([a, b]) => `${a}.${b}`),
  weight: fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  isNew: fc.constantFrom('true', 'FALSE', 'True'),
  day: fc
    .date({ min: new Date(0), max: new Date('2999-12-31'), noInvalidDate: true })
    .map(day => day.toISOString().slice(0, 10)),
  seen: fc
    .date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
    .map(day => day.toISOString()),
  tags: fc.array(hostile, { maxLength: 3 }).map(tags => tags.join('|')),
  sizes: fc.array(fc.integer({ min: 0, max: 99 }), { maxLength: 3 }).map(sizes => sizes.join(',')),
  localizedAspects: fc
    .array(fc.tuple(hostile, hostile), { maxLength: 3 })
    .map(pairs => pairs.map(([name, value]) => `${base64(name)}:${base64(value)}`).join(';')),
  shipTo: fc.constantFrom('COUNTRY:US|CA;REGION:EUROPE;', 'REGION:ASIA;'),
  extra: fc.json().filter(value => !/\\u0000|\\ud[89a-f]|\t|\n/i.test(value)),
}
const rowArbitrary = fc.tuple(
  ...NAMES.map(name => fc.oneof(fc.constant(''), cellOf[name]!)),
  hostile,
)

describe.runIf(await runsWithService('postgres'))('rows in PostgreSQL', () => {
  let database: TestDatabase
  let tables = 0
  beforeAll(async () => {
    database = await testDatabase()
  })
  afterAll(() => database.drop())

  /** Writes the rows, and returns those of the sink's table with those of the file. */
  async function through(bytes: Buffer, dialect?: Dialect) {
    const table = `rows ${tables++}`
    const parser = () => new TsvRowParser({ schema, ...(dialect && { dialect }) })
    const expected = (await pipeline([bytes]).to(parser()).toArray()).map(row => plainOf(row))
    await pipeline([bytes]).to(parser()).run(postgresSink(database.url, { table }))
    const rows = await database.sql(
      `SELECT to_jsonb(t) - 'price' || jsonb_build_object('price', price::text, 'big', big::text) AS row FROM "${table}" t ORDER BY ctid`,
    )
    return { rows: rows.map(({ row }) => row), expected, table }
  }

  test('SELECT gives back what the rows say, whatever their cells hold.', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(rowArbitrary, { minLength: 1, maxLength: 12 }), async rows => {
        const lines = [[...NAMES, 'unknown'], ...rows.map(cells => cells.map(written))]
        const bytes = Buffer.from(lines.map(cells => cells.join('\t')).join('\n'))
        fc.pre(await isReadable(bytes))
        const { rows: found, expected } = await through(bytes)
        expect(found).toEqual(expected)
      }),
      { numRuns: 60 },
    )
  }, 60_000)

  test('Another dialect, whose cells may have tabs, gives the same.', async () => {
    const bytes = Buffer.from('key;title;tags\n"a\tb";"c ""d""\n\\e";x|y\n')
    const { rows } = await through(bytes, { delimiter: ';', quoting: 'doubled' })
    expect(rows).toMatchObject([{ key: 'a\tb', title: 'c "d"\n\\e', tags: ['x', 'y'] }])
  })

  test('A block is sent where the rows are many, and a huge row as a whole.', async () => {
    const huge = 'x'.repeat(700_000)
    const lines = Array.from(
      { length: 3000 },
      (_, n) => `${n}\t${n === 1500 ? huge : 'é'.repeat(200)}`,
    )
    const { rows, expected } = await through(Buffer.from(`key\ttitle\n${lines.join('\n')}\n`))
    expect(rows).toEqual(expected)
  })

  test('A second run of the same sink is refused, and does not end the first.', async () => {
    const sink = postgresSink<unknown>(database.url, { table: 'shared' })
    await sink.open?.()
    const second = pipeline([Buffer.from('key\nb\n')])
      .to(new TsvRowParser({ schema }))
      .run(sink)
    await expect(second).rejects.toMatchObject({ code: 'SINK_FAILED' })
    const parser = new TsvRowParser({ schema })
    for await (const batch of pipeline([Buffer.from('key\na\n')])
      .to(parser)
      .batches())
      await sink.write(batch)
    await sink.prepare?.()
    await sink.commit()
    expect(await database.sql('SELECT key FROM shared')).toEqual([{ key: 'a' }])
  })
})

/** A cell with a quote at its start is quoted, which escapes quotes and backslashes. */
function written(cell: string): string {
  return cell.startsWith('"') || cell.includes('\r') ? `"${cell.replace(/["\\]/g, '\\$&')}"` : cell
}

/** Pairs of empty names and the like are no valid cells, and another test has them. */
async function isReadable(bytes: Buffer): Promise<boolean> {
  try {
    const rows = await pipeline([bytes]).to(new TsvRowParser({ schema })).toArray()
    for (const row of rows) row.toObject()
    return true
  } catch {
    return false
  }
}

function plainOf(row: Row<typeof COLUMNS>): unknown {
  const named = Object.entries(row.toObject()).map(([name, value]) => {
    const isEmpty = name !== 'extra' && Array.isArray(value) && value.length === 0
    return [columnNameOf(name), isEmpty ? null : stored(value)]
  })
  return Object.fromEntries(named)
}

function stored(value: unknown): unknown {
  if (typeof value === 'string') return value
  if (typeof value === 'bigint') return String(value)
  if (value instanceof Date) return value.toISOString().replace(/\.000Z$|0*Z$/, '+00:00')
  if (Array.isArray(value)) return value.map(stored)
  if (typeof value !== 'object' || value === null) return value
  if ('text' in value && 'toNumber' in value) return value.text
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [stored(name), stored(each)]),
  )
}
