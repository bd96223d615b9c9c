// What is SQLite's own in its sink. test/integrations/table-sinks.test.ts has the laws of all sinks
// of tables.
//
// Newer Node: node:sqlite, for which a program stands in.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { loadSqlite, type OpenSqlite } from '../../../src/engine/sinks/sqlite-sink'
import {
  boolean,
  defineSchema,
  int32,
  int64,
  itemSchema,
  json,
  pipeline,
  sqliteSink,
  TsvRowParser,
  text,
} from '../../../src/index'
import { runsWith } from '../../tools'
import { readSqlite, SQLITE_DRIVERS } from './sqlite-drivers'

const LOCKED = defineSchema({ name: 'locked', columns: { a: text() } })
const ROWS = [
  'itemId\tpriceValue\timageAlteringProhibited\titemEndDate\tcategory\tshipToIncludedRegions\tcolour',
  "v1|1|0\t19.90\ttrue\t2026-03-01T10:00:00Z\tToys|It's\tCOUNTRY:US|CA;\tred",
  'v1|2|0\t\t\t\t\t\t',
  '',
].join('\n')

const EXPECTED = [
  {
    itemId: 'v1|1|0',
    priceValue: '19.90',
    imageAlteringProhibited: 1,
    itemEndDate: '2026-03-01T10:00:00.000Z',
    category: '["Toys","It\'s"]',
    shipToIncludedRegions: '{"countries":["US","CA"],"regions":[]}',
    colour: 'red',
  },
  {
    itemId: 'v1|2|0',
    priceValue: null,
    imageAlteringProhibited: null,
    itemEndDate: null,
    category: '[]',
    shipToIncludedRegions: null,
    colour: null,
  },
]

let path: string
let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'feedmill-sqlite-'))
  path = join(folder, 'items.sqlite')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const read = (sql: string) => readSqlite(path, sql)

describe.each(SQLITE_DRIVERS)('sqliteSink with the driver %s', (_, open) => {
  test('fault 163: integers and booleans are bound as integers, so that a column of texts has no point', async () => {
    const bound: unknown[] = []
    const watched: typeof open = place => {
      const database = open(place)
      return {
        exec: sql => database.exec(sql),
        close: () => database.close(),
        prepare: sql => {
          const statement = database.prepare(sql)
          return {
            all: (...values) => statement.all(...values),
            run: (...values) => {
              bound.push(...values)
              return statement.run(...values)
            },
          }
        },
      }
    }
    const schema = defineSchema({
      name: 'bound',
      columns: { n: int32(), big: int64(), used: boolean(), doc: json(), c: text() },
    })
    const rows = [{ n: 5, big: 7n, used: true, doc: 5, c: 'x' }]
    const options = { table: 'bound', schema, open: watched, mode: 'append' } as const
    // A new table, and one that is there.
    for (let run = 0; run < 2; run++) await pipeline([rows]).run(sqliteSink(path, options))
    expect(bound).toEqual([5n, 7n, 1n, '5', 'x', 5n, 7n, 1n, '5', 'x'])
  })

  test('The types follow from the schema, and every value stays exact.', async () => {
    await pipeline([Buffer.from(ROWS)])
      .to(new TsvRowParser({ schema: itemSchema }))
      .run(sqliteSink(path, { table: 'items', open, columns: Object.keys(EXPECTED[0]!) }))
    expect(read('SELECT * FROM items ORDER BY itemId')).toEqual(EXPECTED)
    expect(read("SELECT name, type FROM pragma_table_info('items')")).toMatchObject([
      { type: 'TEXT' },
      { type: 'TEXT' },
      { type: 'INTEGER' },
      { type: 'TEXT' },
      { type: 'TEXT' },
      { type: 'TEXT' },
      { type: 'TEXT' },
    ])
  })
})

test('Without SQLite the error names both ways to have it.', () => {
  expect(() => loadSqlite(() => undefined)).toThrow(
    expect.objectContaining({
      code: 'DEPENDENCY_MISSING',
      context: { package: 'better-sqlite3', neededFor: 'sqliteSink' },
      message: expect.stringMatching(/Node 22\.13.*npm install better-sqlite3/),
    }),
  )
})

test('a database that another connection writes to is told as such, at once and as retryable', async () => {
  const open: OpenSqlite = () => ({
    exec() {
      throw new Error('database is locked')
    },
    prepare: () => expect.unreachable('nothing is prepared'),
    close() {},
  })
  const run = pipeline([{ a: 'b' }]).run(sqliteSink('x.sqlite', { table: 't', open }) as never)
  await expect(run).rejects.toMatchObject({
    code: 'SINK_FAILED',
    retryable: true,
    context: { reason: 'SQLITE_BUSY', target: 'x.sqlite' },
    message: expect.stringMatching(/another connection writes to it; run again/),
  })
})

test.runIf(runsWith('sqlite3')).each(SQLITE_DRIVERS)(
  'fault 161: a file that another process has locked, at once and without its rows: %s',
  async (_, open) => {
    const path = join(folder, 'locked.sqlite')
    const locked = spawn('sqlite3', [path])
    locked.stdin.write("CREATE TABLE other (a); BEGIN EXCLUSIVE; SELECT 'locked';\n")
    await once(locked.stdout, 'data')
    const options = { table: 't', open, mode: 'append', schema: LOCKED } as const
    for (const signal of [undefined, AbortSignal.timeout(5)]) {
      const run = pipeline([{ a: 'b' }], signal && { signal }).run(sqliteSink(path, options))
      const error = await run.catch((failure: unknown) => failure)
      expect(error).toMatchObject(
        signal?.aborted ? { code: 'ABORTED' } : { code: 'SINK_FAILED', retryable: true },
      )
    }
    locked.stdin.end('COMMIT;\n')
    await once(locked, 'close')
    await pipeline([{ a: 'b' }]).run(sqliteSink(path, options))
    expect(readSqlite(path, 'SELECT * FROM t')).toEqual([{ a: 'b' }])
  },
)

test('The module of Node comes before the package, and the package takes its place.', () => {
  const opened: string[] = []
  const classOf = (name: string) =>
    class {
      constructor(path: string, { timeout }: { timeout: number }) {
        opened.push(`${name} ${path} ${timeout}`)
      }
    }
  loadSqlite(name =>
    name === 'node:sqlite' ? { DatabaseSync: classOf('module') } : classOf('package'),
  )('a')
  loadSqlite(name => (name === 'node:sqlite' ? undefined : classOf('package')))('b')
  expect(opened).toEqual(['module a 0', 'package b 0'])
})
