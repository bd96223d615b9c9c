// Inserts columns into a table while more of them are prepared. Rows gather in chunks. DuckDB takes
// a row group of them by one INSERT on a thread of its own, compresses it and writes it to the file
// before the transaction ends. Rows that an appender of DuckDB brings stay in memory until then,
// and cost twice the time.

import { setImmediate } from 'node:timers/promises'
import { type ColumnData, sqlIdentifier } from '../../engine/index'
import type { ColumnPart } from './column-vectors'
import { CHUNK_ROWS, type Chunk, type Database, ROW_GROUP_ROWS, type RowSource } from './database'

interface FilledChunk extends Chunk {
  readonly columns: readonly ColumnPart[][]
  rows: number
}

export class ChunkInserter {
  readonly #insertChunks: (next: RowSource['next']) => Promise<void>
  /** The chunks of a row group. */
  #chunks: FilledChunk[] = []
  #rows = 0
  /** The INSERT of the row group before. */
  #inserted: Promise<void> = Promise.resolve()

  private constructor(insertChunks: (next: RowSource['next']) => Promise<void>) {
    this.#insertChunks = insertChunks
  }

  /**
   * @param table the name of the table in SQL
   * @param columns the columns that {@link add} gets, by their names, with the types of their
   * vectors
   * @param constants columns that have one value in all rows, with their values in SQL
   * @throws FeedError STATE_IO
   */
  static async open(
    database: Database,
    table: string,
    columns: readonly (readonly [name: string, vectorType: string])[],
    constants: Readonly<Record<string, string>> = {},
  ): Promise<ChunkInserter> {
    const nulls = columns.map(([, type], n) => `NULL::${type} AS column${n}`)
    const types = await database.columnTypes(`SELECT ${nulls.join(', ')} LIMIT 0`)
    const names = [...columns.map(([name]) => name), ...Object.keys(constants)]
    const target = `${table} (${names.map(sqlIdentifier).join(', ')})`
    const values = ['*', ...Object.values(constants)].join(', ')
    return new ChunkInserter(next => database.insert(target, { types, next }, values))
  }

  /**
   * Adds rows. Their columns must stay as they are.
   * @throws FeedError STATE_IO
   */
  async add(columns: readonly ColumnData[], rows: number): Promise<void> {
    for (let from = 0; from < rows; ) {
      // An INSERT with fewer rows than a row group leaves them in memory, and the rows beyond one
      // would be a small row group of their own.
      const used = this.#rows % CHUNK_ROWS
      const count = Math.min(rows - from, CHUNK_ROWS - used)
      if (used === 0) this.#chunks.push({ columns: columns.map(() => []), rows: 0 })
      const chunk = this.#chunks.at(-1)!
      columns.forEach((data, n) => {
        chunk.columns[n]!.push({ data, from, count })
      })
      chunk.rows += count
      from += count
      this.#rows += count
      if (this.#rows === ROW_GROUP_ROWS) await this.#insert()
    }
    // The INSERT that runs asks for its chunks in turns of the event loop.
    await setImmediate()
  }

  /** Inserts the rest. @throws FeedError STATE_IO */
  async close(): Promise<void> {
    if (this.#rows > 0) await this.#insert()
    await this.#inserted
  }

  /** Waits for the INSERT that runs, whether it fails or not. */
  async settled(): Promise<void> {
    await this.#inserted.catch(() => {})
  }

  async #insert(): Promise<void> {
    // Two row groups are in memory at most: one that is inserted, and one that is filled.
    await this.#inserted
    const chunks = this.#chunks
    this.#chunks = []
    this.#rows = 0
    this.#inserted = this.#insertChunks(() => chunks.shift())
    // The next call, or `close`, throws the error.
    this.#inserted.catch(() => {})
  }
}
