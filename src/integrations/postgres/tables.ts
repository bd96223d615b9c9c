// The tables of a target: what they are, whether they are ours, and the ledger in the table
// `files`. Columns that a release adds to a feed are added to the tables; any other change of a
// table takes the next number of FORMAT.

import { FeedError, sqlIdentifier } from '../../engine/index'
import {
  type AppliedFile,
  appliedFileOf,
  type Category,
  type LedgerRow,
  ledgerRowOf,
} from '../../sync/index'
import type { PgConnection } from './pg-adapter'
import { type OwnTable, PARTS, type Part, type TargetNames } from './sql-names'
import { HEAD_COLUMNS, keyOfPart, PART_COLUMNS, REST_COLUMNS, sqlTypeOf } from './sql-types'

/** The format that this program writes and reads. */
const FORMAT = 3

/** The condition for the rows of a category, by the parameters of {@link inCategory}. */
export const OF_CATEGORY = 'marketplace = $1 AND feed_category = $2'

export function inCategory({ marketplace, categoryId }: Category): readonly [string, string] {
  return [marketplace, categoryId]
}

const CATEGORY_COLUMNS = ['marketplace', 'feed_category']

/** The tables, each with columns by which it is known. */
const MARKS: readonly (readonly [OwnTable, readonly string[]])[] = [
  ['meta', ['format', 'service']],
  ['writers', [...CATEGORY_COLUMNS, 'number']],
  ['files', [...CATEGORY_COLUMNS, 'sequence', 'file']],
  ...PARTS.map(part => [part, [...Object.keys(HEAD_COLUMNS), keyOfPart(part)]] as const),
]

function definitions(names: TargetNames): string[] {
  const category = 'marketplace text COLLATE "C" NOT NULL, feed_category text COLLATE "C" NOT NULL'
  return [
    `CREATE TABLE ${names.table('meta')} (format integer NOT NULL, service text)`,
    `INSERT INTO ${names.table('meta')} VALUES (${FORMAT}, NULL)`,
    `CREATE TABLE ${names.table('writers')} (${category}, number bigint NOT NULL,
       removals_forgotten timestamptz, PRIMARY KEY (marketplace, feed_category))`,
    `CREATE TABLE ${names.table('files')} (${category}, sequence integer NOT NULL,
       file text COLLATE "C" NOT NULL UNIQUE, total_bytes bigint NOT NULL, raw_bytes bigint NOT NULL,
       last_modified text, etag text, inserted bigint NOT NULL, updated bigint NOT NULL,
       deleted bigint NOT NULL, unchanged bigint NOT NULL, stale bigint NOT NULL,
       bad_rows bigint NOT NULL, applied_at timestamptz NOT NULL DEFAULT now(),
       PRIMARY KEY (marketplace, feed_category, sequence))`,
    ...PARTS.map(part => partDefinition(names, part)),
  ]
}

function partDefinition(names: TargetNames, part: Part): string {
  const key = keyOfPart(part)
  const columns = [
    ...Object.entries(HEAD_COLUMNS).map(([name, type]) => `${name} ${type}`),
    ...PART_COLUMNS[part].map(({ sqlName, spec }) => {
      const type = sqlTypeOf(spec)
      return `${sqlIdentifier(sqlName)} ${sqlName === key ? `${type} COLLATE "C" NOT NULL` : type}`
    }),
    ...Object.entries(REST_COLUMNS).map(([name, type]) => `${name} ${type}`),
    `PRIMARY KEY (marketplace, feed_category, ${key})`,
  ]
  return `CREATE TABLE ${names.table(part)} (${columns.join(', ')})`
}

/**
 * Makes the tables where there are none, and adds the columns that they lack. Of several processes
 * one works and the others wait.
 * @returns the service that the rows are from, where one is written down
 * @throws FeedError STATE_FOREIGN for tables of somebody else, or of another format
 */
export async function prepareTables(
  connection: PgConnection,
  place: string,
  names: TargetNames,
): Promise<string | undefined> {
  return connection.inTransaction(async () => {
    await connection.query('SELECT pg_advisory_xact_lock($1::bigint)', [names.lockKey()])
    const known = await knownTables(connection, place, names)
    if (known === undefined) {
      const [schema] = await connection.query('SELECT 1 FROM pg_namespace WHERE nspname = $1', [
        names.schema,
      ])
      // A user that may not make schemas may write into one that is there.
      if (schema === undefined)
        await connection.query(`CREATE SCHEMA ${sqlIdentifier(names.schema)}`)
      for (const sql of definitions(names)) await connection.query(sql)
    }
    await addColumns(connection, names)
    return known?.service
  })
}

