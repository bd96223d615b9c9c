// Compares `feedmill convert` of a file of the shape `varied` into JSON lines and into a DuckDB file
// with what DuckDB's own reads and writes with the same types: fresh processes, in turns. The files
// and the tables that both write are compared. A missed goal fails the run.

import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { decimal } from '../../src/engine/schema/column-kinds'
import { itemColumns } from '../../src/engine/schema/item-columns'
import { targetTypeOf } from '../../src/integrations/duckdb/column-types'
import { wholeNumber } from '../bench-options'
import { prepareFeed } from '../data'
import { checkEqual, decodedRows, readCsv, type TableColumn } from './duckdb-items'
import { inTurns, printPeak, printRatio, printRuns } from './turns'
import { wholeCommand, wholeDuckdb } from './whole-sync'

/** The most time by that of DuckDB, and the highest peak. */
const GOALS = { ndjson: { ratio: 0.5, mb: 200 }, duckdb: { ratio: 1, mb: 512 } }
const SEED = 1

const { values } = parseArgs({
  options: {
    mb: { type: 'string', default: '400' },
    rounds: { type: 'string', default: '3' },
  },
})
const megabytes = wholeNumber('--mb', values.mb)
const rounds = wholeNumber('--rounds', values.rounds)

console.error('making the file')
const feed = await prepareFeed({ shape: 'varied', seed: SEED, megabytes }, '.tmp/bench-data')
const specs: Readonly<Record<string, TableColumn['spec']>> = {
  ...itemColumns,
  // With a scale the column of both tables has the same digits.
  priceValue: decimal({ scale: 2 }),
}
const columns = feed.columns.map(name => {
  const spec = specs[name]!
  return { name, type: targetTypeOf(spec), spec }
})
const folder = await mkdtemp(join(tmpdir(), 'feedmill-convert-'))
const schema = join(folder, 'schema.json')
const schemaColumns = Object.fromEntries(columns.map(({ name, spec }) => [name, spec]))
await writeFile(schema, JSON.stringify({ name: 'items', columns: schemaColumns }))

const paths = {
  ndjson: join(folder, 'own.ndjson'),
  'DuckDB to ndjson': join(folder, 'other.ndjson'),
  duckdb: join(folder, 'own.duckdb'),
  'DuckDB to duckdb': join(folder, 'other.duckdb'),
}
const selection = decodedRows(columns, readCsv([feed.path], columns), 'localizedAspects')
const statements = {
  ndjson: `COPY (${selection})
  TO '${paths['DuckDB to ndjson']}' (FORMAT json, TIMESTAMPFORMAT '%Y-%m-%dT%H:%M:%S.%gZ')`,
  duckdb: `CREATE TABLE items AS ${selection}`,
}
const convertTo = (out: string) =>
  wholeCommand(['convert', feed.path, out, '--schema', schema, '--table', 'items'])
const cases = {
  ndjson: () => convertTo(paths.ndjson),
  'DuckDB to ndjson': () => wholeDuckdb(':memory:', statements.ndjson),
  duckdb: () => convertTo(paths.duckdb),
  'DuckDB to duckdb': () => wholeDuckdb(paths['DuckDB to duckdb'], statements.duckdb),
}
try {
  const runs = await inTurns(cases, rounds, name => rm(paths[name], { force: true }))
  console.error('comparing what they wrote')
  await checkWritten()
  console.log(
    `${(feed.rawBytes / 1e6).toFixed(0)} MB of varied, ${feed.rows} rows, ${(feed.gzipBytes / 1e6).toFixed(0)} MB of gzip\n`,
  )
  printRuns(runs)
  for (const [name, path] of Object.entries(paths))
    console.log(`${name} is ${((await stat(path)).size / 1e6).toFixed(0)} MB`)
  for (const name of ['ndjson', 'duckdb'] as const) {
    printRatio(runs, name, `DuckDB to ${name}`, GOALS[name].ratio)
    printPeak(runs, name, GOALS[name].mb)
  }
  console.log(`\n${statements.ndjson}\n\nCREATE TABLE items AS the same selection`)
} finally {
  await rm(folder, { recursive: true, force: true })
}

async function checkWritten(): Promise<void> {
  const names = columns.map(({ name }) => name)
  const { ndjson, duckdb } = paths
  const types = columns.map(({ name, type }) => `${name}: '${type}'`).join(', ')
  const lines = (path: string) =>
    `read_json('${path}', format = 'newline_delimited', columns = {${types}})`
  await checkEqual('', [lines(ndjson), lines(paths['DuckDB to ndjson'])], names)
  const other = paths['DuckDB to duckdb']
  const attached = `ATTACH '${duckdb}' AS own; ATTACH '${other}' AS other`
  await checkEqual(attached, ['own.items', 'other.items'], names)
}
