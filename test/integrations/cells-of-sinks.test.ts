// A cell arrives as it is: each kind of column through each sink of a table, by each mode, into a new
// table and into tables of every type that may hold it. A reader that knows nothing of feedmill reads
// the cell back, or the run was refused. The process stands in a zone of its own, and so do the
// sessions of the server.
//
// Long: it loads DuckDB, and asks a server of PostgreSQL.

import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  type BadCell,
  boolean,
  type ColumnSpec,
  csvSink,
  date,
  decimal,
  defineSchema,
  FeedError,
  float64,
  int32,
  int64,
  json,
  ndjsonSink,
  oneOf,
  pipeline,
  type Sink,
  type SqliteSinkOptions,
  sqliteSink,
  TsvColumnParser,
  TsvObjectParser,
  TsvRowParser,
  text,
  timestamp,
} from '../../src/index'
import { arrowSink } from '../../src/integrations/arrow'
import { duckdbSink } from '../../src/integrations/duckdb'
import { parquetSink } from '../../src/integrations/parquet'
import { postgresSink } from '../../src/integrations/postgres'
import { readSqlite, SQLITE_DRIVERS } from '../engine/sinks/sqlite-drivers'
import { runsWithService } from '../services'
import { testDatabase } from './postgres/test-database'

interface Place {
  sink(options: SqliteSinkOptions): Sink<unknown>
  run(sql: string): Promise<unknown>
  /** Returns the names of tables with the cells of their columns `c` as text, in the order of `n`. */
  read(tables: readonly string[]): Promise<{ t: string; c: string | null }[]>
  /** The types of columns that are there already. */
  readonly types: readonly string[]
  drop(): Promise<unknown>
}

const union = (tables: readonly string[], cell: string) =>
  `SELECT t, c FROM (${tables
    .map(table => `SELECT '${table}' AS t, n, ${cell} AS c FROM ${table}`)
    .join(' UNION ALL ')}) AS u ORDER BY t, CAST(n AS INTEGER)`

const folderOf = () => mkdtemp(join(tmpdir(), 'feedmill-cells-'))

async function duckdbPlace(): Promise<Place> {
  const folder = await folderOf()
  const path = join(folder, 't.duckdb')
  const read = async (sql: string) => {
    const instance = await DuckDBInstance.create(path)
    const connection = await instance.connect()
    try {
      await connection.run("SET TimeZone = 'UTC'")
      return (await connection.runAndReadAll(sql)).getRowObjectsJson() as never[]
    } finally {
      connection.closeSync()
      instance.closeSync()
    }
  }
  return {
    sink: options => duckdbSink(path, options),
    run: read,
    read: tables => read(union(tables, 'CAST(c AS VARCHAR)')),
    types: [
      'VARCHAR',
      'INTEGER',
      'BIGINT',
      'HUGEINT',
      'TINYINT',
      'DOUBLE',
      'FLOAT',
      'DECIMAL(10, 2)',
      'DECIMAL(38, 20)',
      'BOOLEAN',
      'DATE',
      'TIMESTAMP',
      'TIMESTAMP_S',
      'TIMESTAMPTZ',
      'JSON',
    ],
    drop: () => rm(folder, { recursive: true }),
  }
}

async function sqlitePlace(): Promise<Place> {
  const folder = await folderOf()
  const path = join(folder, 't.sqlite')
  const [, open] = SQLITE_DRIVERS[0]!
  return {
    sink: options => sqliteSink(path, { ...options, open }),
    run: async sql => readSqlite(path, sql),
    // SQLite's own text of a double has 15 digits.
    read: async tables =>
      readSqlite(
        path,
        union(
          tables,
          "CASE typeof(c) WHEN 'real' THEN 'real ' || printf('%!.20g', c) ELSE CAST(c AS TEXT) END",
        ),
      ).map(({ t, c }) => ({
        t: String(t),
        c: String(c).startsWith('real ') ? String(Number(String(c).slice(5))) : (c as string),
      })),
    types: ['TEXT', 'INTEGER', 'REAL', 'NUMERIC', 'ANY', '', 'BLOB', 'VARCHAR(5)'],
    drop: () => rm(folder, { recursive: true }),
  }
}

