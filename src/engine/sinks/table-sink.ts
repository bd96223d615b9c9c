// The sink of a table in any database: one transaction, from `open` to `commit`, in which the table
// is made or found and rows are written. The databases themselves are in sqlite-sink.ts and in the
// rooms of DuckDB and PostgreSQL, as a TableDatabase each. If you change what a mode does, also
// change test/integrations/table-sinks.test.ts.

import { isRow } from '../codec/json-cell'
import type { RowBatch } from '../codec/row-batch'
import { FeedError } from '../errors'
import { exactElementsOf, headerOf, isColumnBatch } from '../pipeline/batch'
import { attempt } from '../pipeline/commit-parts'
import type { Sink, SinkCounts } from '../pipeline/sink'
import type { Columns } from '../schema/feed-schema'
import { sinkFailed } from './sink-errors'
import { sinkOfRuns } from './sink-of-runs'
import { checkKey, definitionsOf, namesOf, type TablePlan, type TableSettings } from './table-plan'
import { type ColumnRules, TableRows } from './table-rows'

/** Writes rows into the table of a plan. */
export interface RowWriter {
  /** Writes the values of a row in the order of the columns, as their forms have converted them. */
  write(values: readonly unknown[]): Promise<void> | undefined
  /** Writes rows whose cells are the table's own, where that has a faster way. */
  writeBatch?(batch: RowBatch<Columns>): Promise<void>
  /**
   * Writes the rest, and gives rows with a key their places.
   * @returns the number of their keys, where it is known
   */
  end(): Promise<number | undefined> | number | undefined
}

/** A database during one run: a transaction. */
export interface TableDatabase {
  /** Opens the database and begins the transaction. */
  begin(): Promise<void> | void
  run(sql: string): Promise<unknown> | unknown
  /** Finds the table, so that all statements of a run mean the same one. */
  find(): Promise<FoundTable> | FoundTable
  /** @param rows decides about bad cells that only the database finds */
  writerOf(plan: TablePlan, rows: TableRows): Promise<RowWriter> | RowWriter
  commit(): Promise<void> | void
  /** Ends the transaction without its rows. The database may not be open. */
  abort(): Promise<void> | void
}

/** The table of a run, or where it will be. */
export interface FoundTable {
  /** The name in SQL, which no other table can stand before. */
  readonly sqlTable: string
  /** The types of the columns by their names, folded; undefined without a table. */
  readonly columns?: { get(name: string): string | undefined } | undefined
  /** Why `replace` would change other tables too. */
  readonly dependents?: string | undefined
}

/** A kind of database. */
export interface TableRules extends ColumnRules {
  /** The database in messages. */
  readonly target: string
  /** The file of the database, where it has one. */
  readonly file?: string
  /** True where a new table gets its key as an index. */
  readonly hasPrimaryKey: boolean
  open(): TableDatabase
}

/** @throws FeedError OPTION_INVALID */
export function tableSink<T>(rules: TableRules, options: TableSettings): Sink<T> {
  checkKey(options)
  // The first rows only check the options: each run has rows of its own.
  const { quarantine } = new TableRows(rules, options).badCells
  const writes = [rules.file, quarantine].filter(place => place !== undefined)
  const output = { name: rules.target, writes }
  return sinkOfRuns(rules.name, output, () => new TableRun(rules, options))
}

class TableRun {
  readonly #rules: TableRules
  readonly #options: TableSettings
  readonly #rows: TableRows
  readonly #database: TableDatabase
  #writer: RowWriter | undefined
  #keys: number | undefined

  constructor(rules: TableRules, options: TableSettings) {
    this.#rules = rules
    this.#options = options
    this.#rows = new TableRows(rules, options)
    this.#database = rules.open()
  }

  open(): Promise<void> {
    return this.#typed(() => this.#database.begin())
  }

