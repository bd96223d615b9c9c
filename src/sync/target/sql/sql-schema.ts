// Makes the tables of a target in SQL, checks whose those are that are there, and gives them what a
// schema has gained since.

import { FeedError, optionInvalid, sqlIdentifier } from '../../../engine/index'
import { keptOtherwise, type RowRules } from '../../file/row-rules'
import type { Category } from '../../file-id'
import { REMEDIES } from '../../folder/state-paths'
import { appliedFileOf, type LedgerRow } from '../ledger-row'
import type { AppliedFile } from '../target'
import { inCategory } from './sql-merge'
import { type SqlConnection, type SqlWords, sqlText } from './sql-store'
import {
  FORMAT,
  headType,
  OWN_TABLES,
  REST_COLUMNS,
  type RowTable,
  tableNameOf,
} from './sql-tables'

const LEDGER_COUNTS = [
  'total_bytes',
  'raw_bytes',
  'inserted',
  'updated',
  'deleted',
  'unchanged',
  'stale',
  'bad_rows',
]

/**
 * Makes the tables where there are none, and writes the service of the rows down.
 * @throws FeedError STATE_FOREIGN for tables of somebody else, of another service or format
 */
export async function claimTables(
  words: SqlWords,
  connection: SqlConnection,
  service: string,
): Promise<void> {
  const known = await knownService(words, connection)
  if (known === undefined) await createTables(words, connection)
  if (known === undefined || known === '')
    await connection.query(`UPDATE ${words.table('meta')} SET service = ${sqlText(service)}`)
  else if (known !== service) throw foreign(words, 'service', known, service)
}

async function createTables(words: SqlWords, { query }: SqlConnection): Promise<void> {
  const name = words.headTypeOf('name')
  const category = `marketplace ${name} NOT NULL, feed_category ${name} NOT NULL`
  const of = 'PRIMARY KEY (marketplace, feed_category'
  const counts = LEDGER_COUNTS.map(count => `${count} bigint NOT NULL`).join(', ')
  for (const sql of [
    `${words.table('meta')} (format integer NOT NULL, service ${name})`,
    `${words.table('categories')} (${category}, writer bigint NOT NULL, removals_forgotten_ms bigint, ${of}))`,
    `${words.table('files')} (${category}, sequence integer NOT NULL, file ${name} NOT NULL UNIQUE,
       ${counts}, last_modified ${name}, etag ${name}, applied_at ${words.headTypeOf('time')}, ${of}, sequence))`,
    `${words.table('removals')} (${category}, row_table ${name} NOT NULL, key ${name} NOT NULL,
       file integer NOT NULL, time_ms bigint NOT NULL, generated_ms bigint NOT NULL, file_rank ${name},
       file_row bigint${words.tableEnd(['marketplace', 'feed_category', 'row_table', 'key'])})`,
  ])
    await query(`CREATE TABLE ${sql}`)
  await query(`INSERT INTO ${words.table('meta')} VALUES (${FORMAT}, NULL)`)
}

/** The table of another feed may have the name that the feed's own would get. */
export async function prepareOwn(
  words: SqlWords,
  connection: SqlConnection,
  category: Category,
  table: RowTable,
  rules: RowRules,
): Promise<void> {
  const { categoryId } = category
  for (const { categoryId: other } of await categoriesOf(words, connection))
    if (other !== categoryId && tableNameOf(other) === table.name)
      throw optionInvalid('source.name', `a name whose table is not that of ${other}`, categoryId)
  await keepRules(words, connection, category, rules)
  await prepareRows(words, connection, [table], 'give the column or the feed another name')
}

/** Columns of `categories`, which it has in databases with feeds of one's own. */
const KEPT_COLUMNS = ['key_column', 'version_column'] as const

/**
 * Writes down by which columns the rows of a feed are kept.
 * @throws FeedError STATE_FOREIGN where they are kept by other ones
 */
