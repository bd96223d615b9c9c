// The tables of a target: their formats, their names, cells that no column takes, and what messages
// show of an address.

import { inspect } from 'node:util'
import { afterEach, describe, expect, test } from 'vitest'
import { dropCategory, postgresTarget } from '../../../src/integrations/postgres'
import type { SyncTarget } from '../../../src/sync/target/target'
import { runsWithService } from '../../services'
import { bootstrapOf, CATEGORY, hourOf, ORIGIN, smallFile } from './small-file'
import { type TestDatabase, testDatabase } from './test-database'

const CONTENT_OF_SCHEMA = `
SELECT relname, attname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
WHERE relnamespace = to_regnamespace($1) ORDER BY 1, 2`
/** What somebody else may have under the names of a target. */
const THEIRS = [
  ...['items', 'item_groups', 'priorities', 'files', 'categories', 'removals', 'meta'].map(
    name => `CREATE TABLE my_${name} (id int PRIMARY KEY, format text)`,
  ),
  'CREATE VIEW my_items AS SELECT 1 AS id',
  'CREATE TABLE my_meta (format int, service text, partitioned boolean)',
  `CREATE TABLE my_meta AS SELECT 2 AS format, 'a' AS service, false AS partitioned`,
  `CREATE TABLE my_meta AS SELECT 3 AS format, 'a' AS service`,
]
const ONE_ROW = 'itemId\ttitle\nv1|1|0\tone\n'

