// The formats on the disk, held against `fixtures/formats/`: what an earlier version has written is
// read and gone on with, and what is written today equals the newest of it.
// `FEEDMILL_WRITE_FORMAT=0.2.0 npx vitest run test/formats.test.ts` writes another one.

import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
import { duckdbTarget } from '../src/integrations/duckdb'
import { postgresTarget } from '../src/integrations/postgres'
import { openState } from '../src/sync/read/open-state'
import { targetStatus } from '../src/sync/read/target-status'
import { duckdbRows } from './duckdb-rows'
import { duckdbContent, postgresDump } from './formats/database-content'
import { folderContent } from './formats/folder-content'
import { ledgerOf, seenOfFeeds, seenOfService } from './formats/seen-content'
import { mend, NOW, StoredFormat, syncFeed } from './formats/stored-format'
import { writeFormat } from './formats/write-format'
import { type TestDatabase, testDatabase } from './integrations/postgres/test-database'
import { runsWithService } from './services'

const FOLDER = join(import.meta.dirname, '../fixtures/formats')
const formatOf = (name: string) => new StoredFormat(join(FOLDER, name))
const namesOf = () =>
  readdirSync(FOLDER).sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))

const { FEEDMILL_WRITE_FORMAT: wanted } = process.env
if (wanted !== undefined) await writeFormat(formatOf(wanted), formatOf(namesOf().at(-1)!))
const NAMES = namesOf()
const NEWEST = NAMES.at(-1)!

/** What to do where the content of a place differs. @param source has the number of its format */
const changed = (place: string, source: string) =>
  `what feedmill writes into ${place} is not what fixtures/formats/${NEWEST} has: the format has ` +
  'changed. Where the change is meant, and only adds a field or a column that may be absent, ' +
  `write another fixture beside this one. Otherwise also raise FORMAT in ${source}, and remove ` +
  'the fixtures of the old number. See CONTRIBUTING.md, Recipe: a stored format'

/** Returns a path in a folder of the test's own. */
function newPath(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'feedmill-formats-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return join(folder, name)
}

function copyOf(format: StoredFormat, part: string): string {
  const path = newPath(part)
  cpSync(format.path(part), path, { recursive: true })
  return path
}

const jsonIn = (path: string) => JSON.parse(readFileSync(path, 'utf8'))

describe.each(NAMES)('the state folders of %s', name => {
  const format = formatOf(name)
  const seen = jsonIn(format.path('seen.json'))

  test('fault 143: have the rows, the history, the changes and the quarantine that they had', async () => {
    expect(await seenOfService(format.path('service'))).toEqual(seen.service)
    expect(await seenOfFeeds(format.path('feeds'))).toEqual(seen.feeds)
  })

  test('take one more file of the service as a folder of today does', async () => {
    const folder = copyOf(format, 'service')
    await format.syncService(folder, true)
    const fresh = newPath('service')
    await format.syncService(fresh)
    await format.syncService(fresh, true)
    const { items, files, changes } = await seenOfService(folder)
    expect(files).toHaveLength(seen.service.files.length + 1)
    expect(items).not.toEqual(seen.service.items)
    expect(await seenOfService(fresh)).toMatchObject({ items, files, changes })
  })

  test('take one more file of a feed, and a row of the quarantine, as a folder of today does', async () => {
    const folders = [copyOf(format, 'feeds'), newPath('feeds')]
    await format.syncFeeds(folders[1]!)
    const stock = format.stock(5)
    const after = []
    for (const folder of folders) {
      await syncFeed(folder, stock)
      const mended = await mend(folder, stock, {
        'Twine,100-10,false,often,\n': 'Twine,100-10,false,4,\n',
      })
      expect(mended).toEqual({ rowsRead: 3, merged: 1, stale: 0, stillBad: 2, tooOld: 0 })
      after.push(await seenOfFeeds(folder))
    }
    expect(after[0].stock.files).toHaveLength(seen.feeds.stock.files.length + 1)
    expect(after[0].stock.rows).not.toEqual(seen.feeds.stock.rows)
    expect(after[1]).toMatchObject(after[0])
  })
})

describe('a state folder of today', () => {
  const format = formatOf(NEWEST)
  const source = 'src/sync/folder/state-paths.ts'

  test('of the service has the bytes of the stored one', async () => {
    const folder = newPath('service')
    await format.syncService(folder)
    expect(folderContent(folder), changed('a state folder', source)).toEqual(
      folderContent(format.path('service')),
    )
  })

  test('of feeds of one’s own has the bytes of the stored one', async () => {
    const folder = newPath('feeds')
    await format.syncFeeds(folder)
    expect(folderContent(folder), changed('a state folder', source)).toEqual(
      folderContent(format.path('feeds')),
    )
  })

  test('fault 143: refuses one of another format, and leaves it as it is', async () => {
    const folder = copyOf(format, 'service')
    const marker = join(folder, 'state.json')
    const text = readFileSync(marker, 'utf8').replace(/"format":\d+/, '"format":99')
    writeFileSync(marker, text)
    const before = folderContent(folder)
    const foreign = { code: 'STATE_FOREIGN', context: { what: 'format', received: '99' } }
    await expect(openState(folder)).rejects.toMatchObject(foreign)
    await expect(format.syncService(folder)).rejects.toMatchObject(foreign)
    expect(folderContent(folder)).toEqual(before)
  })
})

