// `feedmill export` as Parquet and Arrow: readers that share no code with it find the cells of the
// NDJSON export of the same state, nested ones included.

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { exportCommand } from '../../../src/cli/sync/export'
import type { ExportCommand } from '../../../src/cli/sync/state-commands'
import { syncCommand } from '../../../src/cli/sync/sync'
import { itemGroupSchema, itemPrioritySchema, itemSnapshotSchema } from '../../../src/index'
import { outcomeOf, served } from '../served'

type Cells = Record<string, unknown>

/** Reads Arrow, and shares no code with apache-arrow. */
interface Flechette {
  tableFromIPC(bytes: Uint8Array, options: object): { toArray(): Cells[] }
}

let at: Awaited<ReturnType<typeof served>>
let outputs: string
let flechette: Flechette
beforeAll(async () => {
  outputs = mkdtempSync(join(tmpdir(), 'feedmill-export-'))
  at = await served({ world: { seed: 5, items: 900, hours: 4, churn: 90, categories: ['220'] } })
  await outcomeOf(() => syncCommand(at.command))
  flechette = (await import('@uwdata/flechette' as string)) as Flechette
}, 60_000)
afterAll(async () => {
  await at.close()
  rmSync(outputs, { recursive: true })
})

const outcome = (format: ExportCommand['format'], options: Partial<ExportCommand>) => {
  const out = join(outputs, `items.${format}`)
  const { state } = at.command
  return outcomeOf(() => exportCommand({ state, category: [], format, out, ...options }))
}

async function exported(format: ExportCommand['format'], options: Partial<ExportCommand> = {}) {
  const { error, err } = await outcome(format, options)
  expect(error).toBeUndefined()
  return { file: join(outputs, `items.${format}`), notes: err }
}

const PARTS = { priority: itemPrioritySchema, group: itemGroupSchema } as const

/** A cell of NDJSON or of a reader in one form. */
function plain(value: unknown): unknown {
  if (value === undefined || value === null) return null
  if (value instanceof Date) return value.toISOString()
  if (ArrayBuffer.isView(value) || Array.isArray(value)) return Array.from(value as never[], plain)
  if (typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, plain(part)]))
}

/** The columns of a schema, and of the parts of an item, of an object that may have more. */
function item(object: Cells, schema: { readonly columns: object } = itemSnapshotSchema): Cells {
  const cells = Object.entries(schema.columns).map(([name, { type }]) => {
    const value = plain(object[name])
    const isTime = type === 'timestamp' && value !== null
    // hyparquet makes doubles of decimals, by a multiplication.
    if (type === 'decimal' && value !== null) return [name, Number(Number(value).toFixed(6))]
    return [name, isTime ? new Date(String(value).replace(/\+00$/, 'Z')).toISOString() : value]
  })
  return Object.fromEntries([...cells, ...partsOf(object)])
}

function partsOf(object: Cells): [string, unknown][] {
  return Object.entries(PARTS).flatMap(([name, schema]) =>
    name in object
      ? [[name, object[name] == null ? null : item(object[name] as Cells, schema)]]
      : [],
  )
}

const linesOf = (path: string) =>
  readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line) as Cells)

async function byDuckdb(path: string): Promise<Cells[]> {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  try {
    await connection.run("SET TimeZone = 'UTC'")
    return (await connection.runAndReadAll(`FROM '${path}'`)).getRowObjectsJson() as Cells[]
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

const READERS = [
  ['parquet', 'DuckDB', byDuckdb],
  [
    'parquet',
    'hyparquet',
    async (path: string) => parquetReadObjects({ file: await asyncBufferFromFile(path) }),
  ],
  [
    'arrow',
    'flechette',
    async (path: string) => flechette.tableFromIPC(readFileSync(path), { useDate: true }).toArray(),
  ],
] as const

test.each(READERS)('%s has the cells of NDJSON, read by %s', async (format, _, read) => {
  const expected = linesOf((await exported('ndjson')).file)
  expect(expected.length).toBeGreaterThan(700)
  const withPart = (name: string) => expected.filter(object => object[name] !== null)
  for (const part of Object.keys(PARTS)) expect(withPart(part).length).toBeGreaterThan(0)
  const rows = await read((await exported(format)).file)
  expect(rows.map(row => item(row))).toEqual(expected.map(object => item(object)))
  expect(rows.every(row => (row.invalid ?? null) === null)).toBe(true)
})

test('by a schema of the caller, and bad cells have their texts', async () => {
  const schema = join(outputs, 'own.json')
  const columns = {
    id: { type: 'text', aliases: ['itemId'] },
    title: { type: 'int32' },
    priceValue: { type: 'float64' },
  }
  writeFileSync(schema, JSON.stringify({ name: 'own', columns }))
  const { file, notes } = await exported('ndjson', { schema })
  for (const [format, , read] of READERS) {
    const made = await exported(format, { schema })
    const rows = (await read(made.file)).map(({ invalid, ...row }) => ({
      ...(plain(row) as object),
      invalid: JSON.parse(invalid as string),
    }))
    expect(rows).toEqual(linesOf(file))
    expect(made.notes).toEqual(notes)
  }
  expect(notes).toEqual([expect.stringMatching(/^feedmill: \d+ cells are not of their type/)])
})

test.each(['parquet', 'arrow'] as const)('a failed export leaves %s as it was', async format => {
  const { file } = await exported(format)
  const before = readFileSync(file)
  const schema = join(outputs, 'misspelt.json')
  writeFileSync(schema, JSON.stringify({ name: 'own', columns: { titel: { type: 'text' } } }))
  // The columns of a schema are known to be misspelt only after all items.
  expect((await outcome(format, { schema })).error).toMatchObject({ code: 'OPTION_INVALID' })
  expect((await outcome(format, { gzip: true })).error).toMatchObject({
    code: 'OPTION_INVALID',
    context: { option: '--gzip' },
  })
  expect(readFileSync(file).equals(before)).toBe(true)
  expect(readdirSync(outputs).filter(name => name.includes('partial'))).toEqual([])
})
