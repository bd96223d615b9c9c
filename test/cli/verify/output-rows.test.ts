// The three formats of an output, and what cannot be read.

import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { type OutputFormat, outputRows, sqliteRows } from '../../../src/cli/verify/output-rows'
import { runsWith } from '../../tools'

const folder = mkdtempSync(join(tmpdir(), 'feedmill-rows-'))
afterAll(() => rmSync(folder, { recursive: true }))

async function read(format: OutputFormat, text: string | undefined, table = 'items') {
  const path = join(folder, `output.${format}`)
  if (text !== undefined) writeFileSync(path, text)
  return all(outputRows({ path, format, table }))
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const item of items) found.push(item)
  return found
}

const failure = (expected: RegExp) =>
  expect.objectContaining({ code: 'STAGE_INPUT_INVALID', message: expect.stringMatching(expected) })

describe('NDJSON', () => {
  test('one object in each line, with any line end, a byte order mark and blank lines', async () => {
    expect(await read('ndjson', '\uFEFF{"a":1}\r\n\n{"a":"ü"}')).toEqual([{ a: 1 }, { a: 'ü' }])
  })

  test.each(['{"a":1}\n{"a":', '[1]', '7', 'null'])('%j is refused', async text => {
    await expect(read('ndjson', text)).rejects.toEqual(
      failure(/one JSON object in each line: line/),
    )
  })

  test('a line over the cap is refused', async () => {
    await expect(read('ndjson', 'x'.repeat(16 * 2 ** 20 + 70_000))).rejects.toEqual(
      failure(/a line is over 16777216 characters/),
    )
  })
})

describe('CSV', () => {
  test('quotes, line ends in cells, a byte order mark, and rows that are short', async () => {
    const text = '\uFEFFid,title\r\n1,"a ""b"", c\nd"\r\n2,ü\r\n3\r\n'
    expect(await read('csv', text)).toEqual([
      { id: '1', title: 'a "b", c\nd' },
      { id: '2', title: 'ü' },
      { id: '3', title: undefined },
    ])
  })

  test('a path without a file is refused', async () => {
    const rows = outputRows({ path: join(folder, 'none'), format: 'csv', table: '' })
    await expect(all(rows)).rejects.toEqual(failure(/ENOENT/))
  })
})

describe.runIf(runsWith('sqlite3'))('SQLite by the program sqlite3', () => {
  const path = join(folder, 'items.db')
  const rows = (table: string, file = path) => all(sqliteRows(file, table, null))

  test('a table as rows of text', async () => {
    execFileSync('sqlite3', [
      path,
      `CREATE TABLE "my items" (id TEXT, price REAL, ok BOOLEAN, title TEXT);
       INSERT INTO "my items" VALUES ('1', 12.5, 1, 'a "b", c'), ('2', NULL, 0, 'two
lines');`,
    ])
    expect(await rows('my items')).toEqual([
      { id: '1', price: '12.5', ok: '1', title: 'a "b", c' },
      { id: '2', price: '', ok: '0', title: 'two\nlines' },
    ])
  })

  test('a table that is not there, and a file that is no database, are refused', async () => {
    await expect(rows('"none"')).rejects.toEqual(failure(/no such table/))
    const other = join(folder, 'other.db')
    writeFileSync(other, 'x'.repeat(5_000))
    await expect(rows('items', other)).rejects.toEqual(failure(/not a database/))
  })
})

test('SQLite by a module of Node: rows, and the end of the database', async () => {
  const calls: string[] = []
  class DatabaseSync {
    constructor(path: string, options: { readOnly: boolean }) {
      calls.push(`open ${path} ${options.readOnly}`)
    }
    prepare(sql: string) {
      calls.push(sql)
      return { setReadBigInts() {}, iterate: () => [{ id: 1n }], all: () => [] }
    }
    close() {
      calls.push('close')
    }
  }
  expect(await all(sqliteRows('a.db', 'my"items', { DatabaseSync }))).toEqual([{ id: 1n }])
  expect(calls).toEqual(['open a.db true', 'SELECT * FROM "my""items"', 'close'])
})

test('SQLite without a module and without the program: the error says what to install', async () => {
  const before = process.env.PATH
  process.env.PATH = folder
  try {
    await expect(all(sqliteRows('a.db', 'items', null))).rejects.toEqual(
      expect.objectContaining({
        code: 'DEPENDENCY_MISSING',
        message: expect.stringContaining('Node 22.13'),
      }),
    )
  } finally {
    process.env.PATH = before
  }
})
