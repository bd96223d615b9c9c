// PostgreSQL as the store of a target: what is its own beside the tables, the ledger and the merge of
// all databases in SQL. Rows come by COPY, the right to write a category is a lock of the connection,
// and work that a lost connection has interrupted is done again.

import { sqlIdentifier } from '../../engine/index'
import {
  type SqlCategory,
  type SqlConnection,
  type SqlStore,
  type SqlWords,
  waitingColumns,
  waitingTable,
} from '../../sync/index'
import { categoryLock } from './category-lock'
import { currentItems } from './current-items'
import type { PgConnection } from './pg-adapter'
import type { PgWork, PostgresSession } from './session'
import { columnFault, type TargetNames } from './sql-names'
import { sqlTypeOf } from './sql-types'
import { newHeadsCopy, newRowsCopy } from './target-copy'

/** A row of an index of PostgreSQL has at most 2,704 bytes. Longer keys make bad rows. */
const MAX_KEY_BYTES = 2_000
/** Names are compared by their bytes, as keys are everywhere else. */
const NAME = 'text COLLATE "C"'

export function postgresWords(names: TargetNames, place: string): SqlWords {
  return {
    name: place,
    nameFault: columnFault,
    tableFault: name => names.tableFault(name),
    rowId: 'ctid',
    rowIdType: 'tid',
    table: name => names.table(name),
    temporary: name => `pg_temp.${sqlIdentifier(name)}`,
    typeOf: (spec, isKey) => `${sqlTypeOf(spec)}${isKey ? ' COLLATE "C" NOT NULL' : ''}`,
    headTypeOf: type => (type === 'name' ? NAME : type === 'time' ? 'timestamptz' : type),
    restType: 'jsonb',
    tableEnd: columns => `, PRIMARY KEY (${columns.join(', ')})`,
    currentItems: currentItems(names),
    maxKeyBytes: MAX_KEY_BYTES,
    elsewhere: 'choose another schema or prefix',
  }
}

export function postgresStore(
  session: PostgresSession,
  names: TargetNames,
  words: SqlWords,
): SqlStore {
  const asSql = (pg: PgConnection) => sqlConnection(pg, names, words)
  return {
    prepare: work =>
      session.run(pg =>
        pg.inTransaction(async () => {
          await pg.query('SELECT pg_advisory_xact_lock($1::bigint)', [names.lockKey()])
          const [schema] = await pg.query('SELECT 1 FROM pg_namespace WHERE nspname = $1', [
            names.schema,
          ])
          // A user that may not make schemas may write into one that is there.
          if (schema === undefined) await pg.query(`CREATE SCHEMA ${sqlIdentifier(names.schema)}`)
          return work(asSql(pg))
        }),
      ),
    async claim(category, onConnected): Promise<SqlCategory> {
      const lock = categoryLock(names, words.name, category)
      const connect: PgWork = async pg => {
        await lock.take(pg)
        await onConnected(asSql(pg))
      }
      await session.run(connect)
      session.onConnect(connect)
      return {
        read: work => session.run(pg => work(asSql(pg))),
        write: work =>
          session.run(pg => {
            const proved = async () => {
              await lock.prove(pg)
              return work(asSql(pg))
            }
            return pg.inTransaction(proved, 'REPEATABLE READ')
          }),
      }
    },
    close: () => session.close(),
  }
}

export function sqlConnection(
  pg: PgConnection,
  names: TargetNames,
  words: SqlWords,
): SqlConnection {
  return {
    query: sql => pg.query(sql),
    async columnTypes() {
      const found = await pg.query(
        `SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod) AS type
         FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
           JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
         WHERE n.nspname = $1 AND c.relkind IN ('r', 'p', 'v', 'm', 'f')`,
        [names.schema],
      )
      return new Map(
        found.flatMap(({ relname, attname, type }) => {
          const table = names.ownName(String(relname))
          return table === undefined ? [] : [[`${table}.${attname}`, String(type)] as const]
        }),
      )
    },
    async waiting(table) {
      const columns = waitingColumns(table).map(
        ([name, type]) => `${name} ${words.headTypeOf(type)}`,
      )
      // It is made once for a connection, and each commit empties it, so that the catalogue of the
      // server does not grow with the number of files.
      await pg.query(
        `CREATE TEMPORARY TABLE IF NOT EXISTS ${sqlIdentifier(`feedmill_${table.name}`)}
         (${columns.join(', ')}) ON COMMIT DELETE ROWS`,
      )
      await pg.query(`DELETE FROM ${waitingTable(words, table)}`)
      // The server would compile the expressions of the merge, which takes longer than to run them.
      await pg.query('SET LOCAL jit = off')
      const copy = newHeadsCopy(pg, words, table)
      return {
        ...copy,
        async close() {
          await copy.close()
          await pg.query(`ANALYZE ${waitingTable(words, table)} (key)`)
          await analyzeNew(pg, [names.table(table.name), names.table('removals')])
        },
      }
    },
    rows: async (table, category) => newRowsCopy(pg, words, table, category),
  }
}

/**
 * Counts tables that the server has not counted yet. It takes them for empty, and would compare each
 * of their rows with each that arrives.
 */
async function analyzeNew(pg: PgConnection, tables: readonly string[]): Promise<void> {
  const found = await pg.query(
    'SELECT oid::regclass AS name FROM pg_class WHERE oid = ANY($1::regclass[]) AND reltuples <= 0',
    [tables],
  )
  // A number of rows needs no large sample.
  await pg.query('SET LOCAL default_statistics_target = 1')
  for (const { name } of found) await pg.query(`ANALYZE ${name}`)
  await pg.query('SET LOCAL default_statistics_target = DEFAULT')
}
