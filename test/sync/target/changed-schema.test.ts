// A schema that changes in month two, in every target: a full file under the first schema, and then
// a file of changes under the second one. The tables say what comes out.
// Long: it synchronises two files into three targets for each kind of change.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { closing } from '../../../src/engine/disk/closing'
import {
  boolean,
  type ColumnSpec,
  type Columns,
  date,
  decimal,
  defineSchema,
  FeedError,
  int32,
  int64,
  json,
  list,
  oneOf,
  text,
  timestamp,
} from '../../../src/index'
import { openState } from '../../../src/sync/read/open-state'
import { sync } from '../../../src/sync/run/sync'
import type { FeedSource } from '../../../src/sync/source/feed-source'
import { columnNameOf } from '../../../src/sync/target/sql/sql-tables'
import { duckdbPlace, hasPostgres, type Place, postgresPlace } from './sql/own-places'

/**
 * What stands in a column of a key: its value as text, or
 *
 *   null      nothing
 *   bad x     no value, with the text that the file has
 *   other x   no column of the schema, with the text that the file has
 */
type Cell = string | null
/** The cells of the old row and of the new one, or two types of which the first cannot be the second. */
type Outcome = readonly [old: Cell, now: Cell] | { readonly was: string; readonly is: string }

/** A column in month one and in month two; undefined where the schema or the file lacks it. */
interface Change {
  readonly what: string
  readonly schemas: readonly [ColumnSpec | undefined, ColumnSpec | undefined]
  readonly cells: readonly [string | undefined, string | undefined]
  /** The names of the column. Default: value. */
  readonly names?: readonly [string, string]
  readonly folder: Outcome
  /** Default: as in a state folder. */
  readonly duckdb?: Outcome
  /** Default: as in DuckDB. */
  readonly postgres?: Outcome
}

const becomes = (was: string, is: string): Outcome => ({ was, is })