function duckdbOf(format: StoredFormat): string {
  const path = newPath('items.duckdb')
  writeFileSync(path, gunzipSync(readFileSync(format.path('items.duckdb.gz'))))
  return path
}

describe.each(NAMES)('the DuckDB file of %s', name => {
  const format = formatOf(name)
  const content = jsonIn(format.path('items.duckdb.json'))

  test('fault 143: has the rows and the ledger that it had', async () => {
    const path = duckdbOf(format)
    expect(await duckdbContent(path)).toEqual(content)
    const { categories } = await targetStatus(duckdbTarget(path), { now: NOW })
    expect(ledgerOf(categories[0]!.files)).toMatchObject(
      content.files.rows.map(({ file }: { file: string }) => ({ file })),
    )
  })

  test('takes one more file as a database of today does', async () => {
    const path = duckdbOf(format)
    await format.syncInto(duckdbTarget(path), true)
    const fresh = newPath('items.duckdb')
    await format.syncInto(duckdbTarget(fresh))
    await format.syncInto(duckdbTarget(fresh), true)
    const { items, files } = await duckdbContent(path)
    expect(items!.rows).not.toEqual(content.items.rows)
    expect(await duckdbContent(fresh)).toMatchObject({
      items: { rows: items!.rows },
      files: { rows: files!.rows },
    })
  })

  test('fault 143: gets a column that it lacks, with the next file', async () => {
    const path = duckdbOf(format)
    await duckdbRows(path, 'DROP VIEW current_items')
    await duckdbRows(path, 'ALTER TABLE items DROP COLUMN item_creation_date')
    await format.syncInto(duckdbTarget(path), true)
    const created =
      "SELECT item_id FROM current_items WHERE item_creation_date = '2026-03-04 15:31:00'"
    expect(await duckdbRows(path, created)).toEqual([{ item_id: 'v1|12|0' }])
  })
})

test('a DuckDB file of today has the content of the stored one', async () => {
  const format = formatOf(NEWEST)
  const path = newPath('items.duckdb')
  await format.syncInto(duckdbTarget(path))
  const message = changed('DuckDB', 'src/sync/target/sql/sql-tables.ts')
  expect(await duckdbContent(path), message).toEqual(jsonIn(format.path('items.duckdb.json')))
  expect(await duckdbRows(path, 'SELECT file FROM files WHERE applied_at IS NULL')).toEqual([])
})

describe.runIf(await runsWithService('postgres'))('PostgreSQL', () => {
  async function databaseOf(format?: StoredFormat): Promise<TestDatabase> {
    const database = await testDatabase()
    onTestFinished(() => database.drop())
    if (format !== undefined) await database.sql(readFileSync(format.path('postgres.sql'), 'utf8'))
    return database
  }
  const dumpOf = (database: TestDatabase) => postgresDump(database, 'feedmill')

  describe.each(NAMES)('with the dump of %s', name => {
    const format = formatOf(name)
    const dump = readFileSync(format.path('postgres.sql'), 'utf8')

    test('fault 143: has the rows and the ledger that it had', async () => {
      const database = await databaseOf(format)
      // The view comes with the next run.
      expect(await dumpOf(database)).toBe(dump.replace(/^-- .*\n/gm, ''))
      const { categories } = await targetStatus(postgresTarget(database.url), { now: NOW })
      const files = await database.sql('SELECT file FROM feedmill.files ORDER BY sequence')
      expect(ledgerOf(categories[0]!.files)).toMatchObject(files)
    })

    test('takes one more file as a database of today does', async () => {
      const database = await databaseOf(format)
      await format.syncInto(postgresTarget(database.url), true)
      const fresh = await databaseOf()
      await format.syncInto(postgresTarget(fresh.url))
      await format.syncInto(postgresTarget(fresh.url), true)
      const rowsOf = async ({ sql }: TestDatabase) => [
        await sql('SELECT * FROM feedmill.items ORDER BY item_id'),
        await sql('SELECT file, inserted, updated, deleted FROM feedmill.files ORDER BY sequence'),
      ]
      expect(await rowsOf(database)).toEqual(await rowsOf(fresh))
      expect(await dumpOf(database)).not.toBe(dump)
    })

    test('fault 143: gets a column that it lacks, with the next file', async () => {
      const { url, sql } = await databaseOf(format)
      await sql('ALTER TABLE feedmill.items DROP COLUMN item_creation_date')
      await format.syncInto(postgresTarget(url), true)
      const created =
        "SELECT item_id FROM feedmill.items WHERE item_creation_date = '2026-03-04 15:31:00+00'"
      expect(await sql(created)).toEqual([{ item_id: 'v1|12|0' }])
    })
  })

  test('has the content of the stored dump today', async () => {
    const format = formatOf(NEWEST)
    const database = await databaseOf()
    await format.syncInto(postgresTarget(database.url))
    const message = changed('PostgreSQL', 'src/sync/target/sql/sql-tables.ts')
    expect(await dumpOf(database), message).toBe(readFileSync(format.path('postgres.sql'), 'utf8'))
  })
})