  write(item: unknown): Promise<void> {
    return this.#typed(async () => {
      await this.#write(item)
      await this.#rows.badCells.quarantine?.settle()
    })
  }

  prepare(): Promise<void> {
    return this.#typed(async () => {
      const writer = (this.#writer ??= await this.#openTable())
      this.#keys = await writer?.end()
      await this.#rows.badCells.quarantine?.flush()
    })
  }

  commit(): Promise<void> {
    return this.#typed(async () => {
      try {
        await this.#database.commit()
      } catch (cause) {
        // A database that still answers has refused the COMMIT.
        if (await attempt(() => this.#database.run('ROLLBACK'))) throw cause
        const { message, context } = sinkFailed(this.#rules.name, this.#rules.target, cause)
        const doubt = `${message}; COMMIT has no answer, so the rows may have been committed: look before you write them again`
        throw new FeedError('SINK_FAILED', doubt, { ...context, mayBeCommitted: true }, { cause })
      }
    })
  }

  counts(): SinkCounts {
    const { rows, badCells, key } = this.#rows
    const leftOut = badCells.rowsLeftOut
    const given = rows - leftOut
    if (key.length === 0) return { written: given, leftOut, replaced: 0 }
    const keys = this.#keys
    return { written: keys ?? given, leftOut, replaced: keys && given - keys }
  }

  async abort(): Promise<void> {
    await this.#database.abort()
  }

  async #write(item: unknown): Promise<void> {
    const rows = this.#rows
    rows.see(item)
    if (headerOf(item) !== undefined && !isColumnBatch(item)) {
      const batch = item as RowBatch<Columns>
      const writer = (this.#writer ??= await this.#openTable())
      if (writer?.writeBatch !== undefined && rows.areOwn(batch)) {
        rows.rows += batch.length
        await writer.writeBatch(batch)
        return
      }
    }
    const header = isColumnBatch(item) ? item.header : undefined
    for (const element of exactElementsOf(item)) {
      if (isRow(element)) rows.see(element.batch)
      // The types of a table that is there decide how the values are made.
      if (rows.columns !== undefined) this.#writer ??= await this.#openTable()
      const values = rows.valuesOf(element, header)
      const written = values && this.#writer?.write(values)
      if (written !== undefined) await written
    }
  }

  /** Does to the table what the mode says. Without columns there is nothing to write. */
  async #openTable(): Promise<RowWriter | undefined> {
    const { mode = 'create', table } = this.#options
    const { name, target, hasPrimaryKey, foldName } = this.#rules
    const database = this.#database
    const { sqlTable, columns: found, dependents } = await database.find()
    let present = found
    if (mode === 'create' && present !== undefined)
      throw sinkFailed(name, target, `the table ${table} already exists: choose another mode`)
    if (mode === 'replace' && present !== undefined) {
      if (dependents !== undefined)
        throw sinkFailed(name, target, `the table ${table} cannot be replaced: ${dependents}`)
      await database.run(`DROP TABLE ${sqlTable}`)
      present = undefined
    }
    const planned = this.#rows.columns
    if (planned === undefined) return undefined
    const missing = planned.filter(
      ({ sqlName }) => present !== undefined && present.get(foldName(sqlName)) === undefined,
    )
    if (missing.length > 0) throw this.#foreign(missing.map(({ sqlName }) => sqlName).join(', '))
    if (present === undefined) {
      const parts = definitionsOf(planned)
      if (hasPrimaryKey && this.#rows.key.length > 0)
        parts.push(`PRIMARY KEY (${namesOf(this.#rows.key)})`)
      await database.run(`CREATE TABLE ${sqlTable} (${parts.join(', ')})`)
    } else this.#rows.meet(present)
    const { columns = planned, key } = this.#rows
    const hasCasts = columns.some(({ form }) => form.cast !== undefined)
    return database.writerOf({ table: sqlTable, columns, key, hasCasts }, this.#rows)
  }

  #foreign(missing: string): FeedError<'STATE_FOREIGN'> {
    const { target } = this.#rules
    const { table } = this.#options
    const received = 'those of another table'
    const message = `${target}: the table ${table} lacks columns of the rows (${missing}): choose another table`
    const context = { path: target, what: 'columns', expected: missing, received }
    return new FeedError('STATE_FOREIGN', message, context)
  }

  /** Does work whose failures get the type of a sink. */
  async #typed(work: () => Promise<void> | void): Promise<void> {
    try {
      await work()
    } catch (cause) {
      const { name, target } = this.#rules
      if (!FeedError.is(cause)) throw sinkFailed(name, target, cause)
      if (cause.code !== 'STATE_IO') throw cause
      const { message, context } = sinkFailed(name, target, cause)
      const { retryable, context: from } = cause
      const typed = { ...context, reason: from.reason }
      throw new FeedError('SINK_FAILED', message, typed, { cause, retryable })
    }
  }
}