async function keepRules(
  words: SqlWords,
  connection: SqlConnection,
  category: Category,
  { key, version }: RowRules,
): Promise<void> {
  const { query } = connection
  const categories = words.table('categories')
  const present = await connection.columnTypes()
  for (const column of KEPT_COLUMNS)
    if (!present.has(`categories.${column}`))
      await query(`ALTER TABLE ${categories} ADD COLUMN ${column} ${words.headTypeOf('name')}`)
  const kept = KEPT_COLUMNS.join(', ')
  const here = inCategory(category)
  const [found] = await query(`SELECT ${kept} FROM ${categories} WHERE ${here}`)
  const values = [key, version ?? ''].map(sqlText)
  if (found === undefined) {
    const place = [category.marketplace, category.categoryId].map(sqlText).join(', ')
    await query(
      `INSERT INTO ${categories} (marketplace, feed_category, writer, ${kept})
       VALUES (${place}, 0, ${values.join(', ')})`,
    )
  } else if (found.key_column == null) {
    const set = KEPT_COLUMNS.map((column, n) => `${column} = ${values[n]}`).join(', ')
    await query(`UPDATE ${categories} SET ${set} WHERE ${here}`)
  } else {
    const was = {
      key: String(found.key_column),
      version: String(found.version_column) || undefined,
    }
    const { what, expected, received } = keptOtherwise(was, { key, version }) ?? {}
    if (what !== undefined) throw foreign(words, what, expected!, received!, REMEDIES[what])
  }
}

/**
 * Makes the tables of rows, or gives them the columns that they lack.
 * @param cure the words of a refusal for a column of another type
 */
export async function prepareRows(
  words: SqlWords,
  connection: SqlConnection,
  tables: readonly RowTable[],
  cure = words.elsewhere,
): Promise<void> {
  const present = await connection.columnTypes()
  const changes: string[] = []
  for (const table of tables) {
    const named = words.table(table.name)
    const columns = table.columns.map(column => {
      const type = words.typeOf(column.spec, column === table.key)
      return { name: column.sqlName, type, sql: `${sqlIdentifier(column.sqlName)} ${type}` }
    })
    const isThere = [...present.keys()].some(column => column.startsWith(`${table.name}.`))
    if (isThere && !present.has(`${table.name}.feed_category`))
      throw foreign(words, 'tables', 'those of feedmill', `another ${named}`)
    if (!isThere) {
      const heads = table.heads.map(name => `${name} ${words.headTypeOf(headType(name))} NOT NULL`)
      const rest = REST_COLUMNS.map(name => `${name} ${words.restType}`)
      const all = [...heads, ...columns.map(({ sql }) => sql), ...rest].join(', ')
      const keys = ['marketplace', 'feed_category', sqlIdentifier(table.key.sqlName)]
      changes.push(`CREATE TABLE ${named} (${all}${words.tableEnd(keys)})`)
      continue
    }
    for (const { name, type, sql } of columns) {
      const known = present.get(`${table.name}.${name}`)
      if (known === undefined) changes.push(`ALTER TABLE ${named} ADD COLUMN ${sql}`)
      else if (normalType(known) !== normalType(type)) {
        const cell = sqlIdentifier(name)
        if (!(await holdsAll(connection, `${cell} FROM ${named}`, known, type)))
          throw foreign(words, `type of the column ${name} of ${table.name}`, known, type, cure)
        changes.push(`ALTER TABLE ${named} ALTER COLUMN ${cell} TYPE ${type}`)
      }
    }
  }
  const view = tables.length > 1 ? words.table('current_items') : undefined
  const hasView = [...present.keys()].some(column => column.startsWith('current_items.'))
  // A view has the columns that its tables had when it was made, and keeps their types.
  if (view !== undefined && (changes.length > 0 || !hasView)) {
    changes.unshift(`DROP VIEW IF EXISTS ${view}`)
    changes.push(words.currentItems)
  }
  for (const sql of changes) await connection.query(sql)
}

