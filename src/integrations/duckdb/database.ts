// A DuckDB file: statements, chunks of rows that DuckDB takes column by column, and the folder of its
// temporary files. It turns errors of DuckDB into typed ones, and knows neither tables nor rows.

import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { FeedError, missingState, onDisk, unlessMissing, withoutLinks } from '../../engine/index'
import { sqlText } from '../../sync/index'
import {
  type Api,
  type Calls,
  type DuckDBConnection,
  type DuckDBInstance,
  type DuckDBType,
  loadDuckdb,
  runOnThreads,
} from './bindings'
import { type ColumnPart, fillVector } from './column-vectors'
import { locked, openingFailed, statementFailed } from './duckdb-errors'

/** Rows of a chunk at most: the size of a vector of DuckDB. */
export const CHUNK_ROWS = 2048

/**
 * The limit of DuckDB's own memory with which it merges tables of the width of items without
 * temporary files, and the least with which it does not fail.
 */
export const MEMORY_BYTES = 160 * 2 ** 20
export const LEAST_BYTES = 64 * 2 ** 20
export const THREADS = 2

/** The name of the file's database. The database of the instance itself is in memory. */
export const CATALOG = 'feedmill_target'
/**
 * A table of items has some 150 physical columns, and each takes a block while rows arrive: with
 * the standard size of 256 KiB the least limit is not enough for them.
 */
const NEW_FILE = "BLOCK_SIZE 65536, STORAGE_VERSION 'v1.2.0'"
/** The table function whose rows are those of the INSERT that runs. */
const ROWS = 'feedmill_rows'
/**
 * Rows that DuckDB compresses together. Each row of a group takes memory until the group is
 * written, and each checkpoint compresses the last group anew; but each group of a wide table takes
 * memory for its segments, which a COMMIT does not free.
 */
export const ROW_GROUP_ROWS = 16_384
/**
 * The share of the limit that the log of committed rows may take before a checkpoint. The rows of
 * the log are in memory too, and a checkpoint without temporary files needs several times as much.
 */
const LOG_SHARE = 0.15
const ROW_GROUPS = `ROW_GROUP_SIZE ${ROW_GROUP_ROWS}`

/** Rows of a chunk: parts of its columns. */
export interface Chunk {
  readonly columns: readonly (readonly ColumnPart[])[]
  readonly rows: number
}

/** The rows of one INSERT. */
export interface RowSource {
  readonly types: readonly DuckDBType[]
  /** Gives the next chunk, which is copied at once. The INSERT ends where it gives none. */
  next(): Chunk | undefined
}

interface Opened {
  /** The path without symbolic links. */
  readonly place: string
  /** The folder of the temporary files of a writer. */
  readonly temporary: string | undefined
  readonly instance: DuckDBInstance
  readonly connection: DuckDBConnection
  readonly calls: Calls
  readonly threads: number
}

/**
 * The databases that this process has open. DuckDB locks a file against other processes only.
 */
const openPaths = new Set<string>()

export interface DatabaseOptions {
  /** Limit of DuckDB's own memory in bytes. */
  readonly memoryBytes: number
  readonly threads: number
  /** True for a reader, which makes no file. */
  readonly isReadOnly?: boolean
}

export class Database {
  readonly path: string
  readonly #opened: Opened
  /** The rows of the INSERT that runs. */
  #source: RowSource | undefined
  #lastInsert: Promise<void> = Promise.resolve()
  #isClosed = false

  private constructor(path: string, opened: Opened) {
    this.path = path
    this.#opened = opened
  }

  /**
   * Opens a database for one writer, and makes a missing one.
   * @throws FeedError DEPENDENCY_MISSING, STATE_LOCKED, STATE_FOREIGN, STATE_IO
   */
  static async open(path: string, options: DatabaseOptions): Promise<Database> {
    const { memoryBytes, threads, isReadOnly = false } = options
    const { api, calls } = await loadDuckdb()
    const place = await onDisk(path, 'open', async () => withoutLinks(path))
    if (openPaths.has(place)) throw locked(path, 'this process has it open already')
    openPaths.add(place)
    let temporary: string | undefined
    let instance: DuckDBInstance | undefined
    let isNew = false
    try {
      temporary = isReadOnly ? undefined : await mkdtemp(prefixOf(place))
      instance = await api.DuckDBInstance.create(':memory:', {
        memory_limit: `${memoryBytes}B`,
        threads: String(threads),
        preserve_insertion_order: 'false',
        checkpoint_threshold: `${Math.floor(memoryBytes * LOG_SHARE)}B`,
        // It saves no room beside the dictionary, and costs time with each checkpoint.
        disabled_compression_methods: 'fsst',
        temp_directory: temporary ?? `${place}.tmp`,
        // Nothing is downloaded: the tables need no extension.
        autoinstall_known_extensions: 'false',
      })
      const connection = await instance.connect()
      isNew = (await unlessMissing(stat(place))) === undefined
      if (isNew && isReadOnly) throw missingState(path)
      const storage = isReadOnly ? 'READ_ONLY' : `${isNew ? `${NEW_FILE}, ` : ''}${ROW_GROUPS}`
      await connection.run(
        `ATTACH ${sqlText(place)} AS ${CATALOG} (TYPE duckdb, ${storage}); USE ${CATALOG}; SET TimeZone = 'UTC'`,
      )
      if (temporary !== undefined) await removeLeftFolders(place, temporary)
      const opened = { place, temporary, instance, connection, calls, threads }
      const database = new Database(path, opened)
      if (!isReadOnly) database.#registerRows(api)
      return database
    } catch (cause) {
      instance?.closeSync()
      openPaths.delete(place)
      if (temporary !== undefined) await removeFolder(temporary)
      const error = openingFailed(path, cause)
      // A file in the making is locked, and belongs to its writer.
      if (error.code === 'STATE_LOCKED' || !(await isUnbegun(place))) throw error
      if (isReadOnly) throw missingState(path, error)
      await rm(place, { force: true })
      if (isNew) throw error
      return Database.open(path, options)
    }
  }

