// Runs the cases of PostgreSQL in a database of their own, and prints a line of JSON for each.

import { randomBytes } from 'node:crypto'
import { Client } from 'pg'
import { prepareScaleFiles } from '../scale/scale-files'
import { postgresCases } from './postgres-cases'

const DIRECTORY = '.tmp/bench-data'
const SERVER = process.env.FEEDMILL_TEST_POSTGRES ?? 'postgres://postgres@127.0.0.1:5432/test'

const items = Number(process.argv[2] ?? 100_000)
const name = `feedmill_bench_${randomBytes(6).toString('hex')}`
const server = new Client({ connectionString: SERVER })
await server.connect()
await server.query(`CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8'`)
try {
  const url = new URL(SERVER)
  url.pathname = name
  const files = await prepareScaleFiles(items, DIRECTORY)
  for (const result of await postgresCases(files, url.href, DIRECTORY))
    console.log(JSON.stringify({ ...result, peakBytes: process.resourceUsage().maxRSS * 1024 }))
} finally {
  await server.query(`DROP DATABASE ${name} WITH (FORCE)`)
  await server.end()
}
