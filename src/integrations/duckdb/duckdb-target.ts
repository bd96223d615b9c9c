// A DuckDB database as the target of a synchronisation. Each file is one transaction: its rows, the
// rows that it removes, and its entry of the ledger.

import type { ColumnData } from '../../engine/index'
import {
  closing,
  columnData,
  is,
  type OptionTable,
  orUndo,
  readOptions,
  Semaphore,
} from '../../engine/index'
import type {
  AppliedFile,
  Category,
  OpenTarget,
  SyncTarget,
  TargetCategory,
  TargetContents,
  TargetFile,
  TargetRows,
} from '../../sync/index'
import { ChunkInserter } from './chunk-inserter'
import { Database, LEAST_BYTES, MEMORY_BYTES, sqlText, THREADS } from './database'
import { ARRIVED_REMOVALS, countRows, mergeFile, sweep } from './merge'
import {
  inCategory,
  prepareTables,
  readCategories,
  readLedger,
  serviceOf,
  tableOf,
  writeEntry,
} from './tables'
import { TypedRows } from './typed-rows'

export interface DuckdbTargetOptions {
  /**
   * Limit of DuckDB's own memory, in bytes. The process takes up to 300 MiB beside it. Default: the
   * share that the run gives, at least 160 MiB. Beyond it DuckDB writes temporary files beside the
   * database, and takes several times as long. Bounds: at least 64 MiB.
   */
  readonly memoryBytes?: number
}

const OPTIONS = {
  memoryBytes: [is.wholeNumber(LEAST_BYTES)],
} satisfies OptionTable<DuckdbTargetOptions>

/**
 * A DuckDB file as the option `target` of `sync`. It has the tables `items`, `item_groups`,
 * `priorities` and `files`, the ledger, and the view `current_items`: each item with its group, its
 * priority and where it ships. A missing file is made; its folder has to exist. One run at a time
 * writes a file, and other processes read it when no run has it open.
 * @param path the path of the file
 * @throws FeedError OPTION_INVALID. A run with the target can fail with DEPENDENCY_MISSING without
 * the package `@duckdb/node-api`, STATE_LOCKED, STATE_FOREIGN, STATE_CORRUPT and STATE_IO
 * @example
 * ```ts
 * import { duckdbTarget } from 'feedmill/duckdb'
 *
 * const target = duckdbTarget('items.duckdb', { memoryBytes: 2 ** 28 })
 * console.log(target.name)
 * // => items.duckdb
 * ```
 */
export function duckdbTarget(path: string, options: DuckdbTargetOptions = {}): SyncTarget {
  is.filePath('path', path)
  const { memoryBytes } = readOptions(options, OPTIONS)
  return {
    name: path,
    open: async run => {
      const limit = memoryBytes ?? Math.max(MEMORY_BYTES, run.memoryBytes)
      const database = await Database.open(path, { memoryBytes: limit, threads: THREADS })
      await orUndo(
        () => prepareTables(database, run.origin),
        () => database.close(),
      )
      return new OpenDuckdb(database, run.signal)
    },
    contents: () => contentsOf(path),
  }
}

/** A file that is missing stays so, because it is opened to be read. */
async function contentsOf(path: string): Promise<TargetContents> {
  const limits = { memoryBytes: MEMORY_BYTES, threads: 1, isReadOnly: true }
  return closing(await Database.open(path, limits), async database => {
    const service = await serviceOf(database)
    const categories = await readCategories(database)
    const contents = categories.map(async category => ({
      category,
      files: await readLedger(database, category),
    }))
    return { service, categories: await Promise.all(contents) }
  })
}

class OpenDuckdb implements OpenTarget {
  readonly #database: Database
  readonly #signal: AbortSignal
  readonly #stop: () => void
  /** One connection has one transaction. */
  readonly #turns = new Semaphore(1)

