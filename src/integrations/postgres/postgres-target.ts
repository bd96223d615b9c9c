// PostgreSQL as a target of `sync`: its options, and what a run opens.

import {
  closing,
  is,
  type OptionTable,
  orUndo,
  type RetryOptions,
  readOptions,
  retryPolicy,
} from '../../engine/index'
import {
  type Category,
  dropSqlCategory,
  openSqlTarget,
  type SqlConnection,
  type SyncTarget,
  sqlContents,
} from '../../sync/index'
import { addressOf, type PostgresConnectionInput } from './address'
import { LIMITS, type PostgresLimits } from './pg-adapter'
import { postgresStore, postgresWords, sqlConnection } from './postgres-store'
import { PostgresSession } from './session'
import { TargetNames } from './sql-names'

/** Times are in milliseconds. */
export interface PostgresTargetOptions extends Partial<PostgresLimits> {
  /**
   * The schema of the tables, which is made where it is missing. Default: the parameter `schema` of
   * the address, or `feedmill`.
   */
  readonly schema?: string
  /**
   * What the names of all tables begin with, at most 20 bytes. Default: the parameter `prefix` of
   * the address, or nothing.
   */
  readonly prefix?: string
  /** When lost work is done again. Default: the defaults of each option. */
  readonly retry?: RetryOptions
}

const OPTIONS = {
  schema: is.any,
  prefix: is.any,
  ...LIMITS,
  retry: retryPolicy,
} satisfies OptionTable<PostgresTargetOptions>

/**
 * Makes a target of `sync` over a database of PostgreSQL 13 or later with the encoding UTF8, which
 * needs the packages pg and pg-copy-streams. The run makes the tables, and adds the columns that
 * they lack.
 *
 * The tables `items`, `item_groups` and `priorities` have a column for each column of the feeds
 * (`price_value` for `priceValue`), with its type, and the rows that are not removed; the view
 * `current_items` has each item with its group, its priority and where it ships. A feed of one's own
 * has a table of its name. A cell that is no value of its column is NULL, and the column `invalid` has
 * its text; the column `other` has the cells of columns that the schema does not know. PostgreSQL has
 * no NUL in text: U+FFFD stands in its place.
 *
 * The rows of a file and its entry in the table `files` are one transaction. Where the connection
 * is lost, the run connects again and does the file again, for `retry.patienceMs` in all.
 * @param connection a URL, or its parts; PGPASSWORD or PGPASSFILE has the password
 * @throws FeedError OPTION_INVALID; the run fails with DEPENDENCY_MISSING, STATE_IO, STATE_LOCKED,
 * STATE_FOREIGN, STATE_CORRUPT
 * @example
 * ```ts
 * import { postgresTarget } from 'feedmill/postgres'
 *
 * const target = postgresTarget('postgres://shop@db.example/shop', { schema: 'feeds' })
 * console.log(target.name)
 * // => postgres://shop@db.example/shop?schema=feeds
 * ```
 */
export function postgresTarget(
  connection: PostgresConnectionInput,
  options: PostgresTargetOptions = {},
): SyncTarget {
  const settings = settingsOf(connection, options)
  const { address, names, words } = settings
  return {
    name: address.name,
    open: ({ origin, signal }) => {
      const session = new PostgresSession({ ...settings, signal })
      return orUndo(
        () => openSqlTarget(words, postgresStore(session, names, words), origin),
        () => session.close(),
      )
    },
    contents: () => inSession(settings, sql => sqlContents(words, sql)),
  }
}

/**
 * Removes a category with its ledger, in one transaction. The next run fetches it anew.
 * @throws FeedError OPTION_INVALID, DEPENDENCY_MISSING, STATE_IO, STATE_MISSING, STATE_FOREIGN, STATE_CORRUPT; STATE_LOCKED while a
 * run writes the category
 */
export async function dropCategory(
  connection: PostgresConnectionInput,
  category: Category,
  options: PostgresTargetOptions = {},
): Promise<void> {
  const settings = settingsOf(connection, options)
  const { names, words } = settings
  const marketplace = is.filledText(
    'category.marketplace',
    is.anObject('category', category).marketplace,
  )
  const categoryId = is.filledText('category.categoryId', category.categoryId)
  const checked = { marketplace, categoryId }
  await inSession(settings, sql => sqlContents(words, sql))
  const { signal } = new AbortController()
  await closing(new PostgresSession({ ...settings, signal }), async session => {
    const right = await postgresStore(session, names, words).claim(checked, async () => {})
    await right.write(sql => dropSqlCategory(words, sql, checked))
  })
}

/** Works in a session of its own, which ends with the work. */
function inSession<T>(
  settings: Settings,
  work: (connection: SqlConnection) => Promise<T>,
): Promise<T> {
  const { names, words } = settings
  const { signal } = new AbortController()
  return closing(new PostgresSession({ ...settings, signal }), session =>
    session.run(pg => work(sqlConnection(pg, names, words))),
  )
}

type Settings = ReturnType<typeof settingsOf>

function settingsOf(connection: PostgresConnectionInput, options: PostgresTargetOptions) {
  const address = addressOf(connection)
  const {
    schema = address.tables.schema ?? 'feedmill',
    prefix = address.tables.prefix ?? '',
    retry,
    ...limits
  } = readOptions(options, OPTIONS)
  const name = placeOf(address.name, { schema, prefix })
  const names = new TargetNames(schema, prefix)
  return {
    address: { ...address, name },
    names,
    words: postgresWords(names, name),
    limits,
    retry,
  }
}

/** The name of a target says which tables it has, where they are not those of an address alone. */
function placeOf(address: string, tables: { schema: string; prefix: string }): string {
  const { schema, prefix } = tables
  const parameters = new URLSearchParams({
    ...(schema !== 'feedmill' && { schema }),
    ...(prefix !== '' && { prefix }),
  })
  return parameters.size === 0 ? address : `${address}?${parameters}`
}
