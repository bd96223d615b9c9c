// Rows that DuckDB takes chunk by chunk, on a thread of its own or, where it has none, on one of Node.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CHUNK_ROWS, Database } from '../../src/duckdb/duckdb-api'
import { TextWriter } from '../../src/duckdb/vector-writers'

type Types = Awaited<ReturnType<Database['columnTypes']>>

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'feedmill-duckdb-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Gives so many chunks of the texts '0', '1' and so on, and null in the row `nullAt`. */
function textsOf(types: Types, chunks: number, nullAt = -1) {
  const writer = new TextWriter()
  let given = 0
  return {
    types,
    next: () => {
      if (given === chunks) return undefined
      for (let n = given * CHUNK_ROWS; n < (given + 1) * CHUNK_ROWS; n++)
        writer.add(n === nullAt ? null : String(n))
      given++
      return { writers: [writer], rows: CHUNK_ROWS }
    },
  }
}

/** Uses a new database that has a table `texts` with one column. */
async function withTexts(
  name: string,
  { column = 'VARCHAR', threads = 2, memoryBytes = 64 * 2 ** 20 },
  use: (database: Database, types: Types) => Promise<void>,
): Promise<void> {
  const options = { memoryBytes, threads, isWide: true }
  const database = await Database.open(join(folder, `${name}-${threads}.duckdb`), options)
  try {
    await database.run(`CREATE TABLE texts (text ${column})`)
    await use(database, await database.columnTypes('texts'))
  } finally {
    database.close()
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

test('a load lowers the limit of DuckDB, and its end restores it', async () => {
  await withTexts('limit', { memoryBytes: 96 * 2 ** 20 }, async (database, types) => {
    const limit = async () => {
      const [found] = await database.rows<{ text: string }>(
        "SELECT current_setting('memory_limit') AS text",
      )
      return found!.text
    }
    expect(await limit()).toBe('96.0 MiB')
    await database.insert('texts', textsOf(types, 1))
    expect(await limit()).toBe('60.0 MiB')
    await database.endLoad()
    expect(await limit()).toBe('96.0 MiB')
  })
})
