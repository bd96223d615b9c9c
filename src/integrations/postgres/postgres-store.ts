// PostgreSQL as the store of a target: what is its own beside the tables, the ledger and the merge of
// all databases in SQL. Rows come by COPY into a temporary table, the right to write a category is a
// lock of the connection, and work that a lost connection has interrupted is done again.

import { orUndo, sqlIdentifier } from '../../engine/index'
import type {
  Category,
  LoadedFile,
  RowTable,
  SqlCategory,
  SqlConnection,
  SqlStore,
  SqlWords,
  TargetFile,
} from '../../sync/index'
import { waitingTable } from '../../sync/index'
import { categoryLock } from './category-lock'
import { targetRows } from './copy-rows'
import { currentItems } from './current-items'
import { hasState, type PgConnection } from './pg-adapter'
import type { PgWork, PostgresSession } from './session'
import { columnFault, type TargetNames } from './sql-names'
import { sqlTypeOf } from './sql-types'
import { CopyHeads, TableCopy } from './table-copy'

/** A row of an index of PostgreSQL has at most 2,704 bytes. Longer keys make bad rows. */
const MAX_KEY_BYTES = 2_000
const UNIQUE_VIOLATION = '23505'
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
    arriveInPlace: false,
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
    async load(table, category, files, sequence) {
      const waiting = waitingTable(words, table)
      // It is made once for a connection, and each commit empties it, so that the catalogue of the
      // server does not grow with the number of files.
      await pg.query(
        `CREATE TEMPORARY TABLE IF NOT EXISTS ${sqlIdentifier(`feedmill_${table.name}`)}
         (LIKE ${names.table(table.name)}, removed boolean) ON COMMIT DELETE ROWS`,
      )
      await pg.query(`DELETE FROM ${waiting}`)
      const loaded: LoadedFile[] = []
      for (const [n, file] of files.entries())
        loaded.push(
          (await copyFile(pg, { table, into: waiting, category, file, sequence: sequence + n }))!,
        )
      await pg.query(`ANALYZE ${waiting} (${sqlIdentifier(table.key.sqlName)})`)
      await analyzeNew(pg, [names.table(table.name), names.table('removals')])
      return loaded
    },
    async fill(table, category, file, sequence) {
      await pg.query('SAVEPOINT filling')
      const into = names.table(table.name)
      try {
        const filled = await copyFile(pg, { table, into, category, file, sequence, isFilled: true })
        if (filled !== undefined) return filled
      } catch (error) {
        if (!hasState(error, UNIQUE_VIOLATION)) throw error
      }
      await pg.query('ROLLBACK TO SAVEPOINT filling')
      return undefined
    },
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

interface FileCopy {
  readonly table: RowTable
  /** The name in SQL of the table that gets the rows. */
  readonly into: string
  readonly category: Category
  readonly file: TargetFile
  readonly sequence: number
  /** True where removals have no place. */
  readonly isFilled?: boolean
}

/** Returns undefined where a removal has no place. */
async function copyFile(
  pg: PgConnection,
  { table, into, category, file, sequence, isFilled = false }: FileCopy,
): Promise<LoadedFile | undefined> {
  const heads = new CopyHeads(table, category, sequence, file.id, isFilled)
  const copy = new TableCopy(pg, {
    table: into,
    rowsOf: header => targetRows(header, table.columns, heads),
  })
  const loaded = { rows: 0, removals: 0, refused: 0 }
  const copyAll = async () => {
    for await (const all of file.rows()) {
      const rows = all.select(n => isShortKey(all.key(n)))
      for (let n = 0; n < rows.length; n++) if (rows.isRemoval(n)) loaded.removals++
      if (isFilled && loaded.removals > 0) break
      heads.rows = rows
      await copy.writeBatch(rows.batch)
      loaded.rows += rows.length
      loaded.refused += all.length - rows.length
    }
    await copy.end()
  }
  await orUndo(copyAll, () => copy.abort())
  if (isFilled && loaded.removals > 0) return undefined
  return { ...loaded, rows: loaded.rows - loaded.removals }
}

function isShortKey(key: string): boolean {
  return key.length * 3 <= MAX_KEY_BYTES || Buffer.byteLength(key) <= MAX_KEY_BYTES
}
