// Compares whole first runs of `feedmill sync --source feed.json` into a state folder, a DuckDB file and
// PostgreSQL with what one pass of each database's own makes of the same gzip files: one statement of
// DuckDB, and COPY with one statement of PostgreSQL. Fresh processes, in turns. At the end a polled
// address whose file has not changed is asked once more.

import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { gzipSync } from 'node:zlib'
import pg from 'pg'
import { median } from '../../src/bench/statistics/median'
import { wholeNumber } from '../bench-options'
import { inTurns, printRatio, printRuns } from './turns'
import { type WholeRun, wholeCommand, wholeDuckdb, wholeScript } from './whole-sync'

const SERVER = process.env.FEEDMILL_TEST_POSTGRES ?? 'postgres://postgres@127.0.0.1:5432/test'
const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000' },
    changes: { type: 'string', default: '24' },
    rounds: { type: 'string', default: '3' },
  },
})
const rows = wholeNumber('--rows', values.rows, 1, 50_000_000)
const changes = wholeNumber('--changes', values.changes, 0, 1_000)
const rounds = wholeNumber('--rounds', values.rounds)

const HEADER = 'sku,title,brand,price,stock,gtin,status,revision\n'
const START_MS = Date.UTC(2026, 2, 1)

/** A row of the shape of a product feed. Every eighth title is quoted. */
function line(n: number, revision: number): string {
  const mixed = Math.imul(n + 1, 2_654_435_761) >>> 0
  const title = `Lamp ${mixed % 9973} of oak and linen, ${n % 7} parts`
  const shown = n % 8 === 0 ? `"${title} ""${n}"""` : title.replace(',', ';')
  const price = ((mixed % 100_000) / 100).toFixed(2)
  const status = revision > 0 && n % 10 === 3 ? 'deleted' : 'active'
  const gtin = String(4_000_000_000_000 + n).padStart(14, '0')
  return `S-${mixed.toString(36)}-${n},${shown},brand ${n % 500},${price},${(n + revision) % 90},${gtin},${status},${revision}\n`
}

function* numbersOf(file: number): Generator<number, void, void> {
  if (file === 0) for (let n = 0; n < rows; n++) yield n
  // Changes of one row in 50, and new rows.
  else for (let n = file; n < rows; n += 50) yield n % 5 === 0 ? rows + n * 24 + file : n
}

const folder = await mkdtemp(join(tmpdir(), 'feedmill-own-feed-'))
const paths: string[] = []
console.error('making the files')
for (let file = 0; file <= changes; file++) {
  const lines = [HEADER]
  for (const n of numbersOf(file)) lines.push(line(n, file))
  const path = join(folder, `${String(file).padStart(4, '0')}.csv.gz`)
  await writeFile(path, gzipSync(lines.join(''), { level: 6 }))
  paths.push(path)
}
const feed = {
  name: 'stock',
  dialect: { delimiter: ',', quoting: 'doubled' },
  columns: {
    sku: { type: 'text', notNull: true },
    title: { type: 'text' },
    brand: { type: 'text' },
    price: { type: 'decimal', scale: 2 },
    stock: { type: 'int32' },
    gtin: { type: 'text' },
    status: { type: 'text' },
    revision: { type: 'int32' },
  },
  key: 'sku',
  version: 'revision',
  removed: { column: 'status', equals: 'deleted' },
  files: paths.map((from, n) => {
    const time = new Date(START_MS + n * 3_600_000)
    return { id: String(n), from, kind: n === 0 ? 'full' : 'changes', time }
  }),
}
const feedPath = join(folder, 'feed.json')
await writeFile(feedPath, JSON.stringify(feed))

const NEWEST = 'row_number() OVER (PARTITION BY sku ORDER BY revision DESC) AS place'
const COLUMNS = 'sku, title, brand, price, stock, gtin, status, revision'
const duckdbStatement = `CREATE TABLE stock AS SELECT ${COLUMNS} FROM (SELECT *, ${NEWEST}
  FROM read_csv('${folder}/*.csv.gz', header = true, delim = ',', quote = '"', escape = '"', columns = {
    sku: 'VARCHAR', title: 'VARCHAR', brand: 'VARCHAR', price: 'DECIMAL(18,2)', stock: 'INTEGER',
    gtin: 'VARCHAR', status: 'VARCHAR', revision: 'INTEGER'}))
  WHERE place = 1 AND status <> 'deleted'`
const TYPES =
  'sku text COLLATE "C", title text, brand text, price numeric(38, 2), stock int, gtin text, status text, revision int'
