// A DuckDB file as a target of `sync`: its options, and what a run opens.

import { closing, is, type OptionTable, orUndo, readOptions } from '../../engine/index'
import { openSqlTarget, type SyncTarget, sqlContents } from '../../sync/index'
import { Database, LEAST_BYTES, MEMORY_BYTES, THREADS } from './database'
import { duckdbConnection, duckdbStore, duckdbWords } from './duckdb-store'

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
 * priority and where it ships. A feed of one's own has a table of its name. A missing file is made; its folder has to exist. One run at a time
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
      const store = duckdbStore(database, run.signal)
      return orUndo(
        () => openSqlTarget(duckdbWords(path), store, run.origin),
        () => store.close(),
      )
    },
    // A file that is missing stays so, because it is opened to be read.
    contents: async () => {
      const limits = { memoryBytes: MEMORY_BYTES, threads: 1, isReadOnly: true }
      return closing(await Database.open(path, limits), database =>
        sqlContents(duckdbWords(path), duckdbConnection(database)),
      )
    },
  }
}
