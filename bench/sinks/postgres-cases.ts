// The cases of PostgreSQL: a bootstrap against `psql \copy` of the same rows as text into an equal
// table, and an hourly snapshot against the same merge in SQL written by hand. Both sides write
// tables with the same columns and the same primary key.

import { execFile } from 'node:child_process'
import { join, resolve } from 'node:path'
import { performance } from 'node:perf_hooks'
import { promisify } from 'node:util'
import { postgresTarget } from '../../src/postgres/index'
import type { ScaleFile, ScaleFiles } from '../scale/scale-files'
import { CATEGORY, targetFileOf } from './postgres-file'

const run = promisify(execFile)
const TIME_LIMIT_MS = 30 * 60 * 1000
const KEY = 'marketplace, feed_category, item_id'
const VERSION = ['time_ms', 'removed', 'generated_ms', 'checksum']

export interface PostgresCase {
  readonly name: 'copy' | 'merge'
  readonly rows: number
  readonly targetSeconds: number
  readonly handSeconds: number
  /** The speed of the target by that of the other side. */
  readonly ratio: number
}

/** @param url an empty database, which the caller removes */
export async function postgresCases(
  { files }: ScaleFiles,
  url: string,
  folder: string,
): Promise<readonly PostgresCase[]> {
  const [bootstrap, snapshot] = files as [ScaleFile, ScaleFile]
  const text = (name: string) => resolve(join(folder, `${name}.copy`))
  const psql = async (...commands: string[]) => {
    const words = commands.flatMap(command => ['--command', command])
    await run('psql', ['--no-psqlrc', '--quiet', '--set=ON_ERROR_STOP=1', url, ...words], {
      timeout: TIME_LIMIT_MS,
    })
  }
  const copySeconds = await applied(url, bootstrap)
  await psql(
    `\\copy feedmill.items TO '${text('bootstrap')}'`,
    'CREATE TABLE equal (LIKE feedmill.items INCLUDING ALL)',
  )
  const handCopy = await timed(() => psql(`\\copy equal FROM '${text('bootstrap')}'`))
  await psql('VACUUM ANALYZE equal', 'VACUUM ANALYZE feedmill.items', 'CHECKPOINT')

  const mergeSeconds = await applied(url, snapshot)
  // The rows of the snapshot are those that have a version after the bootstrap.
  await psql(
    `\\copy (SELECT * FROM feedmill.items WHERE time_ms > ${bootstrap.lastModifiedMs}) TO '${text('snapshot')}'`,
    'CHECKPOINT',
  )
  const handMerge = await timed(() => psql(...mergeByHand(text('snapshot'))))
  await psql(
    `DO $$ BEGIN ASSERT (SELECT count(*) FROM (SELECT ${KEY}, time_ms, title FROM equal EXCEPT ` +
      `SELECT ${KEY}, time_ms, title FROM feedmill.items) d) = 0, 'the tables differ'; END $$`,
  )
  return [
    caseOf('copy', bootstrap.rows, copySeconds, handCopy),
    caseOf('merge', snapshot.rows, mergeSeconds, handMerge),
  ]
}

function mergeByHand(path: string): string[] {
  const versionOf = (table: string) => `(${VERSION.map(name => `${table}.${name}`).join(', ')})`
  return [
    'BEGIN',
    'CREATE TEMPORARY TABLE arriving (LIKE equal) ON COMMIT DROP',
    `\\copy arriving FROM '${path}'`,
    // The names of the columns are those of the table: PostgreSQL has no shorter form of SET.
    `DO $$ BEGIN EXECUTE (
       SELECT 'INSERT INTO equal AS e SELECT DISTINCT ON (item_id) * FROM arriving ORDER BY item_id, ' ||
         '${VERSION.map(name => `${name} DESC`).join(', ')} ON CONFLICT (${KEY}) DO UPDATE SET ' ||
         string_agg(format('%I = EXCLUDED.%I', attname, attname), ', ') ||
         ' WHERE ${versionOf('EXCLUDED')} > ${versionOf('e')}'
       FROM pg_attribute WHERE attrelid = 'equal'::regclass AND attnum > 0 AND NOT attisdropped
         AND attname NOT IN ('marketplace', 'feed_category', 'item_id')); END $$`,
    'COMMIT',
  ]
}

async function applied(url: string, file: ScaleFile): Promise<number> {
  const origin = { marketplace: CATEGORY.marketplace, service: 'https://service.test' }
  const { signal } = new AbortController()
  const opened = await postgresTarget(url).open({ origin, memoryBytes: 2 ** 26, signal })
  try {
    const category = await opened.category(CATEGORY)
    return await timed(() => category.apply(targetFileOf(file)))
  } finally {
    await opened.close()
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return (performance.now() - start) / 1000
}

function caseOf(
  name: PostgresCase['name'],
  rows: number,
  targetSeconds: number,
  handSeconds: number,
): PostgresCase {
  return { name, rows, targetSeconds, handSeconds, ratio: handSeconds / targetSeconds }
}
