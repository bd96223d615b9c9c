// The adapter of @duckdb/node-api, an optional package with native code: databases, statements, and
// chunks of rows that are appended column by column. It turns errors of DuckDB into typed ones. It
// knows neither tables nor rows.

import { realpath, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join, resolve } from 'node:path'
import type {
  DuckDBAppender,
  DuckDBConnection,
  DuckDBDataChunk,
  DuckDBInstance,
} from '@duckdb/node-api'
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
  data_chunk_reset(chunk: unknown): void
  data_chunk_set_size(chunk: unknown, rows: number): void
  vector_assign_string_element(vector: Vector, index: number, text: string): void
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
const ROW_GROUPS = 'ROW_GROUP_SIZE 16384'

/** The part of a chunk that a writer of a column fills. */
export interface ColumnWriter {
  /** Copies the values into the vector and begins anew. */
  flush(calls: VectorCalls, vector: Vector): void
}

type Api = typeof import('@duckdb/node-api')

interface Loaded {
  readonly api: Api
  readonly calls: VectorCalls
}

/** @throws FeedError DEPENDENCY_MISSING, with the command that installs the package */
async function loadDuckdb(): Promise<Loaded> {
  try {
    const api = await import('@duckdb/node-api')
    // The bindings are a dependency of the package and not of this one.
    const own = createRequire(import.meta.url).resolve('@duckdb/node-api')
    return { api, calls: createRequire(own)('@duckdb/node-bindings') }
  } catch (cause) {
    const context = { package: '@duckdb/node-api', neededFor: 'feedmill/duckdb' }
    const message = `${context.neededFor} needs the package ${context.package}: npm install ${context.package}`
    throw new FeedError('DEPENDENCY_MISSING', message, context, { cause })
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
  readonly #calls: VectorCalls
  readonly #api: Api
  readonly #instance: DuckDBInstance
  readonly #connection: DuckDBConnection
  #isClosed = false

  private constructor(
    path: string,
    place: string,
    { api, calls }: Loaded,
    instance: DuckDBInstance,
    connection: DuckDBConnection,
  ) {
    this.path = path
    this.#place = place
    this.#api = api
    this.#calls = calls
    this.#instance = instance
    this.#connection = connection
  }

  /**
   * Opens a database for one writer, and makes a missing one.
   * @throws FeedError DEPENDENCY_MISSING, STATE_LOCKED, STATE_IO
   */
  static async open(
    path: string,
    { memoryBytes, threads, isWide = false, isReadOnly = false }: DatabaseOptions,
  ): Promise<Database> {
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
      return new Database(path, place, loaded, instance, connection)
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

  /** Appends to a table, in the transaction that is open. @throws FeedError STATE_IO */
  appender(table: string, writers: readonly ColumnWriter[]): Promise<ChunkAppender> {
    return this.#guarded(async () => {
      const appender = await this.#connection.createAppender(table)
      const types = Array.from({ length: appender.columnCount }, (_, n) => appender.columnType(n))
      const chunk = this.#api.DuckDBDataChunk.create(types)
      return new ChunkAppender(this, appender, chunk, writers, this.#calls)
    })
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#connection.closeSync()
    this.#instance.closeSync()
    openPaths.delete(this.#place)
  }

  /** @internal */
  failed(cause: unknown): unknown {
    if (FeedError.is(cause)) return cause
    return stateIo(this.path, 'statement', excerpt(messageOf(cause), 300), cause)
  }

  async #guarded<T>(action: () => Promise<T>): Promise<T> {
    try {
      return await action()
    } catch (cause) {
      throw this.failed(cause)
    }
  }
}

export class ChunkAppender {
  /** Number of columns of the table. */
  readonly columns: number
  readonly #database: Database
  readonly #appender: DuckDBAppender
  readonly #chunk: DuckDBDataChunk
  readonly #writers: readonly ColumnWriter[]
  readonly #calls: VectorCalls

  constructor(
    database: Database,
    appender: DuckDBAppender,
    chunk: DuckDBDataChunk,
    writers: readonly ColumnWriter[],
    calls: VectorCalls,
  ) {
    this.#database = database
    this.columns = appender.columnCount
    this.#appender = appender
    this.#chunk = chunk
    this.#writers = writers
    this.#calls = calls
  }

  /** Appends the rows that the writers have: at most {@link CHUNK_ROWS}. */
  append(rows: number): void {
    const { chunk } = this.#chunk
    try {
      this.#calls.data_chunk_reset(chunk)
      this.#calls.data_chunk_set_size(chunk, rows)
      this.#writers.forEach((writer, n) =>
        writer.flush(this.#calls, this.#calls.data_chunk_get_vector(chunk, n)),
      )
      this.#appender.appendDataChunk(this.#chunk)
      // The appender itself would hold 200,000 rows before it gives them to the table.
      this.#appender.flushSync()
    } catch (cause) {
      throw this.#database.failed(cause)
    }
  }

  close(): void {
    try {
      this.#appender.closeSync()
    } catch (cause) {
      throw this.#database.failed(cause)
    }
  }
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