  /** Runs statements. @throws FeedError STATE_IO */
  async run(sql: string): Promise<void> {
    await this.#guarded(() => this.#opened.connection.run(sql))
  }

  /** Runs one query and returns its rows. Times are milliseconds. @throws FeedError STATE_IO */
  rows<R>(sql: string): Promise<R[]> {
    return this.#guarded(async () => {
      const reader = await this.#opened.connection.runAndReadAll(sql)
      return reader.getRowObjectsJS() as R[]
    })
  }

  /** Stops the statement that runs, which then fails. */
  interrupt(): void {
    if (!this.#isClosed) this.#opened.connection.interrupt()
  }

  /** Returns the types of the columns of a query. @throws FeedError STATE_IO */
  columnTypes(query: string): Promise<readonly DuckDBType[]> {
    return this.#guarded(async () => (await this.#opened.connection.run(query)).columnTypes())
  }

  /**
   * Inserts rows, in the transaction that is open, on a thread of DuckDB, which asks this thread
   * for each chunk. Of several calls one runs after the other.
   * @param target the table in SQL, with the columns that get values
   * @param values what a row has in these columns, in SQL: `*` is what the source gives
   * @throws FeedError STATE_IO
   */
  insert(target: string, source: RowSource, values = '*'): Promise<void> {
    const inserted = this.#lastInsert.then(async () => {
      this.#source = source
      try {
        await this.#guarded(() =>
          this.#runInsert(`INSERT INTO ${target} SELECT ${values} FROM ${ROWS}()`),
        )
      } finally {
        this.#source = undefined
      }
    })
    this.#lastInsert = inserted.catch(() => {})
    return inserted
  }

  /**
   * Lets a thread of DuckDB run an INSERT alone. Otherwise the threads of Node's pool take turns,
   * and the allocator keeps some 5 MiB for each thread that has compressed a row group.
   */
  async #runInsert(sql: string): Promise<void> {
    const { connection, calls, threads } = this.#opened
    // The thread that waits counts as one of DuckDB's threads, so there may be no other.
    if (threads === 1) {
      await connection.run(sql)
      return
    }
    const failure = await runOnThreads(connection, calls, sql)
    if (failure !== undefined) throw statementFailed(this.path, failure)
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    const { place, temporary, instance, connection } = this.#opened
    connection.closeSync()
    instance.closeSync()
    openPaths.delete(place)
    if (temporary !== undefined) await removeFolder(temporary)
  }

  /** Makes the table function of the rows, which no transaction rolls back. */
  #registerRows(api: Api): void {
    const { connection, calls } = this.#opened
    connection.registerTableFunction(
      api.DuckDBTableFunction.create({
        name: ROWS,
        bindFunction: info => {
          this.#source?.types.forEach((type, n) => {
            info.addResultColumn(`column${n}`, type)
          })
        },
        // Two threads would share the rows, and none would have a whole row group.
        initFunction: info => info.setMaxThreads(1),
        mainFunction: (_, { chunk }) => {
          const { columns = [], rows = 0 } = this.#source?.next() ?? {}
          calls.data_chunk_set_size(chunk, rows)
          columns.forEach((parts, n) => {
            fillVector(calls, calls.data_chunk_get_vector(chunk, n), parts)
          })
        },
      }),
    )
  }

  async #guarded<T>(action: () => Promise<T>): Promise<T> {
    try {
      return await action()
    } catch (cause) {
      if (FeedError.is(cause)) throw cause
      throw statementFailed(this.path, cause)
    }
  }
}

/** DuckDB writes three headers before anything else: where one is missing, nothing was ever there. */
const HEADERS_BYTES = 3 * 4096

/** Tells whether a file is missing, or what a kill or a full disk left of its headers. */
async function isUnbegun(place: string): Promise<boolean> {
  const { size } = (await unlessMissing(stat(place))) ?? { size: 0 }
  if (size === 0) return true
  if (size >= HEADERS_BYTES) return false
  const bytes = await readFile(place)
  return bytes.toString('latin1', 8, 12) === 'DUCK' || bytes.every(byte => byte === 0)
}

// The folder beside a database file to which DuckDB writes what its memory does not hold. Each writer
// has one of a new name, because DuckDB fails where a file of a dead process has the name of its own.

/** What `mkdtemp` adds to a name. */
const RANDOM_LENGTH = 6

/** Removes the folders of dead writers. The caller has the lock of the database. */
async function removeLeftFolders(place: string, own: string): Promise<void> {
  const prefix = basename(prefixOf(place))
  for (const name of await readdir(dirname(place))) {
    const isTemporary = name.startsWith(prefix) && name.length === prefix.length + RANDOM_LENGTH
    if (isTemporary && name !== basename(own)) await removeFolder(join(dirname(place), name))
  }
}

function removeFolder(path: string): Promise<void> {
  return rm(path, { recursive: true, force: true })
}

function prefixOf(place: string): string {
  return `${place}.tmp-`
}
