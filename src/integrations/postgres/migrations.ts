// The tables of a target, made and changed by numbered steps. A step never changes once a release
// has it: a later release adds a step. Columns that a release adds to a feed need no step.

import { FeedError } from '../../engine/index'
import type { PgConnection } from './pg-adapter'
import { type OwnTable, PARTS, type Part, quoted, type TargetNames } from './sql-names'
import { HEAD_COLUMNS, keyOfPart, PART_COLUMNS, REST_COLUMNS, sqlTypeOf } from './sql-types'
import { inTransaction } from './transaction'

export interface TableOptions {
  /** Undefined: as the tables are; not partitioned where there are none. */
  readonly partition: boolean | undefined
}

/** What the table `meta` says. */
export interface TargetMeta {
  readonly format: number
  readonly service: string | undefined
  readonly isPartitioned: boolean
}

type Step = (names: TargetNames, isPartitioned: boolean) => readonly string[]

/** `STEPS[n]` makes the format n + 1 of the format n. */
export const STEPS: readonly Step[] = [
  names => [
    `CREATE TABLE ${names.table('meta')} (format integer NOT NULL, service text,
       partitioned boolean NOT NULL)`,
    `CREATE TABLE ${names.table('writers')} (marketplace text COLLATE "C" NOT NULL,
       feed_category text COLLATE "C" NOT NULL, number bigint NOT NULL,
       PRIMARY KEY (marketplace, feed_category))`,
    `CREATE TABLE ${names.table('files')} (marketplace text COLLATE "C" NOT NULL,
       feed_category text COLLATE "C" NOT NULL, sequence integer NOT NULL,
       file text COLLATE "C" NOT NULL UNIQUE, total_bytes bigint NOT NULL, raw_bytes bigint NOT NULL,
       last_modified text, etag text, inserted bigint NOT NULL, updated bigint NOT NULL,
       deleted bigint NOT NULL, unchanged bigint NOT NULL, stale bigint NOT NULL,
       bad_rows bigint NOT NULL, applied_at timestamptz NOT NULL DEFAULT now(),
       PRIMARY KEY (marketplace, feed_category, sequence))`,
  ],
  (names, isPartitioned) => [
    ...PARTS.map(part => createPart(names, part, isPartitioned)),
    `ALTER TABLE ${names.table('writers')} ADD COLUMN removals_forgotten timestamptz`,
  ],
]

function createPart(names: TargetNames, part: Part, isPartitioned: boolean): string {
  const key = keyOfPart(part)
  const columns = [
    ...Object.entries(HEAD_COLUMNS).map(([name, type]) => `${name} ${type}`),
    ...PART_COLUMNS[part].map(({ name, spec }) => {
      const type = sqlTypeOf(spec)
      return `${quoted(name)} ${name === key ? `${type} COLLATE "C" NOT NULL` : type}`
    }),
    ...Object.entries(REST_COLUMNS).map(([name, type]) => `${name} ${type}`),
    `PRIMARY KEY (marketplace, feed_category, ${key})`,
  ]
  const by = isPartitioned ? ' PARTITION BY LIST (marketplace)' : ''
  return `CREATE TABLE ${names.table(part)} (${columns.join(', ')})${by}`
}

/**
 * Makes the tables, or brings them to the format of this release. Of several processes one works
 * and the others wait.
 * @param steps the steps to take; all by default
 * @throws FeedError STATE_FOREIGN for tables of somebody else, of a newer release, or partitioned
 * otherwise
 */
