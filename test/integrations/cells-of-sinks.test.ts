// A cell arrives as it is: each kind of column through each sink of a table, by each mode, into a new
// table and into tables of every type that may hold it. A reader that knows nothing of feedmill reads
// the cell back, or the run was refused. The process stands in a zone of its own, and so do the
// sessions of the server and processes that begin in another zone.
//
// Long: it loads DuckDB, and asks a server of PostgreSQL.

import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
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
  type FeedSchema,
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
  /** The types of columns that are there already. `s` is a scale that is drawn. */
  readonly types: readonly string[]
  /** Says whether -0 is 0 in columns of a type, or in those of a new table. */
  hasOneZero(type?: string): boolean
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
      'DECIMAL(38, s)',
      'BOOLEAN',
      'DATE',
      'TIMESTAMP',
      'TIMESTAMP_S',
      'TIMESTAMP_NS',
      'TIMESTAMPTZ',
      'JSON',
    ],
    hasOneZero: (type = 'DOUBLE') => /INT|DECIMAL/.test(type),
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
          `CASE WHEN typeof(c) <> 'real' THEN CAST(c AS TEXT) WHEN c = 0 AND atan2(c, -1) < 0
           THEN 'real -0' ELSE 'real ' || printf('%!.20g', c) END`,
        ),
      ).map(({ t, c }) => ({
        t: String(t),
        c: String(c).startsWith('real ') ? exactDouble(String(c).slice(5)) : (c as string),
      })),
    types: ['TEXT', 'INTEGER', 'REAL', 'NUMERIC', 'ANY', '', 'BLOB', 'VARCHAR(5)'],
    // A column of the type REAL stores doubles without a fraction as whole numbers.
    hasOneZero: (type = 'REAL') => /INT|REAL|NUM|ANY/.test(type),
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
      'numeric(38, s)',
      'boolean',
      'date',
      'timestamp',
      'timestamp(0)',
      'timestamptz',
      'json',
      'jsonb',
    ],
    hasOneZero: (type = 'double precision') => /int|numeric|jsonb/.test(type),
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

const doubleText = (double: number) => (Object.is(double, -0) ? '-0' : String(double))
const asDouble = (cell: string) => doubleText(Number(cell))
/** Returns all digits of a double that is whole. */
const exactDouble = (cell: string) =>
  Number.isInteger(Number(cell)) && Number(cell) !== 0
    ? String(BigInt(Number(cell)))
    : asDouble(cell)
function asInstant(cell: string): string {
  const [, day, time = '00:00:00', fraction = ''] =
    /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d:\d\d)(?:\.(\d+))?(?:\+00(?::00)?|Z)?)?$/.exec(cell) ?? []
  return day === undefined ? cell : `${day} ${time}.${fraction.replace(/0+$/, '')}`
}
/** JSON without spaces between its parts, its numbers as they are. */
const asJson = (cell: string) =>
  cell.replace(/"(?:[^"\\]|\\.)*"|\s+/g, part => (part.startsWith('"') ? part : ''))

const CHOICES = ['1', '01', '1.10', '2.0', '-0', 'red'] as const

/** A decimal has 38 digits, 10 of them behind the point. */
const MOST_WHOLE = 10n ** 28n - 1n

/** The milliseconds of the years that every database has. */
const TIMES = {
  min: Date.parse('0001-01-01T00:00:00.000Z'),
  max: Date.parse('9999-12-31T23:59:59.999Z'),
}

interface Kind {
  readonly spec: ColumnSpec
  readonly cells: fc.Arbitrary<string>
  /** Returns what two texts of one cell have in common. */
  readonly same?: (cell: string) => string
  /** Cells that columns of some types would change. */
  readonly near?: readonly (readonly [string, RegExp])[]
}