/** The catalogue of a database has other spaces, quotes and words for a type than a statement. */
function normalType(type: string): string {
  return type
    .toLowerCase()
    .replace(/ collate .*|["\s]/g, '')
    .replace('timestampwithtimezone', 'timestamptz')
    .replace('numeric', 'decimal')
}

/**
 * Tells whether a column may get the type `type`: every value of its type is one of that type with the
 * same meaning, or every value that is there where a decimal only moves its point.
 * @param column the column and its table in SQL, with FROM between them
 */
async function holdsAll(
  { query }: SqlConnection,
  column: string,
  known: string,
  type: string,
): Promise<boolean> {
  const [narrow, wide] = [known, type].map(normalType) as [string, string]
  if (isWider(wide, narrow)) return true
  const [from, to] = [digitsOf(narrow), digitsOf(wide)]
  if (!(to.scale >= from.scale && to.whole + to.scale >= from.whole + from.scale)) return false
  const limit = `CAST('1${'0'.repeat(to.whole)}' AS ${known})`
  const [unfit] = await query(
    `SELECT 1 FROM (SELECT ${column}) AS t (cell) WHERE cell >= ${limit} OR cell <= -${limit} LIMIT 1`,
  )
  return unfit === undefined
}

function isWider(type: string, known: string): boolean {
  if (type.endsWith('[]') && known.endsWith('[]'))
    return isWider(type.slice(0, -2), known.slice(0, -2))
  if (type === 'decimal') return /^(?:integer|bigint|decimal)/.test(known)
  const [wide, narrow] = [digitsOf(type), digitsOf(known)]
  return wide.whole >= narrow.whole && wide.scale >= narrow.scale
}

/** The most digits of a number before the point and behind it; NaN of other types. */
function digitsOf(type: string): { readonly whole: number; readonly scale: number } {
  const [, digits, scale = 0] = /^decimal\((\d+),(\d+)\)$/.exec(type) ?? []
  const whole = { integer: 10, bigint: 19 }[type] ?? Number(digits) - Number(scale)
  return { whole, scale: Number(scale) }
}

/**
 * Returns the service of the rows, empty where none is written down; undefined where the database has
 * none of the tables.
 * @throws FeedError STATE_FOREIGN where somebody else made one of them, or another format has
 */
export async function knownService(
  words: SqlWords,
  connection: SqlConnection,
): Promise<string | undefined> {
  const present = await connection.columnTypes()
  const marks = [
    'meta.format',
    'meta.service',
    ...OWN_TABLES.slice(0, 3).map(name => `${name}.feed_category`),
  ]
  const known = [...present.keys()]
  const tables = [...OWN_TABLES, 'items', 'item_groups', 'priorities', 'current_items']
  const taken = tables.find(name => known.some(column => column.startsWith(`${name}.`)))
  if (taken === undefined) return undefined
  const hasMeta = marks.slice(0, 2).every(mark => present.has(mark))
  const [meta] = hasMeta
    ? await connection.query(`SELECT format, service FROM ${words.table('meta')}`)
    : []
  if (meta !== undefined && Number(meta.format) !== FORMAT)
    throw foreign(words, 'format', String(FORMAT), String(meta.format))
  if (meta !== undefined && marks.every(mark => present.has(mark)))
    return String(meta.service ?? '')
  throw foreign(words, 'tables', 'those of feedmill', `another ${words.table(taken)}`)
}

export async function categoriesOf(
  words: SqlWords,
  connection: SqlConnection,
): Promise<Category[]> {
  const found = await connection.query(
    `SELECT marketplace, feed_category FROM ${words.table('categories')} ORDER BY 1, 2`,
  )
  return found.map(row => ({
    marketplace: String(row.marketplace),
    categoryId: String(row.feed_category),
  }))
}

/** @throws FeedError STATE_CORRUPT */
export async function readLedger(
  words: SqlWords,
  connection: SqlConnection,
  category: Category,
): Promise<AppliedFile[]> {
  const rows = await connection.query(
    `SELECT * FROM ${words.table('files')} WHERE ${inCategory(category)} ORDER BY sequence`,
  )
  return rows.map(row => appliedFileOf(row as unknown as LedgerRow, words.name))
}

/** @param cure what the caller can do */
function foreign(
  { name: path, elsewhere }: SqlWords,
  what: string,
  expected: string,
  received: string,
  cure = elsewhere,
) {
  const message = `${path}: the ${what} must be ${expected}, not ${received}: ${cure}`
  return new FeedError('STATE_FOREIGN', message, { path, what, expected, received })
}
