// What is PostgreSQL's own in its sink. test/integrations/table-sinks.test.ts has the laws of all sinks
// of tables.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type BadCell,
  defineSchema,
  int32,
  json,
  pipeline,
  TsvRowParser,
  text,
  timestamp,
} from '../../../src/index'
import { postgresSink } from '../../../src/integrations/postgres'
import { runsWithService } from '../../services'
import { type TestDatabase, testDatabase } from './test-database'

const schema = defineSchema({ name: 'own', columns: { n: int32(), c: text() } })

describe.runIf(await runsWithService('postgres'))('postgresSink', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await testDatabase()
  })
  afterAll(() => database.drop())

  const replace = (table: string) =>
    pipeline([[{ n: 1, c: 'new' }]]).run(
      postgresSink(database.url, { table, schema, mode: 'replace' }),
    )

  test('a table whose name has a point is refused at the call, with the place of the schema', () => {
    for (const table of ['public.stock', 'a.', '.a'])
      expect(() => postgresSink(database.url, { table, schema })).toThrow(
        expect.objectContaining({
          code: 'OPTION_INVALID',
          message: expect.stringMatching(
            /^table must be a name without a point: the parameter schema/,
          ),
        }),
      )
  })

  test('fault 163: replace makes a table where it was, in a later schema of the search path', async () => {
    await database.sql('CREATE SCHEMA later; CREATE TABLE later.moved (n integer, c text)')
    await database.sql(
      `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = public, later', current_database()); END $$`,
    )
    await replace('moved')
    expect(await database.sql('SELECT c FROM later.moved')).toEqual([{ c: 'new' }])
    expect(await database.sql("SELECT to_regclass('public.moved') AS place")).toEqual([
      { place: null },
    ])
  })

  test('fault 163: replace refuses a table with partitions, and a partition', async () => {
    await database.sql('CREATE TABLE whole (n integer, c text) PARTITION BY LIST (n)')
    await database.sql('CREATE TABLE part PARTITION OF whole FOR VALUES IN (1)')
    await database.sql("INSERT INTO whole VALUES (1, 'old')")
    for (const table of ['whole', 'part'])
      await expect(replace(table)).rejects.toMatchObject({
        code: 'SINK_FAILED',
        message: expect.stringContaining('cannot be replaced'),
      })
    expect(await database.sql('SELECT c FROM part')).toEqual([{ c: 'old' }])
  })

  test('fault 164: NUL is a bad cell, by the policy, with row and column', async () => {
    const bytes = Buffer.from('n\tc\n1\ta\n2\tb\0c\n3\td\n')
    const run = (onBadCell: 'throw' | ((bad: BadCell) => void)) =>
      pipeline([bytes])
        .to(new TsvRowParser({ schema }))
        .run(postgresSink(database.url, { table: 'nul', mode: 'replace', onBadCell }))
    await expect(run('throw')).rejects.toMatchObject({
      code: 'CELL_INVALID',
      context: { column: 'c', row: 2, line: 3 },
    })
    const bad: BadCell[] = []
    await run(one => void bad.push(one))
    expect(bad).toMatchObject([{ column: 'c', text: 'b\0c', position: { row: 2, line: 3 } }])
    expect(await database.sql('SELECT c FROM nul ORDER BY n')).toEqual([
      { c: 'a' },
      { c: null },
      { c: 'd' },
    ])
  })

  test('fault 135: a column of the type json keeps digits, order and repeats', async () => {
    const doc = '{"2": 1, "1": 1533947986218845197, "1": 1.10}'
    const docs = defineSchema({ name: 'docs', columns: { n: int32(), doc: json() } })
    await database.sql('CREATE TABLE docs (n integer PRIMARY KEY, doc json)')
    for (const options of [{ mode: 'append' }, { mode: 'upsert', key: ['n'] }] as const)
      await pipeline([Buffer.from(`n\tdoc\n${options.mode.length}\t${doc}\n`)])
        .to(new TsvRowParser({ schema: docs }))
        .run(postgresSink(database.url, { table: 'docs', ...options }))
    const found = await database.sql('SELECT DISTINCT doc::text AS doc FROM docs')
    expect(found).toEqual([{ doc }])
  })

  test('fault 163: append and upsert write one text of a time, in any zone of the server', async () => {
    await database.sql(
      `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET timezone = %L', current_database(), 'Asia/Tokyo'); END $$`,
    )
    const times = defineSchema({ name: 'times', columns: { n: int32(), c: timestamp() } })
    for (const [n, type] of ['text', 'timestamp', 'timestamptz', 'date'].entries()) {
      await database.sql(`CREATE TABLE times${n} (n integer PRIMARY KEY, c ${type})`)
      for (const options of [{ mode: 'append' }, { mode: 'upsert', key: ['n'] }] as const)
        await pipeline([[{ n: options.mode.length, c: '2026-03-01T00:00:00Z' }]]).run(
          postgresSink(database.url, { table: `times${n}`, schema: times, ...options }),
        )
      const found = await database.sql(`SELECT DISTINCT c::text AS c FROM times${n}`)
      expect(found.map(({ c }) => String(c).slice(0, 10))).toEqual(['2026-03-01'])
    }
  })
})