/** The kinds, with cells at the ends of their ranges. */
const KINDS: Record<string, Kind> = {
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
        fc.constant(-0),
        fc.constantFrom(5, 0.1, 0.1 + 0.2, 1e22, 1e-9, 2.6, 2 ** 53, 1e300, -1e300),
        fc.constantFrom(5e-324, -5e-324, 2.2250738585072014e-308, 1.7976931348623157e308),
        fc.constantFrom(0.3, 1 / 3, 123456789.12345678, 2 ** 53 + 2, -1e-300),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
      )
      .map(doubleText),
    same: asDouble,
    near: [['-0', /^$|BLOB|TEXT|CHAR|JSON|DOUBLE|FLOAT|REAL|NUM|DEC/i]],
  },
  boolean: {
    spec: boolean(),
    cells: fc.constantFrom('true', 'false'),
    same: cell => ({ '1': 'true', '0': 'false', '1.0': 'true', '0.0': 'false' })[cell] ?? cell,
  },
  date: {
    spec: date(),
    cells: fc.oneof(
      fc.constantFrom('2026-03-01', '0001-01-01', '9999-12-31', '1969-12-31', '2024-02-29'),
      fc.integer(TIMES).map(ms => new Date(ms).toISOString().slice(0, 10)),
    ),
    same: asInstant,
  },
  timestamp: {
    spec: timestamp(),
    cells: fc.oneof(
      fc.constantFrom('2026-03-01T10:00:00.250Z', '1970-01-01T00:00:00Z', '2026-03-29T01:30:00Z'),
      fc.constantFrom('2026-07-01T00:00:00Z', '1899-12-31T23:59:59.999Z', '2026-11-01T05:30:00Z'),
      fc.constantFrom(TIMES.min, TIMES.max).map(ms => new Date(ms).toISOString()),
      fc.integer(TIMES).map(ms => new Date(ms).toISOString()),
    ),
    same: asInstant,
    near: [['2026-03-01T10:00:00.250Z', /^(?:TIME|DATE)/i]],
  },
  text: {
    spec: text(),
    cells: fc.oneof(
      fc.constantFrom('007', '1e5', '1.10', '5', '-0', ' 7', '2026-03-01', 'true', 'now', '0x10'),
      fc.constantFrom('2026-03-01 10:00', 'abcdefgh', '[1]', 'ab   ', '1_000', 'infinity', '.5'),
      fc.constantFrom('2026-03-01T10:00:00.25Z', '2026-03-01 10:00:00', '2026-11-01T05:30:00Z'),
      fc.stringMatching(/^-?0{0,2}[0-9]{1,3}(\.[0-9]{0,2}0{0,2})?$/),
      fc.string({ minLength: 1, unit: 'grapheme-ascii' }).filter(one => /^[^"\t\\]+$/.test(one)),
    ),
    near: [
      ['2026-03-01T10:00:00.25Z', /^(?:TIME|DATE)/i],
      ['1.10', /DOUBLE|FLOAT|REAL|NUM|DEC/i],
      ['007', /INT|DOUBLE|FLOAT|REAL|NUM|DEC/i],
    ],
  },
  oneOf: { spec: oneOf(...CHOICES), cells: fc.constantFrom(...CHOICES) },
  json: {
    spec: json(),
    cells: fc.oneof(
      fc.constantFrom('{"id":1533947986218845197,"price":1.10}', '5', 'true', '1e400', '"5"'),
      fc.constantFrom('[1.0,-0.10]', '{"b":1,"a":12345678901234567890.5}', '"\\ud83d\\ude00"'),
    ),
    same: asJson,
  },
}

type Road = 'rows' | 'columns' | 'objects' | 'map'
/** The ways from a file to a sink. */
const ROADS: Readonly<
  Record<
    Road,
    (bytes: Uint8Array, schema: FeedSchema) => { run(sink: Sink<never>): Promise<unknown> }
  >
> = {
  rows: (bytes, schema) => pipeline([bytes]).to(new TsvRowParser({ schema })),
  columns: (bytes, schema) => pipeline([bytes]).to(new TsvColumnParser({ schema })),
  objects: (bytes, schema) => pipeline([bytes]).to(new TsvObjectParser({ schema })),
  map: (bytes, schema) =>
    pipeline([bytes])
      .to(new TsvRowParser({ schema }))
      .filter(() => true)
      .map(row => row),
}
const ROAD_NAMES = Object.keys(ROADS) as Road[]
const someRoad = fc.constantFrom(...ROAD_NAMES)

const schemaOf = (spec: ColumnSpec) =>
  defineSchema({ name: 'cells', columns: { n: int32(), c: spec } })

/** Returns a file of cells, whose column `n` counts from `first`. */
function fileOf(texts: readonly string[], first = 0): Uint8Array {
  const inFile = (cell: string) =>
    /^"|[\r\n]/.test(cell) ? `"${cell.replace(/["\\]/g, '\\$&')}"` : cell
  return Buffer.from(`n\tc\n${texts.map((cell, n) => `${n + first}\t${inFile(cell)}\n`).join('')}`)
}

/** Returns a cell as a road has it: objects have parsed JSON. */
const onRoad = ({ spec }: Kind, cell: string, road: Road) =>
  spec.type === 'json' && road === 'objects' ? JSON.stringify(JSON.parse(cell)) : cell

const SEED = 163 + Number(process.env.FEEDMILL_SEED ?? 0)
const seedOf = (kind: Kind) => SEED + Object.values(KINDS).indexOf(kind)
/** The zone of the process before. */
const ZONE = process.env.TZ

describe.each(PLACES)('the sink of %s', (name, isHere, openPlace) => {
  describe.runIf(isHere)('keeps cells:', () => {
    let place: Place
    beforeAll(async () => {
      process.env.TZ = process.env.FEEDMILL_CELLS_ZONE ?? 'America/New_York'
      place = await openPlace()
    })
    afterAll(async () => {
      if (ZONE === undefined) delete process.env.TZ
      else process.env.TZ = ZONE
      await place.drop()
    })
    beforeEach(() => place.run('DROP TABLE IF EXISTS t'))
    const cells = async () => (await place.read(['t'])).map(({ c }) => c)

    /** Writes a table. Returns false where the run was refused. */
    async function writes(
      bytes: Uint8Array,
      spec: ColumnSpec,
      options: Partial<SqliteSinkOptions>,
      road: Road = 'rows',
    ): Promise<boolean> {
      const schema = schemaOf(spec)
      const { mode } = options
      const key = mode === 'upsert' ? { key: ['n'] } : {}
      const sink = place.sink({ table: 't', schema, ...key, ...options } as SqliteSinkOptions)
      try {
        await ROADS[road](bytes, schema).run(sink)
        return true
      } catch (error) {
        expect(error).toBeInstanceOf(FeedError)
        expect((error as Error).message).not.toContain('call stack')
        return false
      }
    }
    const written = async (
      texts: readonly string[],
      ...how: [ColumnSpec, Partial<SqliteSinkOptions>, Road?]
    ) => ((await writes(fileOf(texts), ...how)) ? cells() : undefined)

    const compared = (kind: Kind, type?: string) => (cell: string | null) => {
      if (cell === null) return null
      // jsonb has numbers by their values.
      if (name === 'PostgreSQL' && kind.spec.type === 'json') return sortedJson(cell)
      const same = (kind.same ?? String)(cell)
      return kind.spec.type === 'float64' && place.hasOneZero(type)
        ? same.replace(/^-0$/, '0')
        : same
    }

    test.each(Object.entries(KINDS))(
      'fault 135: a new table has each cell of the kind %s, by each mode and each road',
      async (_, kind) => {
        const texts = [...new Set(fc.sample(kind.cells, { numRuns: 60, seed: SEED }))]
        const steps = ['create', 'upsert', 'replace', 'append', 'upsert'] as const
        const all = fc.shuffledSubarray(ROAD_NAMES, { minLength: ROAD_NAMES.length })
        const [roads] = fc.sample(all, { numRuns: 1, seed: seedOf(kind) })
        for (const [step, mode] of steps.entries()) {
          if (step > 2) await place.run('DROP TABLE t')
          const road = roads![step % ROAD_NAMES.length]!
          // The first upsert meets all keys, with other cells.
          const cells = [...texts.slice(step), ...texts.slice(0, step)]
          const options = mode === 'create' ? { mode, key: ['n'] } : { mode }
          const found = await written(cells, kind.spec, options as object, road)
          const expected = cells.map(cell => compared(kind)(onRoad(kind, cell, road)))
          expect([mode, road, found?.map(compared(kind))]).toEqual([mode, road, expected])
        }
      },
    )

    let [tried, kept] = [0, 0]
    test.each(Object.entries(KINDS))(
      'fault 163: a table of any type has the cell of the kind %s, or the run was refused; append and upsert agree',
      async (_, kind) => {
        const record = { cell: kind.cells, scale: fc.nat(10), roads: fc.tuple(someRoad, someRoad) }
        const seed = seedOf(kind)
        const drawn = fc.sample(fc.record(record), { numRuns: place.types.length, seed })
        const cases = place.types.flatMap((declared, n) => {
          const { cell, scale, roads } = drawn[n]!
          const type = declared.replace('s)', `${scale})`)
          const modes = ['append', 'upsert', 'replace'] as const
          // Of five types two are left out, and one has all modes.
          const chosen = modes.slice(0, Math.max(0, ((n + seed) % 5) - 1))
          const near = (kind.near ?? []).filter(([, types]) => types.test(type))
          return [
            ...chosen.map(mode => ({ table: `t${n}_${mode}`, mode, cell })),
            ...near.map(([cell], at) => ({ table: `near${n}_${at}`, mode: modes[0], cell })),
          ].map((one, at) => {
            // Objects have another text of JSON, which may fit where the cell does not.
            const road = roads[kind.spec.type === 'json' ? 0 : at % 2]!
            // No two rows of a table that is there have one key.
            const first = one.mode === 'append' ? 1 : 0
            return { ...one, type, road, first, texts: first ? [one.cell] : [one.cell, one.cell] }
          })
        })
        const each = (sql: (one: (typeof cases)[number]) => string) =>
          place.run(cases.map(sql).join('; '))
        await each(({ table }) => `DROP TABLE IF EXISTS ${table}`)
        await each(({ table, type }) => `CREATE TABLE ${table} (n INTEGER PRIMARY KEY, c ${type})`)
        await each(({ table }) => `INSERT INTO ${table} VALUES (0, NULL)`)
        const refused = new Set<string>()
        for (const { table, mode, road, first, texts } of cases) {
          const options = { table, mode } as object
          if (!(await writes(fileOf(texts, first), kind.spec, options, road))) refused.add(table)
        }
        const rows = await place.read(cases.map(({ table }) => table))
        for (const { table, type, cell, mode, road, first } of cases) {
          const same = compared(kind, mode === 'replace' ? undefined : type)
          const sent = same(onRoad(kind, cell, road))!
          const found = rows
            .filter(({ t }) => t === table)
            .map(({ c }) => (isText(kind) ? textIn(type, same(c), sent) : same(c)))
          const expected = refused.has(table) ? [null] : [first ? null : sent, sent]
          expect([table, type, cell, road, found]).toEqual([table, type, cell, road, expected])
          const isRefused = mode !== 'replace' && refused.has(table.replace(mode, 'append'))
          expect([type, cell, refused.has(table)]).toEqual([type, cell, isRefused])
        }
        tried += cases.length
        kept += cases.length - refused.size
      },
      120_000,
    )

    test('fault 163: the runs of these tables are not refused throughout', () => {
      expect(kept * 4).toBeGreaterThanOrEqual(tried)
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

    test('"Nothing is rounded": a decimal column pads to its scale, and refuses more digits', async () => {
      const part = { whole: fc.integer({ min: 1, max: 99_999 }), scale: fc.nat(5), road: someRoad }
      const fraction = fc.stringMatching(/^[0-9]{1,4}$/)
      const spec = fc.constantFrom(decimal(), decimal({ scale: 4 }))
      const mode = fc.constantFrom('append', 'upsert')
      const record = fc.record({ ...part, fraction, spec, mode })
      for (const { whole, fraction, scale, spec, mode, road } of fc.sample(record, {
        numRuns: 8,
        seed: SEED,
      })) {
        const cell = `-${whole}.${fraction}`
        await place.run(
          `DROP TABLE IF EXISTS t; CREATE TABLE t (n INTEGER PRIMARY KEY, c DECIMAL(20, ${scale}))`,
        )
        const found = await written([cell], spec, { mode } as object, road)
        const digits = fraction.replace(/0+$/, '')
        // SQLite has no scales.
        const isFit = name === 'SQLite' || digits.length <= scale
        const padded = `-${whole}${scale === 0 ? '' : `.${digits.padEnd(scale, '0')}`}`
        const expected = isFit ? [name === 'SQLite' ? plainNumber(cell) : padded] : undefined
        expect([cell, scale, road, found]).toEqual([cell, scale, road, expected])
      }
    })
  })
})

const isText = ({ spec }: Kind) => ['text', 'oneOf', 'json'].includes(spec.type)

/** Returns a text as it was sent, where a column has it with zeros up to its scale, or as a time. */
function textIn(type: string, found: string | null, sent: string): string | null {
  const isPadded = /^(?:numeric|decimal)\(/i.test(type) && found?.startsWith(sent)
  if (isPadded) return sent + found!.slice(sent.length).replace(/^\.?0+$/, '')
  const isTime = /^timestamp/i.test(type) && found !== null && asInstant(found) === asInstant(sent)
  return isTime ? sent : found
}

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
  if (type.scale === undefined) return typeof value === 'number' ? doubleText(value) : String(value)
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
    process.env.TZ = process.env.FEEDMILL_CELLS_ZONE ?? 'America/St_Johns'
    folder = await folderOf()
  })
  afterAll(async () => {
    if (ZONE === undefined) delete process.env.TZ
    else process.env.TZ = ZONE
    await rm(folder, { recursive: true })
  })

  const readByDuckdb = async (from: string): Promise<string[]> => {
    const instance = await DuckDBInstance.create(':memory:')
    const connection = await instance.connect()
    try {
      await connection.run("SET TimeZone = 'UTC'")
      const sql = `SELECT CAST(c AS VARCHAR) AS c FROM ${from} ORDER BY CAST(n AS INTEGER)`
      const rows = (await connection.runAndReadAll(sql)).getRowObjectsJson()
      return rows.map(({ c }) => String(c))
    } finally {
      connection.closeSync()
      instance.closeSync()
    }
  }
  const readLines = async (path: string, { spec }: Kind): Promise<string[]> => {
    const lines = (await readFile(path, 'utf8')).trimEnd().split('\n')
    const cells = lines.map(line => line.slice(line.indexOf(',"c":') + 5, -1))
    return spec.type === 'json' ? cells : cells.map(cell => String(JSON.parse(cell)))
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
    Object.entries(KINDS).flatMap(([name, kind]) => ROAD_NAMES.map(road => ({ name, kind, road }))),
  )('fault 135: each cell of the kind $name, from $road, in files of each sort', async one => {
    const { kind, road } = one
    const texts = [...new Set(fc.sample(kind.cells, { numRuns: 80, seed: SEED }))]
    const path = join(folder, 'c')
    const schema = schemaOf(kind.spec)
    const same = kind.same ?? String
    const csv = `read_csv('${path}', header = true, all_varchar = true, quote = '"', escape = '"')`
    const columns: [Sink<never>, () => Promise<string[]>][] = [
      [parquetSink(path), () => readByDuckdb(`read_parquet('${path}')`)],
      [arrowSink(path), () => readArrow(path)],
    ]
    const table: typeof columns = [
      [csvSink(path, { neutralizeFormulas: false }), () => readByDuckdb(csv)],
    ]
    for (const [sink, read] of [
      ...(road === 'rows' || road === 'columns' ? columns : []),
      // In CSV a value that is text is no longer JSON.
      ...(kind.spec.type === 'json' && road === 'objects' ? [] : table),
      [ndjsonSink(path), () => readLines(path, kind)],
    ] as typeof columns) {
      await ROADS[road](fileOf(texts), schema).run(sink)
      // JSON.stringify has one zero.
      const cells = texts.map(cell => same(onRoad(kind, cell, road)))
      const isJson = sink.name === 'ndjson' && kind.spec.type === 'float64'
      const expected = cells.map(cell => (isJson && cell === '-0' ? '0' : cell))
      expect([sink.name, (await read()).map(same)]).toEqual([sink.name, expected])
    }
  })
})

test.runIf(process.env.FEEDMILL_CELLS_ZONE === undefined)(
  'fault 163: days and times stay what they are in a process that begins in another zone',
  async () => {
    const root = resolve(import.meta.dirname, '../..')
    const words = ['run', import.meta.filename, '-t', "fault 135.*kind '?(date|timestamp)"]
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [join(root, 'node_modules/vitest/vitest.mjs'), ...words],
      { cwd: root, env: { ...process.env, TZ: 'Asia/Tokyo', FEEDMILL_CELLS_ZONE: 'Asia/Tokyo' } },
    )
    expect(stdout).toMatch(/Tests .*\d passed/)
  },
  120_000,
)

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

  test.each(['rows', 'columns', 'map'] as const)(
    'fault 135: in NDJSON and CSV, from %s',
    async road => {
      const [lines, table] = [join(folder, 'x.ndjson'), join(folder, 'x.csv')]
      await ROADS[road](bytes, schema).run(ndjsonSink(lines) as Sink<never>)
      const written = JSON_CELLS.map(cell => cell.replaceAll('\n', ' '))
      expect(await readFile(lines, 'utf8')).toBe(
        written.map((cell, n) => `{"id":"i","n":"${n}","doc":${cell}}\n`).join(''),
      )
      await ROADS[road](bytes, schema).run(csvSink(table) as Sink<never>)
      const inCsv = (cell: string) =>
        /[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
      expect(await readFile(table, 'utf8')).toBe(
        `id,n,doc\r\n${JSON_CELLS.map((cell, n) => `i,${n},${inCsv(cell)}\r\n`).join('')}`,
      )
    },
  )
})

test.each([':memory:', 'file::memory:', 'file:x?mode=memory'])(
  'fault 164: %s is refused at the call, because its rows would be lost',
  path => {
    const options = { table: 't' }
    for (const call of [() => sqliteSink(path, options), () => duckdbSink(path, options)])
      expect(call).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }))
  },
)
