// DuckDB as the store of a target: what is its own beside the tables, the ledger and the merge of all
// databases in SQL. One process has the file, so the right to write needs no lock.

import { orUndo, Semaphore, sqlIdentifier } from '../../engine/index'
import {
  type SqlConnection,
  type SqlRow,
  type SqlStore,
  type SqlWords,
  sqlText,
  waitingTable,
} from '../../sync/index'
import { OTHER_CELLS_SQL, targetTypeOf } from './column-types'
import { CURRENT_ITEMS } from './current-items'
import { CATALOG, type Database } from './database'
import { TypedRows } from './typed-rows'
import { WaitingHeads } from './waiting-heads'

const HEAD_TYPES: Readonly<Record<string, string>> = { name: 'VARCHAR', time: 'TIMESTAMPTZ' }

export function duckdbWords(path: string): SqlWords {
  return {
    name: path,
    rowId: 'rowid',
    rowIdType: 'BIGINT',
    table: sqlIdentifier,
    temporary: sqlIdentifier,
    typeOf: targetTypeOf,
    headTypeOf: type => HEAD_TYPES[type] ?? type.toUpperCase(),
    restType: OTHER_CELLS_SQL,
    // An index of the keys would be in memory as a whole.
    tableEnd: () => '',
    currentItems: CURRENT_ITEMS,
    elsewhere: 'use another file',
  }
}

export function duckdbConnection(database: Database): SqlConnection {
  const words = duckdbWords(database.path)
  return {
    query: sql => database.rows<SqlRow>(sql),
    async columnTypes() {
      const found = await database.rows<{ name: string; type: string }>(
        `SELECT lower(table_name || '.' || column_name) AS name, data_type AS type FROM duckdb_columns()
         WHERE database_name = ${sqlText(CATALOG)} AND schema_name = 'main' AND NOT internal`,
      )
      return new Map(found.map(({ name, type }) => [name, type]))
    },
    waiting: table => WaitingHeads.open(database, words, table),
    async rows(table, category) {
      // What has waited is judged, and its memory is that of the rows now.
      await database.run(`DROP TABLE IF EXISTS ${waitingTable(words, table)}`)
      return new TypedRows(database, table, category)
    },
  }
}

export function duckdbStore(database: Database, signal: AbortSignal): SqlStore {
  const stop = () => database.interrupt()
  signal.addEventListener('abort', stop)
  /** One connection has one transaction. */
  const turns = new Semaphore(1)
  const connection = duckdbConnection(database)
  const inTransaction = <T>(work: (sql: SqlConnection) => Promise<T>) =>
    turns.run(signal, async () => {
      await database.run('BEGIN')
      const committed = async () => {
        const result = await work(connection)
        signal.throwIfAborted()
        await database.run('COMMIT')
        return result
      }
      try {
        // A failed COMMIT has ended the transaction.
        return await orUndo(committed, () => database.run('ROLLBACK').catch(() => {}))
      } catch (error) {
        // An interrupted statement fails with an error of DuckDB.
        signal.throwIfAborted()
        throw error
      }
    })
  const read = <T>(work: (sql: SqlConnection) => Promise<T>) =>
    turns.run(signal, () => work(connection))
  return {
    prepare: inTransaction,
    async claim({ marketplace, categoryId }, onConnected) {
      const place = `${sqlText(marketplace)}, ${sqlText(categoryId)}`
      await inTransaction(async ({ query }) => {
        await query(
          `INSERT OR IGNORE INTO categories (marketplace, feed_category, writer) VALUES (${place}, 1)`,
        )
      })
      await read(onConnected)
      return { read, write: inTransaction }
    },
    async close() {
      // The work that was asked for before is over.
      await turns.acquire()
      signal.removeEventListener('abort', stop)
      await database.close()
    },
  }
}