  constructor(database: Database, signal: AbortSignal) {
    this.#database = database
    this.#signal = signal
    this.#stop = () => database.interrupt()
    signal.addEventListener('abort', this.#stop)
  }

  async category(category: Category): Promise<TargetCategory> {
    const files = await this.inTurn(() => readLedger(this.#database, category))
    return new DuckdbCategory(this, this.#database, category, files)
  }

  /** Runs work after the work before it, whether that failed or not. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    return this.#turns.run(this.#signal, work)
  }

  /** Runs work in one transaction, which a failure rolls back. */
  inTransaction<T>(work: () => Promise<T>): Promise<T> {
    return this.inTurn(async () => {
      await this.#database.run('BEGIN')
      try {
        const result = await work()
        this.#signal.throwIfAborted()
        await this.#database.run('COMMIT')
        return result
      } catch (error) {
        // A failed COMMIT has ended the transaction.
        await this.#database.run('ROLLBACK').catch(() => {})
        // An interrupted statement fails with an error of DuckDB.
        this.#signal.throwIfAborted()
        throw error
      }
    })
  }

  async close(): Promise<void> {
    // The work that was asked for before is over.
    await this.#turns.acquire()
    this.#signal.removeEventListener('abort', this.#stop)
    await this.#database.close()
  }
}

class DuckdbCategory implements TargetCategory {
  readonly category: Category
  readonly #target: OpenDuckdb
  readonly #database: Database
  readonly #files: AppliedFile[]

  constructor(target: OpenDuckdb, database: Database, category: Category, files: AppliedFile[]) {
    this.#target = target
    this.#database = database
    this.category = category
    this.#files = files
  }

  get files(): readonly AppliedFile[] {
    return this.#files
  }

  async apply(file: TargetFile): Promise<AppliedFile> {
    const entry = await this.#target.inTransaction(() => this.#apply(file))
    this.#files.push(entry)
    return entry
  }

  async removalsForgotten(): Promise<Date | undefined> {
    const [row] = await this.#target.inTurn(() =>
      this.#database.rows<{ before_ms: bigint }>(
        `SELECT before_ms FROM forgotten_removals WHERE ${inCategory(this.category)}`,
      ),
    )
    return row === undefined ? undefined : new Date(Number(row.before_ms))
  }

  forgetRemovals(before: Date): Promise<void> {
    const here = inCategory(this.category)
    const { marketplace, categoryId } = this.category
    const place = `${sqlText(marketplace)}, ${sqlText(categoryId)}`
    return this.#target.inTransaction(() =>
      this.#database.run(`
        DELETE FROM removals WHERE ${here} AND version_ms < ${before.getTime()};
        DELETE FROM forgotten_removals WHERE ${here};
        INSERT INTO forgotten_removals VALUES (${place}, ${before.getTime()});`),
    )
  }

  async #apply(file: TargetFile): Promise<AppliedFile> {
    const { category } = this
    const table = tableOf(file.id)
    const sequence = (this.#files.at(-1)?.sequence ?? 0) + 1
    const rowsBefore =
      file.generated === undefined ? 0 : await countRows(this.#database, table, category)
    const appended = await this.#append(file, sequence)
    const tally = await mergeFile(this.#database, { table, category, sequence, ...appended })
    const removed =
      file.generated === undefined ? 0 : await this.#sweep(file, file.generated, rowsBefore)
    const { id, identity, rawBytes, badRows } = file
    const rows = { ...tally, deleted: tally.deleted + removed }
    const entry = { id, ...identity, rawBytes, sequence, rows, badRows }
    await writeEntry(this.#database, entry, appended.unfitCells)
    return entry
  }

  /** Appends the rows to their table and the removals to a temporary one. */
  async #append(file: TargetFile, sequence: number) {
    const database = this.#database
    const { marketplace, categoryId } = this.category
    await database.run(`CREATE OR REPLACE TEMP TABLE ${ARRIVED_REMOVALS} (${REMOVAL_COLUMNS})`)
    const writer = new TypedRows(database, tableOf(file.id), {
      marketplace: sqlText(marketplace),
      top_category_id: sqlText(categoryId),
      file: String(sequence),
    })
    const removals = await ChunkInserter.open(database, ARRIVED_REMOVALS, REMOVAL_VECTORS)
    let rows = 0
    let removed = 0
    try {
      for await (const arrived of file.rows()) {
        const kept = arrived.select(n => !arrived.isRemoval(n))
        await writer.add(kept)
        rows += kept.length
        if (kept === arrived) continue
        const removing = arrived.select(n => arrived.isRemoval(n))
        await removals.add(removalsOf(removing), removing.length)
        removed += removing.length
      }
      await writer.close()
      await removals.close()
    } finally {
      await writer.settled()
      await removals.settled()
    }
    return { rows, removals: removed, unfitCells: writer.unfitCells }
  }

  async #sweep(file: TargetFile, generated: Date, rowsBefore: number): Promise<number> {
    const table = tableOf(file.id)
    const generatedMs = generated.getTime()
    const isOlder = `version_ms < ${generatedMs}`
    const lacking = await countRows(this.#database, table, this.category, isOlder)
    file.checkRemoval(rowsBefore, lacking)
    if (lacking > 0) await sweep(this.#database, table, this.category, isOlder, generatedMs)
    return lacking
  }
}

/** The removals that a file brings, before they are merged. */
const REMOVAL_VECTORS = [
  ['key', 'VARCHAR'],
  ['version_ms', 'BIGINT'],
  ['generated_ms', 'BIGINT'],
] as const
const REMOVAL_COLUMNS = REMOVAL_VECTORS.map(column => column.join(' ')).join(', ')

function removalsOf(rows: TargetRows): ColumnData[] {
  const each = <T>(of: (n: number) => T) => Array.from({ length: rows.length }, (_, n) => of(n))
  const times = (timeOf: (n: number) => number) => columnData({ kind: 'int64' }, each(timeOf))
  return [
    columnData(
      { kind: 'utf8' },
      each(n => rows.key(n)),
    ),
    times(n => rows.head(n).version.timeMs),
    times(() => rows.generatedMs),
  ]
}