// A state folder has the cells as texts, and reads all of them by the schema of the reader. A database has
// values: it alters a column where every value stays what it is, and refuses any other type.
const CHANGES: readonly Change[] = [
  {
    what: 'a column is added',
    schemas: [undefined, text()],
    cells: [undefined, 'y'],
    folder: [null, 'y'],
  },
  {
    what: 'a column is added that the files had before',
    schemas: [undefined, int32()],
    cells: ['7', '8'],
    folder: ['7', '8'],
    duckdb: ['other 7', '8'],
  },
  {
    what: 'a notNull column is added',
    schemas: [undefined, text({ notNull: true })],
    cells: [undefined, 'y'],
    folder: ['bad ', 'y'],
    duckdb: [null, 'y'],
  },
  {
    what: 'a column becomes notNull',
    schemas: [text(), text({ notNull: true })],
    cells: ['', 'y'],
    folder: ['bad ', 'y'],
    duckdb: [null, 'y'],
  },
  {
    what: 'a column is dropped by the schema',
    schemas: [text(), undefined],
    cells: ['x', 'y'],
    folder: ['x', 'y'],
    duckdb: ['x', 'other y'],
  },
  {
    what: 'a column is dropped by the schema and the files',
    schemas: [text(), undefined],
    cells: ['x', undefined],
    folder: ['x', null],
  },
  {
    what: 'a column is dropped by the files alone',
    schemas: [text(), text()],
    cells: ['x', undefined],
    folder: ['x', null],
  },
  {
    what: 'int32 becomes int64',
    schemas: [int32(), int64()],
    cells: ['-7', '9000000000'],
    folder: ['-7', '9000000000'],
  },
  {
    what: 'int32 becomes decimal',
    schemas: [int32(), decimal()],
    cells: ['2147483647', '1.25'],
    folder: ['2147483647', '1.25'],
    duckdb: ['2147483647.0000', '1.2500'],
    postgres: ['2147483647', '1.25'],
  },
  {
    what: 'int64 becomes decimal',
    schemas: [int64(), decimal()],
    cells: ['9000000000', '1.25'],
    folder: ['9000000000', '1.25'],
    duckdb: becomes('BIGINT', 'DECIMAL(18, 4)'),
    postgres: ['9000000000', '1.25'],
  },
  {
    what: 'int64 becomes int32',
    schemas: [int64(), int32()],
    cells: ['9000000000', '7'],
    folder: ['bad 9000000000', '7'],
    duckdb: becomes('BIGINT', 'INTEGER'),
    postgres: becomes('bigint', 'integer'),
  },
  {
    what: 'decimal gets more digits behind the point',
    schemas: [decimal({ scale: 2 }), decimal({ scale: 4 })],
    cells: ['1.25', '1.2345'],
    folder: ['1.25', '1.2345'],
    duckdb: ['1.2500', '1.2345'],
  },
  {
    what: 'decimal gets more digits than a value leaves room for',
    schemas: [decimal({ scale: 2 }), decimal({ scale: 4 })],
    cells: [`${'9'.repeat(35)}.25`, '1.2345'],
    // A decimal has 38 digits at most.
    folder: [`bad ${'9'.repeat(35)}.25`, '1.2345'],
    duckdb: becomes('DECIMAL(38,2)', 'DECIMAL(38, 4)'),
    postgres: becomes('numeric(38,2)', 'numeric(38, 4)'),
  },
  {
    what: 'decimal gets fewer digits behind the point',
    schemas: [decimal({ scale: 4 }), decimal({ scale: 2 })],
    cells: ['1.2345', '1.25'],
    folder: ['bad 1.2345', '1.25'],
    duckdb: becomes('DECIMAL(38,4)', 'DECIMAL(38, 2)'),
    postgres: becomes('numeric(38,4)', 'numeric(38, 2)'),
  },
  {
    what: 'text becomes int32',
    schemas: [text(), int32()],
    cells: ['x7', '7'],
    folder: ['bad x7', '7'],
    duckdb: becomes('VARCHAR', 'INTEGER'),
    postgres: becomes('text', 'integer'),
  },
  {
    what: 'int32 becomes text',
    schemas: [int32(), text()],
    cells: ['007', 'x7'],
    folder: ['007', 'x7'],
    duckdb: becomes('INTEGER', 'VARCHAR'),
    postgres: becomes('integer', 'text'),
  },
  {
    what: 'boolean becomes text',
    schemas: [boolean(), text()],
    cells: ['true', 'yes'],
    folder: ['true', 'yes'],
    duckdb: becomes('BOOLEAN', 'VARCHAR'),
    postgres: becomes('boolean', 'text'),
  },
  {
    what: 'text becomes json',
    schemas: [text(), json()],
    cells: ['{', '7'],
    folder: ['bad {', '7'],
    // Its type for both is VARCHAR.
    duckdb: ['{', '7'],
    postgres: becomes('text', 'jsonb'),
  },
  {
    what: 'oneOf gets more values',
    schemas: [oneOf('a', 'b'), oneOf('a', 'b', 'c')],
    cells: ['a', 'c'],
    folder: ['a', 'c'],
  },
  {
    what: 'oneOf gets fewer values',
    schemas: [oneOf('a', 'b'), oneOf('b')],
    cells: ['a', 'b'],
    folder: ['bad a', 'b'],
    duckdb: ['a', 'b'],
  },
  {
    what: 'date becomes timestamp',
    schemas: [date(), timestamp()],
    cells: ['2026-02-28', '2026-02-28T10:00:00Z'],
    folder: ['bad 2026-02-28', '2026-02-28T10:00:00.000Z'],
    duckdb: becomes('DATE', 'TIMESTAMP'),
    postgres: becomes('date', 'timestamptz'),
  },
  {
    what: 'the values of a list become wider',
    schemas: [list('|', int32()), list('|', int64())],
    cells: ['7|8', '9000000000'],
    folder: ['7,8', '9000000000'],
  },
  {
    what: 'the values of a list become narrower',
    schemas: [list('|', int64()), list('|', int32())],
    cells: ['9000000000', '7'],
    folder: ['bad 9000000000', '7'],
    duckdb: becomes('BIGINT[]', 'INTEGER[]'),
    postgres: becomes('bigint[]', 'integer[]'),
  },
  {
    what: 'a list gets another separator',
    schemas: [list('|', int32()), list(';', int32())],
    cells: ['7|8', '7;8'],
    folder: ['bad 7|8', '7,8'],
    duckdb: ['7,8', '7,8'],
  },
  {
    what: 'a list becomes text',
    schemas: [list('|'), text()],
    cells: ['x|y', 'z'],
    folder: ['x|y', 'z'],
    duckdb: becomes('VARCHAR[]', 'VARCHAR'),
    postgres: becomes('text[]', 'text'),
  },
  {
    what: 'a column is renamed in another case',
    schemas: [text(), text()],
    cells: ['x', 'y'],
    names: ['unitPrice', 'UnitPrice'],
    folder: ['x', 'y'],
  },
  {
    what: 'a column is renamed in another case, which parts other words',
    schemas: [text(), text()],
    cells: ['x', 'y'],
    names: ['unitPrice', 'unitprice'],
    folder: ['x', 'y'],
    duckdb: [null, 'y'],
  },
]