const postgresStatements = {
  before: `CREATE TABLE stock (${TYPES}, PRIMARY KEY (sku)); CREATE TEMP TABLE arrived (${TYPES})`,
  copy: `COPY arrived (${COLUMNS}) FROM STDIN (FORMAT csv, HEADER true)`,
  after: `INSERT INTO stock SELECT ${COLUMNS} FROM (SELECT *, ${NEWEST} FROM arrived) ranked
    WHERE place = 1 AND status <> 'deleted'`,
}
const postgresScript = `
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import pg from 'pg'
import { from } from 'pg-copy-streams'
const [, url, statements, paths] = process.argv
const { before, copy, after } = JSON.parse(statements)
const client = new pg.Client({ connectionString: url })
await client.connect()
await client.query('BEGIN')
await client.query(before)
for (const path of JSON.parse(paths))
  await pipeline(createReadStream(path), createGunzip(), client.query(from(copy)))
await client.query(after)
await client.query('COMMIT')
await client.end()`

const schema = `feedmill_bench_${randomBytes(6).toString('hex')}`
const address = new URL(SERVER)
address.searchParams.set('schema', schema)
const plain = new URL(SERVER)
plain.searchParams.set('options', `-c search_path=${schema}`)
const server = new pg.Client({ connectionString: SERVER })
await server.connect()
const place = join(folder, 'places')
const ownOf = (...words: string[]) => wholeCommand(['sync', '--source', feedPath, ...words])
const duckdbFile = join(place, 'stock.duckdb')
const CASES = {
  folder: () => ownOf('--state', join(place, 'state')),
  duckdb: () => ownOf('--to', duckdbFile),
  'DuckDB alone': () => wholeDuckdb(duckdbFile, duckdbStatement),
  postgres: () => ownOf('--to', address.href),
  'PostgreSQL alone': () => {
    const words = [plain.href, JSON.stringify(postgresStatements), JSON.stringify(paths)]
    return wholeScript(postgresScript, words)
  },
} satisfies Record<string, () => Promise<WholeRun>>
try {
  const runs = await inTurns(CASES, rounds, async name => {
    await rm(place, { recursive: true, force: true })
    await mkdir(place)
    await server.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`)
    if (name === 'PostgreSQL alone') await server.query(`CREATE SCHEMA ${schema}`)
  })
  let bytes = 0
  for (const path of paths) bytes += (await stat(path)).size
  console.log(`${rows} rows, ${changes} files of changes, ${(bytes / 1e6).toFixed(1)} MB of gzip\n`)
  printRuns(runs)
  printRatio(runs, 'duckdb', 'DuckDB alone')
  printRatio(runs, 'postgres', 'PostgreSQL alone')
  console.log(`\n${duckdbStatement}\n\n${Object.values(postgresStatements).join('\n')}\n`)
  await askUnchanged()
} finally {
  await server.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`)
  await server.end()
  await rm(folder, { recursive: true, force: true })
}

/** Polls an address whose file is as it was, and says what that costs. */
async function askUnchanged(): Promise<void> {
  const old = new Date(Date.now() - 3_600_000)
  await utimes(paths[0]!, old, old)
  let sent = 0
  const origin = createServer((request, response) => {
    const since = request.headers['if-modified-since']
    const headers = { 'last-modified': old.toUTCString() }
    if (since === old.toUTCString()) return response.writeHead(304, headers).end()
    const small = Buffer.from(HEADER + line(1, 1))
    return response.writeHead(200, { ...headers, 'content-length': small.length }).end(small)
  })
  origin.on('connection', socket => {
    socket.on('close', () => {
      sent += socket.bytesWritten + socket.bytesRead
    })
  })
  origin.listen(0, '127.0.0.1')
  await once(origin, 'listening')
  const { port } = origin.address() as AddressInfo
  const polled = join(folder, 'polled.json')
  const { files: _, ...parts } = feed
  await writeFile(polled, JSON.stringify({ ...parts, files: `http://127.0.0.1:${port}/stock.csv` }))
  const state = join(folder, 'polled')
  const ask = () => wholeCommand(['sync', '--source', polled, '--state', state])
  await ask()
  const seconds: number[] = []
  let bytes = 0
  for (let round = 0; round < 5; round++) {
    sent = 0
    seconds.push((await ask()).seconds)
    bytes = Math.max(bytes, sent)
  }
  origin.close()
  console.log(`a polled address, unchanged: ${bytes} bytes, ${median(seconds).toFixed(2)} s`)
}
