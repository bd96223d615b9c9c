// One category in PostgreSQL: it brings the rows of a file into its tables together with the entry
// of the ledger. session.ts repeats what a lost connection has interrupted.

import { orUndo } from '../../engine/index'
import {
  type AppliedFile,
  type Category,
  type FileId,
  fileIdKey,
  NO_ROWS,
  type RowTally,
  type TargetCategory,
  type TargetFile,
} from '../../sync/index'
import type { CategoryLock } from './category-lock'
import { targetRows } from './copy-rows'
import {
  countRows,
  createStaging,
  hasRows,
  mergeStaging,
  stagingTable,
  sweep,
  WRITTEN,
} from './merge-sql'
import { hasState, type PgConnection } from './pg-adapter'
import type { PostgresSession } from './session'
import { PARTS, type Part, type TargetNames } from './sql-names'
import { PART_COLUMNS } from './sql-types'
import { CopyHeads, TableCopy } from './table-copy'
import { inCategory, OF_CATEGORY, readLedger, writeEntry } from './tables'

/** A row of an index of PostgreSQL has at most 2,704 bytes. Longer keys make bad rows. */
const MAX_KEY_BYTES = 2_000
const UNIQUE_VIOLATION = '23505'

/** What a category needs of its target. */
export interface CategoryPlace {
  readonly session: PostgresSession
  readonly names: TargetNames
  readonly lock: CategoryLock
}

export class PostgresCategory implements TargetCategory {
  readonly category: Category
  readonly #place: CategoryPlace
  files: readonly AppliedFile[] = []

  constructor(category: Category, place: CategoryPlace) {
    this.category = category
    this.#place = place
  }

  /** Takes the lock on a new connection, and reads the ledger. */
  async connected(connection: PgConnection): Promise<void> {
    const { lock, names } = this.#place
    await lock.take(connection)
    this.files = await readLedger(connection, names, this.category)
  }

  apply(file: TargetFile): Promise<AppliedFile> {
    const key = fileIdKey(file.id)
    return this.#place.session.run(async connection => {
      // The commit may have succeeded although its answer was lost with the connection. The ledger
      // was read again since.
      const known = this.files.find(({ id }) => fileIdKey(id) === key)
      if (known !== undefined) return known
      const apply = () => this.#applyIn(connection, file)
      const entry = await connection.inTransaction(apply, 'REPEATABLE READ')
      this.files = [...this.files, entry]
      return entry
    })
  }

  removalsForgotten(): Promise<Date | undefined> {
    const { session, names } = this.#place
    return session.run(async connection => {
      const [row] = await connection.query(
        `SELECT removals_forgotten AS at FROM ${names.table('writers')} WHERE ${OF_CATEGORY}`,
        this.#parameters,
      )
      return row?.at instanceof Date ? row.at : undefined
    })
  }

  forgetRemovals(before: Date): Promise<void> {
    const { session, names, lock } = this.#place
    return session.run(connection =>
      connection.inTransaction(async () => {
        await lock.prove(connection)
        for (const part of PARTS)
          await connection.query(
            `DELETE FROM ${names.table(part)} WHERE ${OF_CATEGORY} AND removed AND time_ms < $3`,
            [...this.#parameters, before.getTime()],
          )
        await connection.query(
          `UPDATE ${names.table('writers')} SET removals_forgotten = $3 WHERE ${OF_CATEGORY}`,
          [...this.#parameters, before.toISOString()],
        )
      }),
    )
  }

  get #parameters(): readonly [string, string] {
    return inCategory(this.category)
  }

  async #applyIn(connection: PgConnection, file: TargetFile): Promise<AppliedFile> {
    const { names, lock } = this.#place
    await lock.prove(connection)
    const { rows, longKeys } = await this.#merge(connection, file)
    const { id, identity, rawBytes } = file
    const sequence = this.files.length + 1
    const badRows = file.badRows + longKeys
    const entry: AppliedFile = { id, ...identity, rawBytes, sequence, rows, badRows }
    await writeEntry(connection, names, entry)
    return entry
  }

  async #merge(
    connection: PgConnection,
    file: TargetFile,
  ): Promise<{ rows: RowTally; longKeys: number }> {
    const part = partOf(file.id)
    const table = this.#place.names.table(part)
    const generatedMs = file.generated?.getTime()
    if (generatedMs !== undefined) {
      const [has] = await connection.query(hasRows(table), this.#parameters)
      const filled = has?.found ? undefined : await this.#fill(connection, file, part)
      if (filled !== undefined) return filled
    }
    const rowsBefore =
      generatedMs === undefined ? 0 : await this.#count(connection, countRows(table))
    await connection.query(createStaging(part, table))
    const { copied, longKeys } = await this.#copy(connection, file, part, stagingTable(part))
    const tally = { ...NO_ROWS, stale: copied }
    for (const { kind, rows } of await connection.query(mergeStaging(part, table))) {
      if (kind === WRITTEN) continue
      // The rows that are left are stale: another row of the file has their key.
      tally.stale -= Number(rows)
      tally[kind as keyof RowTally] += Number(rows)
    }
    if (generatedMs !== undefined) {
      const removed = await this.#count(connection, sweep(part, table), generatedMs)
      file.checkRemoval(rowsBefore, removed)
      tally.deleted += removed
    }
    return { rows: tally, longKeys }
  }

  /**
   * Copies the first bootstrap of a category into its table, which has no row that it could meet.
   * Returns undefined, and leaves the table empty, where the file has a key twice.
   */
  async #fill(connection: PgConnection, file: TargetFile, part: Part) {
    await connection.query('SAVEPOINT filling')
    try {
      const table = this.#place.names.table(part)
      const { copied, longKeys } = await this.#copy(connection, file, part, table)
      file.checkRemoval(0, 0)
      return { rows: { ...NO_ROWS, inserted: copied }, longKeys }
    } catch (error) {
      if (!hasState(error, UNIQUE_VIOLATION)) throw error
      await connection.query('ROLLBACK TO SAVEPOINT filling')
      return undefined
    }
  }

  async #copy(connection: PgConnection, file: TargetFile, part: Part, table: string) {
    const heads = new CopyHeads(this.category)
    const copy = new TableCopy(connection, {
      table,
      rowsOf: header => targetRows(header, PART_COLUMNS[part], heads),
    })
    let copied = 0
    let longKeys = 0
    const copyAll = async () => {
      for await (const all of file.rows()) {
        const rows = all.select(n => isShortKey(all.key(n)))
        heads.rows = rows
        await copy.writeBatch(rows.batch)
        copied += rows.length
        longKeys += all.length - rows.length
      }
      await copy.end()
    }
    await orUndo(copyAll, () => copy.abort())
    return { copied, longKeys }
  }

  async #count(connection: PgConnection, sql: string, ...more: readonly number[]): Promise<number> {
    const [row] = await connection.query(sql, [...this.#parameters, ...more])
    return Number(row?.rows)
  }
}

function isShortKey(key: string): boolean {
  return key.length * 3 <= MAX_KEY_BYTES || Buffer.byteLength(key) <= MAX_KEY_BYTES
}

function partOf({ feed }: FileId): Part {
  if (feed === 'item_group') return 'item_groups'
  return feed === 'item_priority' ? 'priorities' : 'items'
}