/** What the rows of a feed are kept by in one month. */
interface Rules {
  readonly key: string
  readonly version?: string
  /** The kind of the version, and what the file has there. Default: int64, with a number. */
  readonly kind?: ColumnSpec
  readonly cell?: string
}

const byRevision: Rules = { key: 'sku', version: 'revision' }
const byTime: Rules = { ...byRevision, kind: timestamp(), cell: '2026-02-01T00:00:00.000Z' }
/** The error is the same in every target, but for the types of a database. */
const RULES: readonly (readonly [
  what: string,
  was: Rules,
  is: Rules,
  error: RegExp | undefined,
])[] = [
  ['the key is another column', { key: 'sku' }, { key: 'title' }, /key must be sku, not title/],
  ['a version is added', { key: 'sku' }, byRevision, /version must be none, not revision/],
  ['a version is removed', byRevision, { key: 'sku' }, /version must be revision, not none/],
  [
    'the version is another column',
    byRevision,
    { key: 'sku', version: 'stamp' },
    /version must be revision, not stamp/,
  ],
  [
    'the version becomes a time',
    byRevision,
    byTime,
    /must be (?:a number|bigint), not (?:a )?timestamp/i,
  ],
  [
    'the version becomes a number',
    byTime,
    byRevision,
    /must be (?:a )?timestamp.*, not (?:a number|bigint)/i,
  ],
  ['the version becomes wider', { ...byRevision, kind: int32() }, byRevision, undefined],
]

interface OpenPlace {
  /** Synchronises a feed. */
  run(source: FeedSource): Promise<unknown>
  /** The cells of each key in the columns of a schema. */
  cells(source: FeedSource, columns: readonly string[]): Promise<Map<string, Cell[]>>
  drop(): Promise<void>
}

const ALL_SHARES = { maxRemovedShare: 1, maxBadShare: 1 } as const

const newFolder = () => mkdtempSync(join(tmpdir(), 'feedmill-months-'))

async function folderPlace(): Promise<OpenPlace> {
  const folder = newFolder()
  return {
    drop: async () => rmSync(folder, { recursive: true }),
    run: source =>
      sync({ source, folder, changes: 'files', changeRows: 'both', ...ALL_SHARES }).summary,
    cells: async (source, columns) =>
      closing(await openState(folder), async state => {
        const found = new Map<string, Cell[]>()
        const feed = state.feed(source)
        for await (const block of feed.rows())
          for (const row of block) {
            const cellOf = (name: string): Cell => {
              try {
                return textOf(row.get(name))
              } catch (error) {
                if (!FeedError.is(error)) throw error
                return error.code === 'COLUMN_UNKNOWN' ? null : `bad ${row.text(name)}`
              }
            }
            found.set(row.text(source.key), columns.map(cellOf))
          }
        return found
      }),
  }
}

function textOf(value: unknown): Cell {
  if (value === null || value === undefined || value === '') return null
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value) && typeof value[0] === 'object') return JSON.stringify(value)
  const { text: exact } = Object(value)
  return typeof exact === 'string' ? exact : String(value)
}

async function placed(newPlace: () => Promise<Place>): Promise<OpenPlace> {
  const place = await newPlace()
  return {
    drop: () => place.drop(),
    run: source => sync({ source, target: place.target(), ...ALL_SHARES }).summary,
    cells: async (source, columns) => {
      const rows = await place.rows(source.name, source.key)
      const cellOf = (row: Record<string, unknown>, name: string): Cell => {
        for (const rest of ['invalid', 'other'] as const) {
          const cell = (row[rest] as Record<string, string> | null)?.[name]
          if (cell !== undefined) return `${rest === 'invalid' ? 'bad' : rest} ${cell}`
        }
        return textOf(row[columnNameOf(name)])
      }
      return new Map(
        rows.map(row => [String(row[source.key]), columns.map(name => cellOf(row, name))]),
      )
    },
  }
}

