// Inserts rows into a table while more rows are prepared. Rows gather in chunks. DuckDB takes a row
// group of chunks by one INSERT on a thread of its own, compresses it and writes it to the file
// before the transaction ends. Rows that an appender of DuckDB brings stay in memory until then,
// and cost twice the time.

import {
  CHUNK_ROWS,
  type ColumnWriter,
  type Database,
  ROW_GROUP_ROWS,
  type RowSource,
} from './duckdb-api'

/** An INSERT with fewer rows than a row group leaves them in memory, so that the next one adds to it. */
const GROUP_CHUNKS = ROW_GROUP_ROWS / CHUNK_ROWS

interface Chunk<W> {
  readonly writers: readonly W[]
  readonly rows: number
}

export class ChunkInserter<W extends ColumnWriter> {
  /** The writers of the chunk that is filled, one for each column of the table. */
  writers: readonly W[]
  readonly #database: Database
  readonly #table: string
  readonly #types: RowSource['types']
  readonly #newWriters: () => readonly W[]
  readonly #free: (readonly W[])[] = []
  #full: Chunk<W>[] = []
  #rows = 0
  /** The INSERT of the chunks before. */
  #inserted: Promise<void> = Promise.resolve()

  private constructor(
    database: Database,
    table: string,
    types: RowSource['types'],
    newWriters: () => readonly W[],
  ) {
    this.#database = database
    this.#table = table
    this.#types = types
    this.#newWriters = newWriters
    this.writers = newWriters()
  }

  /**
   * @param table the name of the table in SQL, and the columns of the rows, where these are not all
   * columns in their order: `"items" ("a", "b")`
   * @param rows a query without rows whose columns have the types of the writers
   * @throws FeedError STATE_IO
   */
  static async open<W extends ColumnWriter>(
    database: Database,
    table: string,
    rows: string,
    newWriters: () => readonly W[],
  ): Promise<ChunkInserter<W>> {
    const types = await database.columnTypes(rows)
    return new ChunkInserter(database, table, types, newWriters)
  }

  /** The number of rows that the chunk has room for. */
  get room(): number {
    return CHUNK_ROWS - this.#rows
  }

  /**
   * Counts rows that the writers have got: no more than there was room. Returns what the caller has
   * to wait for before it gives more.
   */
  added(rows: number): Promise<void> | undefined {
    this.#rows += rows
    if (this.#rows < CHUNK_ROWS) return undefined
    this.#endChunk()
    return this.#full.length === GROUP_CHUNKS ? this.#insert() : undefined
  }

  /** Inserts the rest. @throws FeedError STATE_IO */
  async close(): Promise<void> {
    if (this.#rows > 0) this.#endChunk()
    if (this.#full.length > 0) await this.#insert()
    await this.#inserted
  }

  /** Waits for the INSERT that runs, whether it fails or not. */
  async settled(): Promise<void> {
    await this.#inserted.catch(() => {})
  }

  #endChunk(): void {
    this.#full.push({ writers: this.writers, rows: this.#rows })
    this.writers = this.#free.pop() ?? this.#newWriters()
    this.#rows = 0
  }

  async #insert(): Promise<void> {
    // Two row groups are in memory at most: one that is inserted, and one that is filled.
    await this.#inserted
    const chunks = this.#full
    this.#full = []
    const source: RowSource = {
      types: this.#types,
      next: () => {
        const chunk = chunks.shift()
        if (chunk !== undefined) this.#free.push(chunk.writers)
        return chunk
      },
    }
    this.#inserted = this.#database.insert(this.#table, source)
    // The next call, or `close`, throws the error.
    this.#inserted.catch(() => {})
  }
}
