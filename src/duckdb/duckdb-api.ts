// The adapter of @duckdb/node-api, an optional package with native code: databases, statements, and
// chunks of rows that DuckDB takes column by column. It turns errors of DuckDB into typed ones. It
// knows neither tables nor rows. It is one piece, because only one file imports the package.

import { realpath, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { DuckDBConnection, DuckDBInstance, DuckDBType } from '@duckdb/node-api'
import { onDisk, stateIo } from '../disk/state-errors'
import { unlessMissing } from '../disk/system-calls'
import { excerpt, FeedError } from '../errors'

/** A column of a chunk, as the bindings of DuckDB know it. */
export type Vector = { readonly __duckdb_type: 'duckdb_vector' }

/**
 * The functions of the bindings that write vectors. The classes of @duckdb/node-api over them cost
 * twice the time: they take each value as an object, and each null as a bigint.
 */
export interface VectorCalls {
  data_chunk_get_vector(chunk: unknown, column: number): Vector
  data_chunk_set_size(chunk: unknown, rows: number): void
  vector_assign_string_element_len(vector: Vector, index: number, utf8: Uint8Array): void
  vector_get_data(vector: Vector, bytes: number): Uint8Array
  vector_ensure_validity_writable(vector: Vector): void
  list_vector_get_child(vector: Vector): Vector
  list_vector_reserve(vector: Vector, items: number): void
  list_vector_set_size(vector: Vector, items: number): void
  struct_vector_get_child(vector: Vector, index: number): Vector
  copy_data_to_vector(
    to: Vector,
    at: number,
    from: ArrayBuffer,
    offset: number,
    bytes: number,
  ): void
  copy_data_to_vector_validity(
    to: Vector,
    at: number,
    from: ArrayBuffer,
    offset: number,
    bytes: number,
  ): void
}

/** Rows of a chunk at most: the size of a vector of DuckDB. */
export const CHUNK_ROWS = 2048

/** The name of the file's database. The database of the instance itself is in memory. */
const CATALOG = 'feedmill_target'
/**
 * A table of items has some 150 physical columns, and each takes a block while rows arrive: with
 * the standard sizes that is more than 128 MiB before the first row is stored.
 */
const NEW_FILE = "BLOCK_SIZE 32768, STORAGE_VERSION 'v1.2.0'"
const ALLOCATOR = 'DUCKDB_JE_MALLOC_CONF'
/** The table function whose rows are those of the INSERT that runs. */
const ROWS = 'feedmill_rows'
/**
 * Rows that DuckDB compresses together. Each row of a group takes memory until the group is written,
 * and each group of a wide table takes some 300 KiB more, which a COMMIT does not free.
 */
export const ROW_GROUP_ROWS = 32_768
/** What DuckDB keeps between two INSERTs. Less than 16 MiB saved no more memory. */
const KEPT_BETWEEN_INSERTS = 16 * 2 ** 20
/** The share of the limit that a load needs. With more, DuckDB keeps blocks that it has written. */
const LOAD_SHARE = 5 / 8
/** The time between two looks at an INSERT, which takes some hundred milliseconds. */
const INSERT_POLL_MS = 10
const ROW_GROUPS = `ROW_GROUP_SIZE ${ROW_GROUP_ROWS}`

export interface ColumnWriter {
  /** Copies the values into the vector and begins anew. */
  flush(calls: VectorCalls, vector: Vector): void
}

/** The rows of one INSERT. */
export interface RowSource {
  readonly types: readonly DuckDBType[]
  /** Gives the next chunk, whose writers are flushed at once. The INSERT ends where it gives none. */
  next(): { readonly writers: readonly ColumnWriter[]; readonly rows: number } | undefined
}

type Api = typeof import('@duckdb/node-api')

/** A call of the bindings that @duckdb/node-api does not offer. */
interface PendingCalls {
  /** Returns the state of a statement that DuckDB's threads run, and runs nothing of it. */
  pending_execute_check_state(pending: unknown): number
}
/** The states of a statement that has ended: its result is ready, or it has failed. */
const ENDED_STATES: readonly number[] = [0, 2]

interface Loaded {
  readonly api: Api
  readonly calls: VectorCalls & PendingCalls
}

/** @throws FeedError DEPENDENCY_MISSING, with the command that installs the package */
async function loadDuckdb(): Promise<Loaded> {
  const context = { package: '@duckdb/node-api', neededFor: 'feedmill/duckdb' }
  const message = `${context.neededFor} needs the package ${context.package}, version 1.5.6 or later: npm install ${context.package}`
  try {
    const api = await withAllocator(() => import('@duckdb/node-api'))
    if (api.DuckDBTableFunction === undefined)
      throw new FeedError('DEPENDENCY_MISSING', message, context)
    // The bindings are a dependency of the package and not of this one.
    const own = createRequire(import.meta.url).resolve('@duckdb/node-api')
    return { api, calls: createRequire(own)('@duckdb/node-bindings') }
  } catch (cause) {
    throw new FeedError('DEPENDENCY_MISSING', message, context, { cause })
  }
}

/**
 * Loads DuckDB with an allocator that gives freed memory back at once. Otherwise it keeps some 50 MiB
 * beyond DuckDB's own limit. It reads its settings only when it is loaded.
 */
async function withAllocator<T>(load: () => Promise<T>): Promise<T> {
  const { env } = process
  if (env[ALLOCATOR] !== undefined) return load()
  env[ALLOCATOR] = 'dirty_decay_ms:0,muzzy_decay_ms:0'
  try {
    return await load()
  } finally {
    delete env[ALLOCATOR]
  }
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
  /** True for tables of many columns, in a new file. */
  readonly isWide?: boolean
}

export class Database {
  readonly path: string
  readonly #place: string
  readonly #instance: DuckDBInstance
  readonly #connection: DuckDBConnection
  readonly #calls: PendingCalls
  readonly #memoryBytes: number
  readonly #threads: number
  /** The rows of the INSERT that runs. */
  #source: RowSource | undefined
  #lastInsert: Promise<void> = Promise.resolve()
  #isClosed = false

  private constructor(
    path: string,
    place: string,
    instance: DuckDBInstance,
    connection: DuckDBConnection,
    calls: PendingCalls,
    { memoryBytes, threads }: DatabaseOptions,
  ) {
    this.path = path
    this.#place = place
    this.#instance = instance
    this.#connection = connection
    this.#calls = calls
    this.#memoryBytes = memoryBytes
    this.#threads = threads
  }

  /**
   * Opens a database for one writer, and makes a missing one.
   * @throws FeedError DEPENDENCY_MISSING, STATE_LOCKED, STATE_IO
   */
  static async open(path: string, options: DatabaseOptions): Promise<Database> {
    const { memoryBytes, threads, isWide = false, isReadOnly = false } = options
    const loaded = await loadDuckdb()
    const place = await onDisk(path, 'open', () => realPlace(resolve(path)))
    if (openPaths.has(place)) throw locked(path, 'this process has it open already')
    openPaths.add(place)
    try {
      const instance = await loaded.api.DuckDBInstance.create(':memory:', {
        memory_limit: `${memoryBytes}B`,
        threads: String(threads),
        preserve_insertion_order: 'false',
        temp_directory: `${place}.tmp`,
        // Nothing is downloaded: the tables need no extension.
        autoinstall_known_extensions: 'false',
      })
      const connection = await instance.connect()
      const isNew = (await unlessMissing(stat(place))) === undefined
      const storage = isReadOnly
        ? '(READ_ONLY)'
        : isWide
          ? `(${isNew ? `${NEW_FILE}, ` : ''}${ROW_GROUPS})`
          : ''
      await connection.run(`ATTACH ${sqlText(place)} AS ${CATALOG} ${storage}; USE ${CATALOG}`)
      const database = new Database(path, place, instance, connection, loaded.calls, options)
      if (!isReadOnly) database.#registerRows(loaded)
      return database
    } catch (cause) {
      openPaths.delete(place)
      const text = messageOf(cause)
      if (/lock on file/i.test(text)) throw locked(path, /PID \d+/.exec(text)?.[0], cause)
      throw stateIo(path, 'open', excerpt(text, 200), cause)
    }
  }

  /** Runs statements. @throws FeedError STATE_IO */
  async run(sql: string): Promise<void> {
    await this.#guarded(() => this.#connection.run(sql))
  }

  /**
   * Gives DuckDB its whole limit after a load, and the memory that it has freed back to the system,
   * some 40 MiB. DuckDB does the latter where its limit is set, even to the same value.
   * @throws FeedError STATE_IO
   */
  endLoad(): Promise<void> {
    return this.run(setLimit(this.#memoryBytes))
  }

  /**
   * Drops the written blocks that DuckDB keeps, up to its limit, although a load does not read them
   * again, and gives their memory back. The first limit holds for this moment only, and the second
   * until {@link endLoad}. DuckDB refuses a limit below what it needs, after it has dropped what it
   * could.
   */
  async #dropWritten(): Promise<void> {
    for (const bytes of [KEPT_BETWEEN_INSERTS, Math.floor(this.#memoryBytes * LOAD_SHARE)])
      await this.#connection.run(setLimit(bytes)).catch(() => {})
  }

  /** Runs one query and returns its rows. Times are milliseconds. @throws FeedError STATE_IO */
  rows<R>(sql: string): Promise<R[]> {
    return this.#guarded(
      async () => (await this.#connection.runAndReadAll(sql)).getRowObjectsJS() as R[],
    )
  }

  /** Stops the statement that runs, which then fails. */
  interrupt(): void {
    if (!this.#isClosed) this.#connection.interrupt()
  }

  /** Returns the types of a table's columns. @throws FeedError STATE_IO */
  columnTypes(table: string): Promise<readonly DuckDBType[]> {
    return this.#guarded(async () => {
      const result = await this.#connection.run(`SELECT * FROM ${sqlName(table)} LIMIT 0`)
      return result.columnTypes()
    })
  }

  /**
   * Inserts rows, in the transaction that is open, on a thread of DuckDB, which asks this thread for
   * each chunk. Of several calls one runs after the other.
   * @throws FeedError STATE_IO
   */
  insert(table: string, source: RowSource): Promise<void> {
    const inserted = this.#lastInsert.then(async () => {
      this.#source = source
      try {
        await this.#guarded(() => this.#runInsert(`INSERT INTO ${table} SELECT * FROM ${ROWS}()`))
        await this.#dropWritten()
      } finally {
        this.#source = undefined
      }
    })
    this.#lastInsert = inserted.catch(() => {})
    return inserted
  }

  /**
   * Lets a thread of DuckDB run an INSERT alone. Otherwise the threads of Node's pool take turns, and
   * the allocator keeps some 5 MiB for each thread that has compressed a row group.
   */
  async #runInsert(sql: string): Promise<void> {
    // The thread that waits counts as one of DuckDB's threads, so there may be no other.
    if (this.#threads === 1) {
      await this.#connection.run(sql)
      return
    }
    const pending = await this.#connection.start(sql)
    const { pending_result } = pending as unknown as { readonly pending_result: unknown }
    while (!ENDED_STATES.includes(this.#calls.pending_execute_check_state(pending_result)))
      await sleep(INSERT_POLL_MS)
    await pending.getResult()
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#connection.closeSync()
    this.#instance.closeSync()
    openPaths.delete(this.#place)
  }

  /** Makes the table function of the rows, which no transaction rolls back. */
  #registerRows({ api, calls }: Loaded): void {
    this.#connection.registerTableFunction(
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
          const { writers = [], rows = 0 } = this.#source?.next() ?? {}
          calls.data_chunk_set_size(chunk, rows)
          writers.forEach((writer, n) => {
            writer.flush(calls, calls.data_chunk_get_vector(chunk, n))
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
      throw stateIo(this.path, 'statement', excerpt(messageOf(cause), 300), cause)
    }
  }
}

function setLimit(bytes: number): string {
  return `SET memory_limit = '${bytes}B'`
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause)
}

function locked(path: string, holder: string | undefined, cause?: unknown) {
  const by = holder === undefined ? '' : ` (${holder})`
  const message = `${path} is open in another writer${by}: a DuckDB file has one at a time; wait until it ends, or close it`
  return new FeedError('STATE_LOCKED', message, { path }, { cause })
}

/** A text as a literal of SQL. */
export function sqlText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

/** A name as an identifier of SQL. */
export function sqlName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** Returns a path without symbolic links. The file may be missing, its folder may not. */
async function realPlace(path: string): Promise<string> {
  return (
    (await unlessMissing(realpath(path))) ?? join(await realpath(dirname(path)), basename(path))
  )
}
