// Every file of fixtures/foreign/ and of the service, in every form that convert reads, into every
// form that it writes: each cell is the text that csv-parse finds in the file.

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { parse } from 'csv-parse/sync'
import { afterAll, describe, expect, test } from 'vitest'
import { run } from '../../../src/cli/program'
import type { Dialect } from '../../../src/index'
import { client } from '../../emulator/emulator-client'
import { buildZip } from '../../engine/codec/unpack/build-zip'
import { testDatabase } from '../../integrations/postgres/test-database'
import { runsWithService } from '../../services'
import { outcomeOf } from '../served'
import { type Cells, plain, rowsOf } from './rows-of'

const FOREIGN = join(import.meta.dirname, '../../../fixtures/foreign')
const OUTPUTS = ['ndjson', 'csv', 'parquet', 'arrow', 'duckdb'] as const
const folder = mkdtempSync(join(tmpdir(), 'feedmill-pairs-'))
const database = (await runsWithService('postgres')) ? await testDatabase() : undefined
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await database?.drop()
})

async function convert(...words: string[]): Promise<void> {
  const { err, exitCode } = await outcomeOf(() => run(['node', 'feedmill', 'convert', ...words]))
  expect([words, exitCode, err]).toEqual([
    words,
    undefined,
    [expect.stringMatching(/rows written$/)],
  ])
}

/** The rows of a table as csv-parse reads them, by the names of their columns. */
function oracle(bytes: Buffer, dialect: Dialect): Cells[] {
  const { delimiter = '\t', quoting = 'backslash', header = true, comment } = dialect
  const rows: string[][] = parse(bytes, {
    bom: true,
    delimiter,
    quote: quoting === 'none' ? false : '"',
    escape: quoting === 'backslash' ? '\\' : '"',
    relax_column_count: true,
    ...(comment && { from_line: 2 }),
  })
  const names = header === true ? rows.shift()! : header
  return rows
    .filter(({ length }) => length === names.length)
    .map(row => Object.fromEntries(names.map((name, n) => [name, row[n] || null])))
}

/** Writes a table in every form, and returns their paths with the options that read them. */
async function formsOf(name: string, bytes: Buffer, dialect: Dialect, columns: readonly string[]) {
  const path = (ending: string) => join(folder, name + ending)
  const described = path('.schema.json')
  const types = Object.fromEntries(columns.map(column => [column, { type: 'text' }]))
  writeFileSync(described, JSON.stringify({ name: 'stock', columns: types, dialect }))
  const forms: [form: string, words: string[]][] = []
  const content = { tsv: bytes, gz: gzipSync(bytes), zip: buildZip([{ name, content: bytes }]) }
  for (const [form, written] of Object.entries(content)) {
    writeFileSync(path(`.${form}`), written)
    forms.push([form, [path(`.${form}`), '--schema', described]])
  }
  // What convert has written is an input too.
  for (const form of ['csv', 'ndjson']) {
    await convert(path('.tsv'), path(`-again.${form}`), '--schema', described, '--bad-rows', 'skip')
    forms.push([form, [path(`-again.${form}`)]])
  }
  return forms
}

async function checkPairs(name: string, bytes: Buffer, dialect: Dialect): Promise<void> {
  const expected = oracle(bytes, dialect)
  expect(expected.length).toBeGreaterThan(5)
  const columns = Object.keys(expected[0]!)
  for (const [form, [from, ...words]] of await formsOf(name, bytes, dialect, columns)) {
    await checkPostgres(`${name}-${form}`.replaceAll('.', '-'), from!, words, expected)
    for (const output of OUTPUTS) {
      const to = join(folder, `${name}-${form}.${output}`)
      const table = output === 'duckdb' ? ['--table', 'stock'] : []
      await convert(from!, to, ...words, ...table, '--bad-rows', 'skip')
      expect([form, output, plain(await rowsOf(to))]).toEqual([form, output, expected])
    }
  }
}

async function checkPostgres(name: string, from: string, words: string[], expected: Cells[]) {
  if (database === undefined) return
  const table = ['--table', name, '--bad-rows', 'skip']
  await convert(from, database.url, ...words, ...table)
  // Its columns have names of SQL, in the order of the file.
  const rows = await database.sql(`SELECT * FROM "${name}"`)
  expect([name, rows.map(Object.values)]).toEqual([name, expected.map(Object.values)])
}

describe('the twelve files', () => {
  const files = readdirSync(FOREIGN).filter(name => !name.endsWith('.schema.json'))
  test.each(files)('%s', async file => {
    const described = readFileSync(join(FOREIGN, file.replace(/\.\w+$/, '.schema.json')), 'utf8')
    await checkPairs(file, readFileSync(join(FOREIGN, file)), JSON.parse(described).dialect ?? {})
  })
})

test.each([
  ['item', 'feed_scope=ALL_ACTIVE'],
  ['item_group', 'feed_scope=ALL_ACTIVE'],
  ['item_snapshot', 'snapshot_date=2026-03-01T05:00:00.000Z'],
  ['item_priority', 'date=20260301'],
])('the %s feed of the service', async (feed, which) => {
  const { emulator, get } = await client({ world: { seed: 7, items: 300, churn: 60, hours: 72 } })
  const answer = await get(`/${feed}?${which}&category_id=220`, { range: 'bytes=0-9999999' })
  expect(answer.status).toBeLessThan(300)
  await checkPairs(feed, gunzipSync(Buffer.from(await answer.arrayBuffer())), {})
  await emulator.close()
})