/**
 * Returns what `meta` says; undefined where none of the tables is there. The service of the rows is
 * undefined until the first run has written it down.
 * @throws FeedError STATE_FOREIGN for tables of somebody else, or of another format
 */
export async function knownTables(connection: PgConnection, place: string, names: TargetNames) {
  const rows = await connection.query(
    `SELECT c.relname, array_agg(a.attname::text) AS columns
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
       LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
     WHERE n.nspname = $1 AND c.relname = ANY($2) GROUP BY c.oid`,
    [names.schema, MARKS.map(([table]) => names.plainTable(table))],
  )
  if (rows.length === 0) return undefined
  const present = new Map(rows.map(({ relname, columns }) => [relname, columns as string[]]))
  const isOurs = ([table, marks]: (typeof MARKS)[number]) =>
    marks.every(mark => present.get(names.plainTable(table))?.includes(mark))
  const [metaMark] = MARKS
  const meta = isOurs(metaMark!) ? await metaOf(connection, names) : undefined
  if (meta !== undefined && meta.format !== FORMAT)
    throw foreign(place, 'format', String(FORMAT), String(meta.format))
  const another = MARKS.find(mark => !isOurs(mark))
  if (meta !== undefined && another === undefined) return meta
  const table = names.table((another ?? metaMark!)[0])
  throw foreign(place, 'tables', 'those of feedmill', `another ${table}`)
}

async function metaOf(connection: PgConnection, names: TargetNames) {
  const [row] = await connection.query(`SELECT format, service FROM ${names.table('meta')}`)
  if (row === undefined) return undefined
  const { format, service } = row
  return { format: Number(format), service: service === null ? undefined : String(service) }
}

/** @param table a sqlIdentifier name */
export async function columnsOf(
  connection: PgConnection,
  table: string,
): Promise<ReadonlySet<unknown>> {
  const rows = await connection.query(
    'SELECT attname FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped',
    [table],
  )
  return new Set(rows.map(({ attname }) => attname))
}

/** Adds the columns that the feeds of this release have and the tables lack. */
async function addColumns(connection: PgConnection, names: TargetNames): Promise<void> {
  for (const part of PARTS) {
    const present = await columnsOf(connection, names.table(part))
    const added = PART_COLUMNS[part]
      .filter(({ sqlName }) => !present.has(sqlName))
      .map(({ sqlName, spec }) => `ADD COLUMN ${sqlIdentifier(sqlName)} ${sqlTypeOf(spec)}`)
    if (added.length > 0)
      await connection.query(`ALTER TABLE ${names.table(part)} ${added.join(', ')}`)
  }
}

/**
 * Writes the service of the rows down, or compares it.
 * @throws FeedError STATE_FOREIGN where the rows are those of another service
 */
export async function claimService(
  connection: PgConnection,
  place: string,
  names: TargetNames,
  service: string,
): Promise<void> {
  const table = names.table('meta')
  await connection.query(`UPDATE ${table} SET service = $1 WHERE service IS NULL`, [service])
  const [row] = await connection.query(`SELECT service FROM ${table}`)
  const expected = String(row?.service)
  if (expected !== service) throw foreign(place, 'service', expected, service)
}

/**
 * Reads the ledger of a category in the order in which the files were applied.
 * @throws FeedError STATE_CORRUPT
 */
export async function readLedger(
  connection: PgConnection,
  names: TargetNames,
  category: Category,
): Promise<AppliedFile[]> {
  const rows = await connection.query(
    `SELECT * FROM ${names.table('files')} WHERE ${OF_CATEGORY} ORDER BY sequence`,
    inCategory(category),
  )
  return rows.map(row => appliedFileOf(row as unknown as LedgerRow, names.table('files')))
}

/** The unique key of the table refuses a file that is there. */
export async function writeEntry(
  connection: PgConnection,
  names: TargetNames,
  entry: AppliedFile,
): Promise<void> {
  const [marketplace, category] = inCategory(entry.id)
  const values = { marketplace, feed_category: category, ...ledgerRowOf(entry) }
  const columns = Object.keys(values)
  await connection.query(
    `INSERT INTO ${names.table('files')} (${columns.join(', ')})
     VALUES (${columns.map((_, n) => `$${n + 1}`).join(', ')})`,
    Object.values(values),
  )
}

export function foreign(
  path: string,
  what: string,
  expected: string,
  received: string,
): FeedError<'STATE_FOREIGN'> {
  const message = `${path}: the ${what} must be ${expected}, not ${received}: choose another schema or prefix`
  return new FeedError('STATE_FOREIGN', message, { path, what, expected, received })
}