const TARGETS = [
  ['a state folder', true, 'folder', folderPlace],
  ['DuckDB', true, 'duckdb', () => placed(duckdbPlace)],
  ['PostgreSQL', hasPostgres, 'postgres', () => placed(postgresPlace)],
] as const

function outcomeOf(change: Change, target: (typeof TARGETS)[number][2]): Outcome {
  const { folder, duckdb = folder, postgres = duckdb } = change
  return { folder, duckdb, postgres }[target]
}

let feeds = 0

/** Returns what makes a new feed with a file for each month so far, of which the first is full. */
function newFeed() {
  const name = `months_${feeds++}`
  const folder = newFolder()
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return (
    columns: Columns,
    files: readonly string[],
    rules: Rules = { key: 'sku' },
  ): FeedSource => {
    const listed = files.map((content, n) => {
      const from = join(folder, `${n}.tsv`)
      writeFileSync(from, content)
      const kind = n === 0 ? ('full' as const) : ('changes' as const)
      return { id: String(n), from, kind, time: new Date(Date.UTC(2026, n)) }
    })
    const { key, version } = rules
    const schema = defineSchema({ name, columns })
    return { name, schema, files: listed, key, ...(version !== undefined && { version }) }
  }
}

describe.each(TARGETS.filter(([, isThere]) => isThere))(
  'a schema that changes, in %s',
  (_, __, target, newPlace) => {
    let place: OpenPlace
    beforeAll(async () => {
      place = await newPlace()
    })
    afterAll(() => place?.drop())

    test.each(CHANGES.map(change => [change.what, change] as const))('%s', async (_, change) => {
      const { schemas, cells, names: [was, is] = ['value', 'value'] } = change
      const columnsOf = (column: string, spec: ColumnSpec | undefined): Columns => {
        return { sku: text(), ...(spec && { [column]: spec }) }
      }
      const fileOf = (key: string, column: string, cell: string | undefined) =>
        cell === undefined ? `sku\n${key}\n` : `sku\t${column}\n${key}\t${cell}\n`
      const feedOf = newFeed()
      const files = [fileOf('old', was, cells[0])]
      const before = feedOf(columnsOf(was, schemas[0]), files)
      await place.run(before)
      const first = await place.cells(before, [was])
      files.push(fileOf('new', is, cells[1]))
      const after = feedOf(columnsOf(is, schemas[1]), files)
      const outcome = outcomeOf(change, target)
      if ('was' in outcome) {
        await expect(place.run(after)).rejects.toMatchObject({
          code: 'STATE_FOREIGN',
          message: expect.stringMatching(/: give the column or the feed another name$/),
          context: { expected: outcome.was, received: outcome.is },
        })
        // Nothing of the second month is there, and the feed goes on under its first schema.
        expect(await place.cells(before, [was])).toEqual(first)
        files[1] = fileOf('new', was, cells[0])
        await place.run(feedOf(before.schema.columns, files))
        expect(await place.cells(before, [was])).toEqual(
          new Map([...first, ['new', first.get('old')!]]),
        )
      } else {
        await place.run(after)
        const [old, now] = outcome
        expect(await place.cells(after, [is])).toEqual(
          new Map([
            ['old', [old]],
            ['new', [now]],
          ]),
        )
      }
    })

    test.each(RULES)('%s', async (_, was, is, error) => {
      const names = ['title', 'revision', 'stamp']
      const feedOf = newFeed()
      const feed = (count: number, schema = was) => {
        const rowOf = (key: string, { cell = '5' }: Rules) =>
          `sku\t${names.join('\t')}\n${key}\t${key}1\t${cell}\t5\n`
        const { kind = int64() } = schema
        const columns = { sku: text(), title: text(), revision: kind, stamp: int64() }
        const files = [rowOf('a', was), rowOf('b', schema)]
        return feedOf(columns, files.slice(0, count), schema)
      }
      await place.run(feed(1))
      const first = await place.cells(feed(1), names)
      const run = place.run(feed(2, is))
      if (error !== undefined) {
        await expect(run).rejects.toMatchObject({
          code: 'STATE_FOREIGN',
          message: expect.stringMatching(error),
        })
        await expect(run).rejects.toThrow(/another name$/)
        expect(await place.cells(feed(1), names)).toEqual(first)
        await place.run(feed(2))
      } else await run
      const [, revision, stamp] = first.get('a')!
      expect(await place.cells(feed(2), names)).toEqual(
        new Map([...first, ['b', ['b1', revision!, stamp!]]]),
      )
    })
  },
)