async function postgresPlace(): Promise<Place> {
  const database = await testDatabase()
  await database.sql(
    `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET timezone = %L', current_database(), 'Asia/Tokyo');
     EXECUTE format('ALTER DATABASE %I SET datestyle = %L', current_database(), 'German, DMY'); END $$`,
  )
  await database.sql("SET timezone = 'UTC'; SET datestyle = 'ISO'")
  return {
    sink: options => postgresSink(database.url, options),
    run: sql => database.sql(sql),
    read: async tables => (await database.sql(union(tables, 'c::text'))) as never[],
    types: [
      'text',
      'varchar(5)',
      'integer',
      'bigint',
      'smallint',
      'double precision',
      'real',
      'numeric',
      'numeric(10, 2)',
      'boolean',
      'date',
      'timestamp',
      'timestamp(0)',
      'timestamptz',
      'json',
      'jsonb',
    ],
    drop: () => database.drop(),
  }
}

const PLACES: [string, boolean, () => Promise<Place>][] = [
  ['DuckDB', true, duckdbPlace],
  ['SQLite', SQLITE_DRIVERS.length > 0, sqlitePlace],
  ['PostgreSQL', await runsWithService('postgres'), postgresPlace],
]

/** A number without what its type may write or leave out. */
function plainNumber(cell: string): string {
  const [, sign, whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d*)(?:\.(\d*))?(?:e([+-]?\d+))?$/i.exec(cell) ?? []
  if (sign === undefined) return cell
  const point = whole.length + Number(exponent)
  const digits = (whole + fraction).padEnd(Math.max(point, 0), '0')
  const places = point < 0 ? '0'.repeat(-point) + digits : digits
  const at = Math.max(point, 0)
  const before = places.slice(0, at).replace(/^0+/, '')
  const behind = places.slice(at).replace(/0+$/, '')
  const number = `${before === '' ? '0' : before}${behind === '' ? '' : `.${behind}`}`
  return number === '0' ? number : sign + number
}

const asDouble = (cell: string) => String(Number(cell) + 0)
function asInstant(cell: string): string {
  const iso = /^\d{4}-\d\d-\d\d$/.test(cell)
    ? `${cell}T00:00:00Z`
    : cell.replace(' ', 'T').replace(/(?:\+00(?::00)?|Z)?$/, 'Z')
  const time = new Date(iso).getTime()
  return Number.isNaN(time) ? cell : String(time)
}
/** JSON without spaces between its parts, its numbers as they are. */
const asJson = (cell: string) =>
  cell.replace(/"(?:[^"\\]|\\.)*"|\s+/g, part => (part.startsWith('"') ? part : ''))

/** A decimal has 38 digits, 10 of them behind the point. */
const MOST_WHOLE = 10n ** 28n - 1n

/** The kinds: cells at the ends of their ranges, and how two texts of one cell are compared. */
const KINDS: Record<
  string,
  { spec: ColumnSpec; cells: fc.Arbitrary<string>; same?: (cell: string) => string }
