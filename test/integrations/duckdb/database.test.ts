// Rows that DuckDB takes chunk by chunk, on a thread of its own or, where it has none, on one of Node.

import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { columnData } from '../../../src/engine/codec/columns/column-data'
import { CHUNK_ROWS, Database } from '../../../src/integrations/duckdb/database'

type Types = Awaited<ReturnType<Database['columnTypes']>>

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'feedmill-duckdb-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Gives so many chunks of the texts '0', '1' and so on, and null in the row `nullAt`. */
function textsOf(types: Types, chunks: number, nullAt = -1) {
  let given = 0
  return {
    types,
    next: () => {
      if (given === chunks) return undefined
      const first = CHUNK_ROWS * given++
      const texts = Array.from({ length: CHUNK_ROWS }, (_, n) =>
        first + n === nullAt ? null : String(first + n),
      )
      const data = columnData({ kind: 'utf8' }, texts)
      return { columns: [[{ data, from: 0, count: CHUNK_ROWS }]], rows: CHUNK_ROWS }
    },
  }
}

/** Uses a new database that has a table `texts` with one column. */
async function withTexts(
  name: string,
  { column = 'VARCHAR', threads = 2, memoryBytes = 64 * 2 ** 20 },
  use: (database: Database, types: Types) => Promise<void>,
): Promise<void> {
  const options = { memoryBytes, threads }
  const database = await Database.open(join(folder, `${name}-${threads}.duckdb`), options)
  try {
    await database.run(`CREATE TABLE texts (text ${column})`)
    await use(database, await database.columnTypes('SELECT * FROM texts LIMIT 0'))
  } finally {
    await database.close()
  }
}

describe.each([1, 2, 3])('an INSERT of a database with %i threads', threads => {
  test('inserts all rows, and a second one waits for the first', async () => {
    await withTexts('rows', { threads }, async (database, types) => {
      await Promise.all([
        database.insert('texts', textsOf(types, 20)),
        database.insert('texts', textsOf(types, 5)),
      ])
      const [found] = await database.rows<{ rows: bigint; texts: bigint }>(
        'SELECT count(*) AS rows, count(DISTINCT text) AS texts FROM texts',
      )
      expect(found).toEqual({ rows: BigInt(25 * CHUNK_ROWS), texts: BigInt(20 * CHUNK_ROWS) })
    })
  })

  test('fails with a typed error where DuckDB refuses a row, and the next one runs', async () => {
    const column = 'VARCHAR NOT NULL'
    await withTexts('refused', { threads, column }, async (database, types) => {
      await expect(
        database.insert('texts', textsOf(types, 3, CHUNK_ROWS + 7)),
      ).rejects.toMatchObject({ code: 'STATE_IO', message: expect.stringContaining('NOT NULL') })
      await expect(database.insert('missing', textsOf(types, 1))).rejects.toMatchObject({
        code: 'STATE_IO',
      })
      await database.insert('texts', textsOf(types, 2))
      const [found] = await database.rows<{ rows: bigint }>('SELECT count(*) AS rows FROM texts')
      expect(found).toEqual({ rows: BigInt(2 * CHUNK_ROWS) })
    })
  })

  test('ends when it is interrupted', async () => {
    await withTexts('stopped', { threads }, async (database, types) => {
      const endless = textsOf(types, Number.POSITIVE_INFINITY)
      let asked = 0
      const source = {
        ...endless,
        next: () => {
          if (asked++ === 5) database.interrupt()
          return endless.next()
        },
      }
      await expect(database.insert('texts', source)).rejects.toMatchObject({ code: 'STATE_IO' })
      expect(await database.rows('SELECT count(*) AS rows FROM texts')).toEqual([{ rows: 0n }])
    })
  })
})

test('fault 113: the temporary files of a dead writer are removed when the lock is got, and no others', async () => {
  // DuckDB may still remove files of the databases of other tests.
  const own = join(folder, 'left')
  await mkdir(own)
  const path = join(own, 'left.duckdb')
  const dead = `${path}.tmp-aB3xY9`
  const others = [`${path}.tmp`, `${path}.tmp-of-mine`, join(own, 'other.duckdb.tmp-aB3xY9')]
  const elsewhere = join(own, 'elsewhere')
  for (const made of [dead, elsewhere, ...others]) await mkdir(made)
  const block = 'duckdb_temp_block-4611686018427388000.block'
  for (const made of [dead, elsewhere, ...others]) await writeFile(join(made, block), 'left')
  await symlink(elsewhere, `${path}.tmp-linked`)
  const before = await readdir(own)
  const options = { memoryBytes: 64 * 2 ** 20, threads: 1 }
  const database = await Database.open(path, options)
  const temporary = (await readdir(own)).filter(name => !before.includes(name) && /tmp-/.test(name))
  expect(temporary).toHaveLength(1)
  await expect(Database.open(path, options)).rejects.toMatchObject({ code: 'STATE_LOCKED' })
  await database.close()
  const gone = [dead, `${path}.tmp-linked`].map(made => basename(made))
  expect((await readdir(own)).sort()).toEqual(
    [...before.filter(name => !gone.includes(name)), 'left.duckdb'].sort(),
  )
  for (const made of [elsewhere, ...others]) expect(await readdir(made)).toEqual([block])
})

test('the memory that a limit does not hold goes to temporary files, in the transaction too', async () => {
  await withTexts('spilled', {}, async database => {
    await database.run(`
      BEGIN;
      CREATE TEMP TABLE wide AS SELECT n, md5(n::VARCHAR) || repeat('x', 400) AS text FROM range(200000) r(n);
      COMMIT`)
    const [{ files = 0n } = {}] = await database.rows<{ files: bigint }>(
      'SELECT count(*) AS files FROM duckdb_temporary_files()',
    )
    expect(files).toBeGreaterThan(0n)
    expect(await database.rows('SELECT count(md5(text)) AS n FROM wide')).toEqual([{ n: 200_000n }])
  })
  expect((await readdir(folder)).filter(name => name.startsWith('spilled-2.duckdb.'))).toEqual([])
})
