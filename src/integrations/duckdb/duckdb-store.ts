// DuckDB as the store of a target: what is its own beside the tables, the ledger and the merge of all
// databases in SQL. Rows arrive in their table itself, so that wide rows are written once, and
// removals in a temporary table. One process has the file, so the right to write needs no lock.

import { columnData, orUndo, Semaphore, sqlIdentifier } from '../../engine/index'
import {
  fileRankOf,
  type LoadedFile,
  type SqlConnection,
  type SqlRow,
  type SqlStore,
  type SqlWords,
  sqlText,
  type TargetFile,
  waitingTable,
} from '../../sync/index'
import { ChunkInserter } from './chunk-inserter'
import { OTHER_CELLS_SQL, targetTypeOf } from './column-types'
import { CURRENT_ITEMS } from './current-items'
import { CATALOG, type Database } from './database'
import { headColumns, headVectors, TypedRows } from './typed-rows'

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
    arriveInPlace: true,
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
    async load(table, category, files, sequence) {
      const heads = headVectors(table).filter(([name]) => name !== 'checksum')
      const columns = [['key', 'VARCHAR'] as const, ...heads]
      const waiting = waitingTable(words, table)
      await database.run(
        `CREATE OR REPLACE TEMP TABLE ${waiting} (${columns.map(column => column.join(' ')).join(', ')})`,
      )
      const rows = new TypedRows(database, table, category)
      const removals = await ChunkInserter.open(database, waiting, columns)
      try {
        const loaded: LoadedFile[] = []
        for (const [n, file] of files.entries())
          loaded.push(await loadFile(file, sequence + n, rows, removals))
        await rows.close()
        await removals.close()
        return loaded
      } finally {
        await rows.settled()
        await removals.settled()
      }
    },
  }
}

async function loadFile(
  file: TargetFile,
  sequence: number,
  rows: TypedRows,
  removals: ChunkInserter,
): Promise<LoadedFile> {
  const loaded = { rows: 0, removals: 0, refused: 0 }
  const place = { sequence, rank: fileRankOf(file.id) }
  rows.begin(sequence, file.id)
  for await (const arrived of file.rows()) {
    const kept = arrived.select(n => !arrived.isRemoval(n))
    await rows.add(kept)
    loaded.rows += kept.length
    if (kept === arrived) continue
    const removed = arrived.select(n => arrived.isRemoval(n))
    const keys = Array.from({ length: removed.length }, (_, n) => removed.key(n))
    const [at, timeMs, generatedMs, , ...rest] = headColumns(removed, place)
    const key = columnData({ kind: 'utf8' }, keys)
    await removals.add([key, at!, timeMs!, generatedMs!, ...rest], removed.length)
    loaded.removals += removed.length
  }
  return loaded
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
