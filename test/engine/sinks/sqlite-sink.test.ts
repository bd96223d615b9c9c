// The sink of SQLite. Where this Node has no node:sqlite, a stand-in gives the statements of a
// transaction to the program `sqlite3`.

import { spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  loadSqlite,
  type OpenSqlite,
  type SqliteValue,
} from '../../../src/engine/sinks/sqlite-sink'
import { itemSchema, pipeline, sqliteSink, TsvRowParser } from '../../../src/index'

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

/** Gathers statements and runs them at the COMMIT, as one input of the program. */
const byProgram: OpenSqlite = path => {
  let statements = ''
  const literal = (value: SqliteValue) =>
    typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value ?? 'NULL')
  return {
    exec(sql) {
      statements += `${sql};\n`
      if (sql !== 'COMMIT') return
      const { status, stderr } = spawnSync('sqlite3', ['-bail', path], { input: statements })
      if (status !== 0) throw new TypeError(String(stderr))
    },
    prepare: sql => ({
      run(...values) {
        let n = 0
        statements += `${sql.replaceAll('?', () => literal(values[n++]!))};\n`
      },
    }),
    close() {},
  }
}

const hasProgram = spawnSync('sqlite3', ['-version']).status === 0
const hasModule = (() => {
  try {
    return loadSqlite() !== undefined
  } catch {
    return false
  }
})()
const drivers: [string, OpenSqlite][] = [
  ...(hasModule ? [['of this Node', loadSqlite()] as [string, OpenSqlite]] : []),
  ...(hasProgram ? [['of the program sqlite3', byProgram] as [string, OpenSqlite]] : []),
]

let path: string
let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'feedmill-sqlite-'))
  path = join(folder, 'items.sqlite')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const write = (open: OpenSqlite, mode: 'create' | 'replace' | 'append' = 'create', rows = ROWS) =>
  pipeline([Buffer.from(rows)])
    .to(new TsvRowParser({ schema: itemSchema }))
    .run(
      sqliteSink(path, {
        table: 'items',
        mode,
        open,
        columns: Object.keys(EXPECTED[0]!),
      }),
    )

function read(sql: string): unknown[] {
  if (hasProgram) {
    const { stdout, stderr } = spawnSync('sqlite3', ['-json', path, sql], { encoding: 'utf8' })
    if (stderr !== '') throw new TypeError(stderr)
    return stdout === '' ? [] : JSON.parse(stdout)
  }
  const { DatabaseSync } = createRequire(import.meta.url)('node:sqlite')
  return new DatabaseSync(path).prepare(sql).all()
}

describe.each(drivers)('sqliteSink with the driver %s', (_, open) => {
  test('The types follow from the schema, and every value stays exact.', async () => {
    await write(open)
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

  test('The mode says what becomes of a table that is there.', async () => {
    await write(open)
    await expect(write(open)).rejects.toMatchObject({ code: 'SINK_FAILED' })
    await write(open, 'append')
    expect(read('SELECT count(*) AS n FROM items')).toEqual([{ n: 4 }])
    await write(open, 'replace')
    expect(read('SELECT count(*) AS n FROM items')).toEqual([{ n: 2 }])
  })

  test.each([
    ['a file of a header line alone', 'itemId\tcolour\n'],
    ['a file whose rows are all left out', 'itemId\tcolour\nv1|1|0\n'],
    ['a file whose rows are all filtered out', 'itemId\tcolour\nv1|1|0\tred\n'],
  ])('fault 108: %s makes an empty table, and the mode holds', async (_case, rows) => {
    const run = (mode: 'create' | 'replace' | 'append') =>
      pipeline([Buffer.from(rows)])
        .to(new TsvRowParser({ onBadRow: 'skip' }))
        .filter(() => false)
        .run(sqliteSink(path, { table: 'items', mode, open }))
    await run('append')
    expect(read("SELECT name FROM pragma_table_info('items')")).toEqual([
      { name: 'itemId' },
      { name: 'colour' },
    ])
    await expect(run('create')).rejects.toMatchObject({ code: 'SINK_FAILED' })
    await write(open, 'replace')
    await run('replace')
    expect(read('SELECT count(*) AS n FROM items')).toEqual([{ n: 0 }])
  })

  test('fault 108: where nothing says the columns, the mode holds too', async () => {
    const run = (mode: 'create' | 'replace' | 'append') =>
      pipeline([]).run(sqliteSink(path, { table: 'items', mode, open }))
    await run('create')
    await write(open)
    await run('append')
    await expect(run('create')).rejects.toMatchObject({ code: 'SINK_FAILED' })
    expect(read('SELECT count(*) AS n FROM items')).toEqual([{ n: 2 }])
    await run('replace')
    expect(read('SELECT name FROM sqlite_schema')).toEqual([])
  })

  test('fault 108: a column that a file without rows does not have is refused', async () => {
    await expect(write(open, 'create', 'itemId\n')).rejects.toMatchObject({
      code: 'COLUMN_UNKNOWN',
      context: { column: 'colour' },
    })
  })

  test('A failure leaves the file as it was.', async () => {
    await write(open)
    await expect(write(open, 'replace', `${ROWS}torn\t"`)).rejects.toMatchObject({
      name: 'FeedError',
    })
    expect(read('SELECT count(*) AS n FROM items')).toEqual([{ n: 2 }])
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

test('The module of Node comes before the package, and the package takes its place.', () => {
  const opened: string[] = []
  const classOf = (name: string) =>
    class {
      constructor(path: string) {
        opened.push(`${name} ${path}`)
      }
    }
  loadSqlite(name =>
    name === 'node:sqlite' ? { DatabaseSync: classOf('module') } : classOf('package'),
  )('a')
  loadSqlite(name => (name === 'node:sqlite' ? undefined : classOf('package')))('b')
  expect(opened).toEqual(['module a', 'package b'])
})
