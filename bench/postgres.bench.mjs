// The benchmarks of PostgreSQL, which `npm run bench:sinks` runs beside those of DuckDB in a database
// of their own: a bootstrap beside `psql \copy` of the same rows, prepared as text, into an equal
// table; an hourly file beside the same merge in SQL written by hand; and a larger bootstrap, whose
// peak memory counts. They use public names.

import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { postgresTarget } from 'feedmill/postgres'
import {
  bootstrap,
  CATEGORY,
  HOUR,
  HOURLY,
  hourly,
  LOAD,
  LOADED,
  ORIGIN,
  pathOf,
  prepareFeeds,
  prepareRaw,
  RAW,
  rowsOfRaw,
  START,
} from './sinks/sink-files.mjs'

const URL = process.env.FEEDMILL_BENCH_POSTGRES
const KEY = 'marketplace, feed_category, item_id'
const VERSION = ['time_ms', 'generated_ms', 'checksum']

const copyOf = name => resolve(pathOf(`${name}.copy`))
const run = promisify(execFile)

async function psql(...commands) {
  const words = commands.flatMap(command => ['--command', command])
  const plain = ['--no-psqlrc', '--quiet', '--tuples-only', '--no-align', '--set=ON_ERROR_STOP=1']
  return (await run('psql', [...plain, URL, ...words])).stdout.trim()
}

async function apply(schema, file) {
  const { signal } = file
  const target = await postgresTarget(URL, { schema }).open({ origin: ORIGIN, memoryBytes: 0, signal })
  try {
    const { rows } = await (await target.category(CATEGORY)).apply(file)
    return rows.inserted + rows.updated + rows.unchanged
  } finally {
    await target.close()
  }
}

/**
 * Makes both tables of both comparisons, and the text of their rows. The schema `loading` has its
 * tables already when it is measured, as the table of `\copy` has.
 */
async function prepare() {
  if (await psql("SELECT to_regclass('merge_by_hand')")) return
  await prepareFeeds()
  await apply('loading', bootstrap(LOAD))
  await psql(
    `\\copy loading.items TO '${copyOf('loaded')}'`,
    'CREATE TABLE load_by_hand (LIKE loading.items INCLUDING ALL)',
  )
  await emptied('loading')
  await apply('merging', bootstrap('table.tsv'))
  await apply('hour', hourly())
  await psql(
    `\\copy hour.items TO '${copyOf('hour')}'`,
    'DROP SCHEMA hour CASCADE',
    'CREATE TABLE merge_by_hand (LIKE merging.items INCLUDING ALL)',
    'INSERT INTO merge_by_hand SELECT * FROM merging.items',
    'VACUUM ANALYZE merging.items',
    'VACUUM ANALYZE merge_by_hand',
    'CHECKPOINT',
  )
}

async function prepareRawTable() {
  await prepareRaw()
  await apply('raw', hourly())
  await emptied('raw')
}

/** Empties a schema for the next round. The checkpoint keeps the cost of one round from another. */
const emptied = schema =>
  psql(`TRUNCATE ${['items', 'removals', 'files'].map(name => `${schema}.${name}`).join(', ')}`, 'CHECKPOINT')

/**
 * Gives the rows of the hour the version of the bootstrap, so that the next round writes them once
 * more, and removes the old rows of the table.
 */
const restored = (table, ...commands) =>
  psql(
    `UPDATE ${table} SET time_ms = ${START.getTime()}, checksum = 0 WHERE time_ms = ${HOUR.getTime()}`,
    ...commands,
    `VACUUM ANALYZE ${table}`,
    'CHECKPOINT',
  )

const countOfHour = async table =>
  Number(await psql(`SELECT count(*) FROM ${table} WHERE time_ms = ${HOUR.getTime()}`))

function mergeByHand(path) {
  const versionOf = table => `(${VERSION.map(name => `${table}.${name}`).join(', ')})`
  return [
    'BEGIN',
    'CREATE TEMPORARY TABLE arriving (LIKE merge_by_hand) ON COMMIT DROP',
    `\\copy arriving FROM '${path}'`,
    // The names of the columns are those of the table: PostgreSQL has no shorter form of SET.
    `DO $$ BEGIN EXECUTE (
       SELECT 'INSERT INTO merge_by_hand AS e SELECT DISTINCT ON (item_id) * FROM arriving ORDER BY item_id, ' ||
         '${VERSION.map(name => `${name} DESC`).join(', ')} ON CONFLICT (${KEY}) DO UPDATE SET ' ||
         string_agg(format('%I = EXCLUDED.%I', attname, attname), ', ') ||
         ' WHERE ${versionOf('EXCLUDED')} > ${versionOf('e')}'
       FROM pg_attribute WHERE attrelid = 'merge_by_hand'::regclass AND attnum > 0
         AND NOT attisdropped AND attname NOT IN ('marketplace', 'feed_category', 'item_id')); END $$`,
    'COMMIT',
  ]
}

export default [
  {
    name: 'postgres-load-copy',
    prepare,
    async pipeline() {
      await psql(`\\copy load_by_hand FROM '${copyOf('loaded')}'`)
      return LOADED
    },
    async check() {
      const count = Number(await psql('SELECT count(*) FROM load_by_hand'))
      await psql('TRUNCATE load_by_hand', 'CHECKPOINT')
      return count === LOADED
    },
  },
  {
    name: 'postgres-load-target',
    prepare,
    pipeline: () => apply('loading', bootstrap(LOAD)),
    check: ({ count }) => emptied('loading').then(() => count === LOADED),
  },
  {
    name: 'postgres-hourly-sql',
    prepare,
    pipeline: () => psql(...mergeByHand(copyOf('hour'))).then(() => HOURLY),
    async check() {
      const count = await countOfHour('merge_by_hand')
      await restored('merge_by_hand')
      return count === HOURLY
    },
  },
  {
    name: 'postgres-hourly-target',
    prepare,
    pipeline: () => apply('merging', hourly()),
    async check({ count }) {
      const inTable = await countOfHour('merging.items')
      await restored('merging.items', 'DELETE FROM merging.files WHERE sequence = 2')
      return count === HOURLY && inTable === HOURLY
    },
  },
  {
    name: 'postgres-load-raw',
    prepare: prepareRawTable,
    pipeline: () => apply('raw', bootstrap(RAW)),
    async check({ count }) {
      await emptied('raw')
      return count === (await rowsOfRaw())
    },
  },
]