export async function migrate(
  connection: PgConnection,
  place: string,
  names: TargetNames,
  { partition }: TableOptions,
  steps: readonly Step[] = STEPS,
): Promise<TargetMeta> {
  return inTransaction(connection, async () => {
    await connection.query('SELECT pg_advisory_xact_lock($1::bigint)', [names.lockKey()])
    const known = await knownTables(connection, place, names, steps.length)
    const [schema] = await connection.query('SELECT 1 FROM pg_namespace WHERE nspname = $1', [
      names.schema,
    ])
    // A user that may not make schemas may write into one that is there.
    if (schema === undefined) await connection.query(`CREATE SCHEMA ${quoted(names.schema)}`)
    const format = known?.format ?? 0
    const isPartitioned = known?.isPartitioned ?? partition ?? false
    if (partition !== undefined && partition !== isPartitioned)
      throw foreign(place, 'partition', String(isPartitioned), String(partition))
    for (const step of steps.slice(format))
      for (const sql of step(names, isPartitioned)) await connection.query(sql)
    const meta = { format: steps.length, service: known?.service, isPartitioned }
    if (known === undefined)
      await connection.query(`INSERT INTO ${names.table('meta')} VALUES ($1, NULL, $2)`, [
        meta.format,
        isPartitioned,
      ])
    else if (format < meta.format)
      await connection.query(`UPDATE ${names.table('meta')} SET format = $1`, [meta.format])
    if (steps.length === STEPS.length) await addColumns(connection, names)
    return meta
  })
}

/**
 * Returns what `meta` says; undefined where none of the tables is there.
 * @param newest the newest format that may be there
 * @throws FeedError STATE_FOREIGN for tables of somebody else, or of a newer release
 */
export async function knownTables(
  connection: PgConnection,
  place: string,
  names: TargetNames,
  newest = STEPS.length,
): Promise<TargetMeta | undefined> {
  const rows = await connection.query(
    `SELECT c.relname, array_agg(a.attname::text) AS columns
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
       LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
     WHERE n.nspname = $1 AND c.relname = ANY($2) GROUP BY c.oid`,
    [names.schema, MARKS.flat().map(([table]) => names.plainTable(table))],
  )
  const present = new Map(rows.map(({ relname, columns }) => [relname, columns as string[]]))
  const isOurs = ([table, marks]: (typeof MARKS)[number][number]) => {
    const columns = present.get(names.plainTable(table))
    return columns !== undefined && marks.every(mark => columns.includes(mark))
  }
  const meta = isOurs(META) ? await metaOf(connection, names) : undefined
  const format = meta?.format ?? 0
  if (format > newest) throw foreign(place, 'format', `at most ${newest}`, String(format))
  for (const [step, tables] of MARKS.entries())
    for (const marked of tables) {
      const isThere = present.has(names.plainTable(marked[0]))
      if (step < format ? !isOurs(marked) : isThere)
        throw foreign(place, 'tables', 'those of feedmill', `another ${names.table(marked[0])}`)
    }
  return meta
}

const CATEGORY_COLUMNS = ['marketplace', 'feed_category']
const META = ['meta', ['format', 'service', 'partitioned']] as const

/** The tables that each step makes, each with columns by which it is known. */
const MARKS: readonly (readonly (readonly [OwnTable, readonly string[]])[])[] = [
  [
    META,
    ['writers', [...CATEGORY_COLUMNS, 'number']],
    ['files', [...CATEGORY_COLUMNS, 'sequence', 'file']],
  ],
  PARTS.map(part => [part, [...Object.keys(HEAD_COLUMNS), keyOfPart(part)]] as const),
]

async function metaOf(
  connection: PgConnection,
  names: TargetNames,
): Promise<TargetMeta | undefined> {
  const [row] = await connection.query(
    `SELECT format, service, partitioned FROM ${names.table('meta')}`,
  )
  if (row === undefined) return undefined
  const { format, service, partitioned } = row
  return {
    format: Number(format),
    service: service === null ? undefined : String(service),
    isPartitioned: partitioned === true,
  }
}

/** @param table a quoted name */
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
      .filter(({ name }) => !present.has(name))
      .map(({ name, spec }) => `ADD COLUMN ${quoted(name)} ${sqlTypeOf(spec)}`)
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

export function foreign(
  path: string,
  what: string,
  expected: string,
  received: string,
  other = 'schema or prefix',
): FeedError<'STATE_FOREIGN'> {
  const message = `${path}: the ${what} must be ${expected}, not ${received}: choose another ${other}`
  return new FeedError('STATE_FOREIGN', message, { path, what, expected, received })
}