> = {
  int32: {
    spec: int32(),
    cells: fc.oneof(fc.constantFrom(-(2 ** 31), 2 ** 31 - 1, 0, 5, 1), fc.integer()).map(String),
    same: plainNumber,
  },
  int64: {
    spec: int64(),
    cells: fc
      .oneof(
        fc.constantFrom(-(2n ** 63n), 2n ** 63n - 1n, 2n ** 53n + 1n, 7n),
        fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
      )
      .map(String),
    same: plainNumber,
  },
  decimal: {
    spec: decimal(),
    cells: fc.oneof(
      fc.constantFrom('2.6', '1.10', '0.3000000004', '1.005', '100.00', '3', '-0.5'),
      fc.constantFrom('12345678901234567890.1234567891', '9007199254740993', '0.0000000001'),
      fc.tuple(fc.integer(), fc.nat(9999)).map(([a, b]) => `${a}.${b}`),
      fc
        .tuple(fc.bigInt({ min: -MOST_WHOLE, max: MOST_WHOLE }), fc.bigInt(0n, 9_999_999_999n))
        .map(([a, b]) => `${a}.${String(b).padStart(10, '0')}`),
    ),
    same: plainNumber,
  },
  float64: {
    spec: float64(),
    cells: fc
      .oneof(
        fc.constantFrom(5, 0.1, 0.1 + 0.2, 1e22, 1e-9, 2.6, 2 ** 53, 1e300, -1e300),
        fc.constantFrom(5e-324, -5e-324, 2.2250738585072014e-308, 1.7976931348623157e308),
        fc.constantFrom(0.3, 1 / 3, 123456789.12345678, 2 ** 53 + 2, -1e-300),
        fc.double({ noNaN: true, noDefaultInfinity: true }).map(n => n + 0),
      )
      .map(String),
    same: asDouble,
  },
  boolean: {
    spec: boolean(),
    cells: fc.constantFrom('true', 'false'),
    same: cell => ({ '1': 'true', '0': 'false', '1.0': 'true', '0.0': 'false' })[cell] ?? cell,
  },
  date: {
    spec: date(),
    cells: fc.constantFrom('2026-03-01', '0001-01-01', '9999-12-31', '1969-12-31', '2024-02-29'),
    same: asInstant,
  },
  timestamp: {
    spec: timestamp(),
    cells: fc.oneof(
      fc.constantFrom('2026-03-01T10:00:00.250Z', '1970-01-01T00:00:00Z', '2026-03-29T01:30:00Z'),
      fc.constantFrom('2026-07-01T00:00:00Z', '1899-12-31T23:59:59.999Z', '2026-11-01T05:30:00Z'),
    ),
    same: asInstant,
  },
  text: {
    spec: text(),
    cells: fc.oneof(
      fc.constantFrom(
        '007',
        '1e5',
        '1.10',
        '5',
        '-0',
        ' 7',
        '2026-03-01',
        'true',
        'now',
        'abcdefgh',
      ),
      fc.constantFrom(
        '2026-03-01 10:00',
        '12.5',
        '[1]',
        'ab   ',
        '0x10',
        '1_000',
        'infinity',
        '.5',
      ),
      fc.string({ minLength: 1, unit: 'grapheme-ascii' }).filter(one => /^[^"\t\\]+$/.test(one)),
    ),
  },
  oneOf: { spec: oneOf('1', '01', 'red'), cells: fc.constantFrom('1', '01', 'red') },
  json: {
    spec: json(),
    cells: fc.oneof(
      fc.constantFrom('{"id":1533947986218845197,"price":1.10}', '5', 'true', '1e400', '"5"'),
      fc.constantFrom('[1.0,-0.10]', '{"b":1,"a":12345678901234567890.5}', '"\\ud83d\\ude00"'),
    ),
    same: asJson,
  },
}

const SEED = 163 + Number(process.env.FEEDMILL_SEED ?? 0)
/** The zone of the process before. */
const ZONE = process.env.TZ

describe.each(PLACES)('the sink of %s', (name, isHere, openPlace) => {
  describe.runIf(isHere)('keeps cells:', () => {
    let place: Place
    beforeAll(async () => {
      process.env.TZ = 'America/New_York'
      place = await openPlace()
    })
    afterAll(async () => {
      if (ZONE === undefined) delete process.env.TZ
      else process.env.TZ = ZONE
      await place.drop()
    })
    beforeEach(() => place.run('DROP TABLE IF EXISTS t'))
    const cells = async () => (await place.read(['t'])).map(({ c }) => c)

    /** Returns the cells that stand in the table, or undefined where the run was refused. */
    async function written(
      texts: readonly string[],
      spec: ColumnSpec,
      options: Partial<SqliteSinkOptions>,
      road: 'rows' | 'columns' | 'objects' | 'map' = 'rows',
      isRead = true,
    ) {
      const schema = defineSchema({ name: 'cells', columns: { n: int32(), c: spec } })
      const inFile = (cell: string) =>
        /^"|[\r\n]/.test(cell) ? `"${cell.replace(/["\\]/g, '\\$&')}"` : cell
      const lines = texts.map((cell, n) => `${n}\t${inFile(cell)}`)
      const bytes = Buffer.from(`n\tc\n${lines.join('\n')}\n`)
      const sink = place.sink({ table: 't', schema, ...options })
      const source = pipeline([bytes])
      const run = {
        rows: () => source.to(new TsvRowParser({ schema })).run(sink),
        columns: () => source.to(new TsvColumnParser({ schema })).run(sink),
        objects: () => source.to(new TsvObjectParser({ schema })).run(sink),
        map: () =>
          source
            .to(new TsvRowParser({ schema }))
            .filter(() => true)
            .map(row => row)
            .run(sink),
      }[road]
      try {
        await run()
      } catch (error) {
        expect(error).toBeInstanceOf(FeedError)
        expect((error as Error).message).not.toContain('call stack')
        return undefined
      }
      return isRead ? cells() : []
    }

    const compared = (kind: (typeof KINDS)[string]) => (cell: string | null) => {
      if (cell === null) return null
      // jsonb has numbers by their values.
      if (name === 'PostgreSQL' && kind.spec.type === 'json') return sortedJson(cell)
      return (kind.same ?? String)(cell)
    }

    test.each(Object.entries(KINDS))(
      'fault 135: a new table has each cell of the kind %s, by each mode and each road',
      async (_, kind) => {
        const texts = [...new Set(fc.sample(kind.cells, { numRuns: 60, seed: SEED }))]
        const roads = ['rows', 'columns', 'map'] as const
        for (const [n, mode] of (['create', 'replace', 'append', 'upsert'] as const).entries()) {
          const key = mode === 'upsert' ? { key: ['n'] } : {}
          if (mode === 'append' || mode === 'upsert') await place.run('DROP TABLE t')
          const options = { mode, ...key } as Partial<SqliteSinkOptions>
          const found = await written(texts, kind.spec, options, roads[n % 3])
          expect(found?.map(compared(kind))).toEqual(texts.map(compared(kind)))
        }
      },
    )

    let [tried, kept] = [0, 0]
    test.each(Object.entries(KINDS))(
      'fault 163: a table of any type has the cell of the kind %s, or the run was refused; append and upsert agree',
      async (_, kind) => {
        const { types } = place
        const modes = [{ mode: 'append' }, { mode: 'upsert', key: ['n'] }] as const
        const some = fc.sample(kind.cells, { numRuns: types.length, seed: SEED })
        const cases = types.flatMap((type, n) =>
          modes.map((options, m) => ({ table: `t${n}_${m}`, type, cell: some[n]!, options })),
        )
        const each = (sql: (one: (typeof cases)[number]) => string) =>
          place.run(cases.map(sql).join('; '))
        await each(({ table }) => `DROP TABLE IF EXISTS ${table}`)
        await each(({ table, type }) => `CREATE TABLE ${table} (n INTEGER PRIMARY KEY, c ${type})`)
        const refused = new Set<string>()
        for (const { table, cell, options } of cases)
          if (
            (await written([cell], kind.spec, { table, ...options }, 'rows', false)) === undefined
          )
            refused.add(table)
        const rows = await place.read(cases.map(({ table }) => table))
        const known = new Map(rows.map(({ t, c }) => [t, compared(kind)(c)]))
        for (const { table, type, cell } of cases) {
          const isZeros = kind.spec.type === 'text' || kind.spec.type === 'oneOf'
          // A number in text may get the zeros of its column.
          const read = (one: string) =>
            isZeros && /^(?:numeric|decimal|double|float|real)/i.test(type) ? plainNumber(one) : one
          const expected = refused.has(table) ? undefined : read(compared(kind)(cell)!)
          const found = known.get(table)
          expect([table, type, cell, found && read(found)]).toEqual([table, type, cell, expected])
        }
        tried += cases.length
        kept += cases.length - refused.size
        types.forEach((type, n) => {
          expect([type, some[n], refused.has(`t${n}_0`)]).toEqual([
            type,
            some[n],
            refused.has(`t${n}_1`),
          ])
        })
      },
      120_000,
    )

    test('fault 163: the runs of these tables are not refused throughout', () => {
      expect(kept * 5).toBeGreaterThanOrEqual(tried)
    })

    test('fault 163: a table with the name of the own one of the sink gets the rows', async () => {
      await place.run('DROP TABLE IF EXISTS feedmill_arrived')
      const schema = defineSchema({ name: 'own', columns: { n: int32(), feedmill_place: text() } })
      const sink = place.sink({ table: 'feedmill_arrived', schema, key: ['n'] })
      await pipeline([[{ n: 1, feedmill_place: 'a' }]]).run(sink as Sink<unknown>)
      await place.run('CREATE TABLE t AS SELECT n, feedmill_place AS c FROM feedmill_arrived')
      expect(await cells()).toEqual(['a'])
    })

    test('fault 163: replace refuses a table that others refer to, and touches none', async () => {
      await place.run('CREATE TABLE t (n INTEGER PRIMARY KEY, c INTEGER)')
      await place.run('INSERT INTO t VALUES (1, 7)')
      const action = name === 'DuckDB' ? '' : 'ON DELETE CASCADE'
      await place.run(`CREATE TABLE child (t INTEGER REFERENCES t (n) ${action})`)
      await place.run('INSERT INTO child VALUES (1)')
      expect(await written(['5'], int32(), { mode: 'replace' })).toBeUndefined()
      expect(await cells()).toEqual(['7'])
      await place.run('DROP TABLE child')
      expect(await written(['5'], int32(), { mode: 'replace' })).toEqual(['5'])
    })

    const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)

    test.each<[string, string]>([
      ['5,000 levels', deep(5_000)],
      ['100,000 levels', deep(100_000)],
      ['1e400', '[1e400]'],
      ['1e200000', '1e200000'],
      ['a lone surrogate', '"\\ud83d"'],
      ['NUL', '["\\u0000"]'],
    ])('fault 164: JSON with %s stands there, or is a bad cell by the policy', async (_, cell) => {
      const bad: BadCell[] = []
      const onBadCell = (one: BadCell) => void bad.push(one)
      const found = await written(['1', cell], json(), { mode: 'replace', onBadCell })
      expect(found![0]).toBe('1')
      if (found![1] === null)
        expect(bad).toMatchObject([{ column: 'c', position: { row: 2, line: 3 } }])
      else expect(sortedJson(found![1]!)).toBe(sortedJson(cell))
      if (name !== 'PostgreSQL') expect(found![1]).toBe(cell)
      const schema = defineSchema({ name: 'own', columns: { n: int32(), c: text() } })
      const sink = place.sink({ table: 't', schema, mode: 'replace', onBadCell: 'null' })
      await pipeline([[{ n: 1, c: 'half \ud83d' }]]).run(sink)
      expect(await cells()).toEqual([null])
    })

    test('"Nothing is rounded": an integer column refuses 2.6 in each mode', async () => {
      await place.run('DROP TABLE IF EXISTS t')
      await place.run('CREATE TABLE t (n INTEGER PRIMARY KEY, c DECIMAL(10, 0))')
      for (const options of [{ mode: 'append' }, { mode: 'upsert', key: ['n'] }] as const) {
        const found = await written(['2.6'], decimal({ scale: 2 }), options)
        expect(found ?? '2.6').toEqual(name === 'SQLite' ? ['2.6'] : '2.6')
        await place.run('DELETE FROM t')
      }
    })
  })
})

/** JSON by its values, in an order of names; numbers are their digits. */
function sortedJson(text: string): string {
  const tagged = text.replace(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g, part =>
    part.startsWith('"') ? part : `"number ${plainNumber(part)}"`,
  )
  if (text.length > 5_000) return tagged
  const sorted = (_: string, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value
  return JSON.stringify(JSON.parse(tagged, sorted))
}

/** A vector of apache-arrow, as far as its cells are read. */
interface ArrowVector {
  readonly type: { readonly scale?: number; toString(): string }
  get(n: number): unknown
}

/** The text of a cell as apache-arrow gives it. */
function textInArrow({ type }: ArrowVector, value: unknown): string {
  if (/^(?:Date|Timestamp)/.test(String(type))) return new Date(Number(value)).toISOString()
  if (type.scale === undefined) return String(value)
  const sign = String(value).startsWith('-') ? '-' : ''
  const digits = String(value)
    .slice(sign.length)
    .padStart(type.scale + 1, '0')
  const point = digits.length - type.scale
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`
}

describe('the files of columns keep cells:', () => {
  let folder: string
  beforeAll(async () => {
    process.env.TZ = 'America/St_Johns'
    folder = await folderOf()
  })
  afterAll(async () => {
    if (ZONE === undefined) delete process.env.TZ
    else process.env.TZ = ZONE
    await rm(folder, { recursive: true })
  })

  const readParquet = async (path: string): Promise<string[]> => {
    const instance = await DuckDBInstance.create(':memory:')
    const connection = await instance.connect()
    try {
      await connection.run("SET TimeZone = 'UTC'")
      const sql = `SELECT CAST(c AS VARCHAR) AS c FROM '${path}' ORDER BY n`
      const rows = (await connection.runAndReadAll(sql)).getRowObjectsJson()
      return rows.map(({ c }) => String(c))
    } finally {
      connection.closeSync()
      instance.closeSync()
    }
  }
  const readArrow = async (path: string): Promise<string[]> => {
    const { tableFromIPC } = (await import('apache-arrow' as string)) as {
      tableFromIPC(bytes: Uint8Array): { numRows: number; getChild(name: string): ArrowVector }
    }
    const table = tableFromIPC(await readFile(path))
    const cells = table.getChild('c')
    return Array.from({ length: table.numRows }, (_, n) => textInArrow(cells, cells.get(n)))
  }

  test.each(
    Object.entries(KINDS).flatMap(([name, kind]) =>
      (['rows', 'columns'] as const).map(road => ({ name, kind, road })),
    ),
  )('fault 135: each cell of the kind $name, from $road, in Parquet and in Arrow', async one => {
    const { kind, road } = one
    const texts = [...new Set(fc.sample(kind.cells, { numRuns: 80, seed: SEED }))]
    const schema = defineSchema({ name: 'cells', columns: { n: int32(), c: kind.spec } })
    const inFile = (cell: string) =>
      /^"|[\r\n]/.test(cell) ? `"${cell.replace(/["\\]/g, '\\$&')}"` : cell
    const lines = texts.map((cell, n) => `${n}\t${inFile(cell)}`)
    const bytes = Buffer.from(`n\tc\n${lines.join('\n')}\n`)
    const [parquet, arrow] = [join(folder, 'c.parquet'), join(folder, 'c.arrow')]
    const same = kind.same ?? String
    for (const [sink, read] of [
      [parquetSink(parquet), () => readParquet(parquet)],
      [arrowSink(arrow), () => readArrow(arrow)],
    ] as const) {
      const source = pipeline([bytes])
      if (road === 'rows') await source.to(new TsvRowParser({ schema })).run(sink as Sink<unknown>)
      else await source.to(new TsvColumnParser({ schema })).run(sink as Sink<unknown>)
      expect((await read()).map(same)).toEqual(texts.map(same))
    }
  })
})

describe('the sinks of files keep JSON', () => {
  const JSON_CELLS = [
    '{"id":1533947986218845197,"price":1.10}',
    '{"2":1,"1":2,"1":3}',
    '1e400',
    '-1e5',
    '"a"',
    '[1,\n 2]',
    `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
  ]
  const schema = defineSchema({ name: 'docs', columns: { id: text(), n: int64(), doc: json() } })
  const inFile = (cell: string) => `"${cell.replace(/["\\]/g, '\\$&')}"`
  const bytes = Buffer.from(
    `id\tn\tdoc\n${JSON_CELLS.map((cell, n) => `i\t${n}\t${inFile(cell)}\n`).join('')}`,
  )
  let folder: string
  beforeAll(async () => {
    folder = await folderOf()
  })
  afterAll(() => rm(folder, { recursive: true }))

  const roads: [string, () => { run(sink: Sink<never>): Promise<unknown> }][] = [
    ['batches of rows', () => pipeline([bytes]).to(new TsvRowParser({ schema }))],
    ['batches of columns', () => pipeline([bytes]).to(new TsvColumnParser({ schema }))],
    [
      'rows',
      () =>
        pipeline([bytes])
          .to(new TsvRowParser({ schema }))
          .map(row => row),
    ],
  ]

  test.each(roads)('fault 135: in NDJSON and CSV, from %s', async (_, source) => {
    const [lines, table] = [join(folder, 'x.ndjson'), join(folder, 'x.csv')]
    await source().run(ndjsonSink(lines) as Sink<never>)
    const written = JSON_CELLS.map(cell => cell.replaceAll('\n', ' '))
    expect(await readFile(lines, 'utf8')).toBe(
      written.map((cell, n) => `{"id":"i","n":"${n}","doc":${cell}}\n`).join(''),
    )
    await source().run(csvSink(table) as Sink<never>)
    const inCsv = (cell: string) => (/[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)
    expect(await readFile(table, 'utf8')).toBe(
      `id,n,doc\r\n${JSON_CELLS.map((cell, n) => `i,${n},${inCsv(cell)}\r\n`).join('')}`,
    )
  })
})

test.each([':memory:', 'file::memory:', 'file:x?mode=memory'])(
  'fault 164: %s is refused at the call, because its rows would be lost',
  path => {
    const options = { table: 't' }
    for (const call of [() => sqliteSink(path, options), () => duckdbSink(path, options)])
      expect(call).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }))
  },
)
