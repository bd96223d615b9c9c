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
      return openTarget(database, run.signal)
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

function openTarget(database: Database, signal: AbortSignal): OpenTarget {
  const stop = () => database.interrupt()
  signal.addEventListener('abort', stop)
  /** One connection has one transaction. */
  const turns = new Semaphore(1)
  /** Runs work in one transaction, which a failure rolls back. */
  const inTransaction = <T>(work: () => Promise<T>) =>
    turns.run(signal, async () => {
      await database.run('BEGIN')
      try {
        const result = await work()
        signal.throwIfAborted()
        await database.run('COMMIT')
        return result
      } catch (error) {
        // A failed COMMIT has ended the transaction.
        await database.run('ROLLBACK').catch(() => {})
        // An interrupted statement fails with an error of DuckDB.
        signal.throwIfAborted()
        throw error
      }
    })
  return {
    async category(category) {
      const files = await turns.run(signal, () => readLedger(database, category))
      const here = inCategory(category)
      return {
        category,
        files,
        async apply(file) {
          const sequence = (files.at(-1)?.sequence ?? 0) + 1
          const entry = await inTransaction(() => applyFile(database, category, sequence, file))
          files.push(entry)
          return entry
        },
        async removalsForgotten() {
          const [row] = await turns.run(signal, () =>
            database.rows<{ before_ms: bigint }>(
              `SELECT before_ms FROM forgotten_removals WHERE ${here}`,
            ),
          )
          return row === undefined ? undefined : new Date(Number(row.before_ms))
        },
        forgetRemovals(before) {
          const place = `${sqlText(category.marketplace)}, ${sqlText(category.categoryId)}`
          return inTransaction(() =>
            database.run(`
              DELETE FROM removals WHERE ${here} AND version_ms < ${before.getTime()};
              DELETE FROM forgotten_removals WHERE ${here};
              INSERT INTO forgotten_removals VALUES (${place}, ${before.getTime()});`),
          )
        },
      }
    },
    async close() {
      // The work that was asked for before is over.
      await turns.acquire()
      signal.removeEventListener('abort', stop)
      await database.close()
    },
  }
}

async function applyFile(
  database: Database,
  category: Category,
  sequence: number,
  file: TargetFile,
): Promise<AppliedFile> {
  const { id, identity, generated } = file
  const table = tableOf(id)
  const rowsBefore = generated === undefined ? 0 : await countRows(database, table, category)
  const appended = await append(database, category, sequence, file)
  const tally = await mergeFile(database, { table, category, sequence, ...appended })
  let removed = 0
  if (generated !== undefined) {
    const isOlder = `version_ms < ${generated.getTime()}`
    removed = await countRows(database, table, category, isOlder)
    file.checkRemoval(rowsBefore, removed)
    if (removed > 0) await sweep(database, table, category, isOlder, generated.getTime())
  }
  const { rawBytes, badRows } = file
  const rows = { ...tally, deleted: tally.deleted + removed }
  const entry = { id, ...identity, rawBytes, sequence, rows, badRows }
  await writeEntry(database, entry, appended.unfitCells)
  return entry
}

/** Appends the rows to their table and the removals to a temporary one. */
async function append(
  database: Database,
  { marketplace, categoryId }: Category,
  sequence: number,
  file: TargetFile,
) {
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