describe.runIf(await runsWithService('postgres'))('the tables of PostgreSQL', () => {
  const databases: TestDatabase[] = []
  afterEach(async () => {
    for (const database of databases.splice(0)) await database.drop()
  })
  async function newDatabase(): Promise<TestDatabase> {
    const database = await testDatabase()
    databases.push(database)
    return database
  }
  async function within<T>(
    target: SyncTarget,
    work: (
      category: Awaited<ReturnType<Awaited<ReturnType<SyncTarget['open']>>['category']>>,
    ) => Promise<T>,
    category = CATEGORY,
  ): Promise<T> {
    const { signal } = new AbortController()
    const opened = await target.open({ origin: ORIGIN, memoryBytes: 2 ** 26, signal })
    try {
      return await work(await opened.category(category))
    } finally {
      await opened.close()
    }
  }

  test('fault 143: a column that the tables lack is added, and tables of another format are refused', async () => {
    const { url, sql } = await newDatabase()
    const target = postgresTarget(url)
    await within(target, async () => {})
    await sql('ALTER TABLE feedmill.items DROP COLUMN title CASCADE')
    await within(target, category => category.apply(smallFile(hourOf(1), ONE_ROW)))
    expect(await sql('SELECT title FROM feedmill.items')).toEqual([{ title: 'one' }])
    for (const format of [3, 99]) {
      await sql('UPDATE feedmill.meta SET format = $1', [format])
      const foreign = {
        code: 'STATE_FOREIGN',
        context: { what: 'format', expected: '4', received: String(format) },
      }
      await expect(within(target, async () => {})).rejects.toMatchObject(foreign)
      await expect(target.contents?.()).rejects.toMatchObject(foreign)
    }
  })

  test('fault 110: tables of somebody else are refused, and left as they are', async () => {
    const { url, sql } = await newDatabase()
    const foreign = { code: 'STATE_FOREIGN', message: expect.stringMatching(/another schema or/) }
    for (const [n, theirs] of THEIRS.entries()) {
      const schema = `shop${n}`
      await sql(`CREATE SCHEMA ${schema}; SET search_path = ${schema}; ${theirs}`)
      const content = () => sql(CONTENT_OF_SCHEMA, [schema])
      const before = await content()
      const options = { schema, prefix: 'my_', retry: { patienceMs: 0 } }
      const target = postgresTarget(url, options)
      await expect(
        within(target, async () => {}),
        theirs,
      ).rejects.toMatchObject(foreign)
      await expect(target.contents?.(), theirs).rejects.toMatchObject(foreign)
      await expect(dropCategory(url, CATEGORY, options), theirs).rejects.toMatchObject(foreign)
      expect(await content()).toEqual(before)
    }
  })

  test('fault 110: a table that somebody has put in the place of one of ours is refused', async () => {
    const { url, sql } = await newDatabase()
    const target = postgresTarget(url)
    await within(target, async () => {})
    await sql('DROP TABLE feedmill.items CASCADE; CREATE TABLE feedmill.items (id int)')
    await expect(within(target, async () => {})).rejects.toMatchObject({
      code: 'STATE_FOREIGN',
      context: { what: 'tables', received: 'another "feedmill"."items"' },
    })
  })

  test('fault 150: a database before the first run is STATE_MISSING', async () => {
    const { url } = await newDatabase()
    await expect(postgresTarget(url).contents?.()).rejects.toMatchObject({
      code: 'STATE_MISSING',
      message: expect.stringMatching(/ has no state yet: run sync into it first/),
    })
  })

  test('Processes that make the tables at the same time do not meet.', async () => {
    const { url } = await newDatabase()
    const opening = ['220', '221', '222'].map(categoryId =>
      within(postgresTarget(url), async ({ files }) => files, { ...CATEGORY, categoryId }),
    )
    expect(await Promise.all(opening)).toEqual([[], [], []])
  })

  test('Names and identifiers are any text.', async () => {
    const { url, sql } = await newDatabase()
    const odd = `o"d'd; DROP -- \\ é`
    const target = postgresTarget(url, { schema: odd, prefix: `p"'-\\` })
    const category = { marketplace: `m'"\\\t`, categoryId: `c'"\\n` }
    const id = { ...hourOf(1), ...category }
    await within(target, open => open.apply(smallFile(id, ONE_ROW)), category)
    const files = await within(target, async open => open.files, category)
    expect(files).toMatchObject([{ id, rows: { inserted: 1 } }])
    const table = `"${odd.replaceAll('"', '""')}"."p""'-\\items"`
    expect(await sql(`SELECT marketplace, feed_category, title FROM ${table}`)).toEqual([
      { marketplace: category.marketplace, feed_category: category.categoryId, title: 'one' },
    ])
  })

  test('A category is dropped and made anew.', async () => {
    const { url, sql } = await newDatabase()
    const target = postgresTarget(url)
    const other = { ...CATEGORY, categoryId: '221' }
    await within(target, open => open.apply(smallFile(hourOf(1), ONE_ROW)))
    await within(target, open => open.apply(smallFile({ ...hourOf(1), ...other }, ONE_ROW)), other)
    const options = { lockTimeoutMs: 100, retry: { patienceMs: 0 } }
    await within(target, async () => {
      await expect(dropCategory(url, CATEGORY, options)).rejects.toMatchObject({
        code: 'STATE_LOCKED',
      })
    })
    await dropCategory(url, CATEGORY, options)
    expect(await sql('SELECT feed_category AS id FROM feedmill.items')).toEqual([{ id: '221' }])
    expect(await within(target, async open => open.files)).toEqual([])
    await within(target, open => open.apply(smallFile(hourOf(1), ONE_ROW)))
    expect(await sql('SELECT count(*)::int AS n FROM feedmill.items')).toEqual([{ n: 2 }])
  })

  test('A cell that no column takes is NULL, and its text stays in the row.', async () => {
    const { url, sql } = await newDatabase()
    const tsv = [
      'itemId\tpriceValue\titemEndDate\thazmat\ttitle\tavailabilityThreshold',
      'v1|1|0\tcheap\t2026-02-30T00:00:00Z\tfire\ta\0b\\c\t12',
      `v1|2|0\t1.50\t0000-01-01T00:00:00Z\t\tok\t${'9'.repeat(30)}`,
      `${'k'.repeat(2_001)}\t1\t\t\ttoo long\t`,
    ].join('\n')
    const entry = await within(postgresTarget(url), open => open.apply(smallFile(hourOf(1), tsv)))
    expect(entry).toMatchObject({ badRows: 1, rows: { inserted: 2 } })
    const rows = await sql(
      'SELECT title, price_value, availability_threshold AS threshold, item_end_date, other, invalid FROM feedmill.items ORDER BY item_id',
    )
    expect(rows).toEqual([
      {
        title: 'a\uFFFDb\\c',
        price_value: null,
        threshold: 12,
        item_end_date: null,
        other: { hazmat: 'fire' },
        invalid: { priceValue: 'cheap', itemEndDate: '2026-02-30T00:00:00Z' },
      },
      {
        title: 'ok',
        price_value: '1.50',
        threshold: null,
        item_end_date: null,
        other: null,
        invalid: { itemEndDate: '0000-01-01T00:00:00Z', availabilityThreshold: '9'.repeat(30) },
      },
    ])
  })

  test('A bootstrap that has a key twice keeps one row of it, and counts the other as stale.', async () => {
    const { url, sql } = await newDatabase()
    const twice = 'itemId\ttitle\nv1|1|0\tone\nv1|1|0\ttwo\nv1|2|0\tthree\n'
    const target = postgresTarget(url)
    const first = await within(target, open => open.apply(smallFile(bootstrapOf(1), twice)))
    expect(first.rows).toMatchObject({ inserted: 2, stale: 1 })
    const next = 'itemId\ttitle\nv1|2|0\tthree\nv1|3|0\tfour\n'
    const second = await within(target, open => open.apply(smallFile(bootstrapOf(2), next)))
    expect(second.rows).toEqual({ inserted: 1, updated: 0, deleted: 1, unchanged: 1, stale: 0 })
    expect(await sql('SELECT title FROM feedmill.items ORDER BY 1')).toEqual([
      { title: 'four' },
      { title: 'three' },
    ])
  })

  test('A file with an unknown name in the ledger is refused, because its rows would be taken again.', async () => {
    const { url, sql } = await newDatabase()
    const target = postgresTarget(url)
    await within(target, category => category.apply(smallFile(hourOf(1), ONE_ROW)))
    await sql("UPDATE feedmill.files SET file = 'not a file'")
    await expect(within(target, async () => {})).rejects.toMatchObject({
      code: 'STATE_CORRUPT',
      context: {
        path: target.name,
        reason: "the ledger has a file of an unknown name: 'not a file'",
      },
    })
  })

  test('No error shows the password.', async () => {
    const password = 'hunter2secret'
    const wrong = [
      `postgres://someone:${password}@127.0.0.1:1/none`,
      `postgres://someone:${password}@127.0.0.1:notaport/none`,
      `mysql://someone:${password}@127.0.0.1/none`,
      { host: '127.0.0.1', port: 1, user: 'someone', password },
    ]
    for (const connection of wrong) {
      const failing = async () =>
        within(postgresTarget(connection, { retry: { patienceMs: 0 } }), async () => {})
      const error = await failing().then(
        () => undefined,
        (failure: unknown) => failure,
      )
      expect(error).toMatchObject({ name: 'FeedError' })
      expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(password)
      expect(inspect(error, { depth: 10, showHidden: true })).not.toContain('hunter2')
    }
  })
})
