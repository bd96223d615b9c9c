// A database as a target of `sync`, over a SqlStore: its tables, the ledger, and the files of a
// category. What only one database has is in its room.

import { missingState, optionInvalid } from '../../../engine/index'
import { type Category, fileIdKey, isOwn, OWN } from '../../file-id'
import { ledgerRowOf } from '../ledger-row'
import type {
  AppliedFile,
  OpenTarget,
  StateOrigin,
  TargetCategory,
  TargetContents,
  TargetFile,
} from '../target'
import {
  type ArrivedFiles,
  countRows,
  inCategory,
  mergeArrived,
  placesOfLosers,
  sweep,
} from './sql-merge'
import { gatherHeads, type SqlFiles, writeRows } from './sql-rows'
import {
  categoriesOf,
  claimTables,
  knownService,
  prepareOwn,
  prepareRows,
  readLedger,
} from './sql-schema'
import {
  type SqlCategory,
  type SqlConnection,
  type SqlStore,
  type SqlWords,
  sqlText,
} from './sql-store'
import { ownTable, type RowTable, serviceTables, tableNameOf, tableOfFile } from './sql-tables'

/**
 * Makes the tables of a database that has none, and opens the target.
 * @throws FeedError STATE_FOREIGN for tables of somebody else, of another service or format, and for a
 * column whose type the database cannot change
 */
export async function openSqlTarget(
  words: SqlWords,
  store: SqlStore,
  origin: StateOrigin,
): Promise<OpenTarget> {
  await store.prepare(async connection => {
    await claimTables(words, connection, origin.service)
    if (origin.own === undefined) await prepareRows(words, connection, serviceTables(words))
  })
  return {
    category: async category => {
      const { own } = origin
      const tables = own ? [ownTable(words, category.categoryId, own)] : serviceTables(words)
      if (own)
        await store.prepare(connection => prepareOwn(words, connection, category, tables[0]!, own))
      const opened = new CategoryInSql(category, words, tables)
      await opened.open(store)
      return opened
    },
    close: () => store.close(),
  }
}

/** Reads the ledgers. @throws FeedError STATE_MISSING, STATE_FOREIGN, STATE_CORRUPT */
export async function sqlContents(
  words: SqlWords,
  connection: SqlConnection,
): Promise<TargetContents> {
  const service = await knownService(words, connection)
  if (service === undefined) throw missingState(words.name)
  const found = await categoriesOf(words, connection)
  const categories: TargetContents['categories'][number][] = []
  for (const category of found)
    categories.push({ category, files: await readLedger(words, connection, category) })
  return { service, categories }
}

/** Removes the rows and the ledger of a category. */
export async function dropSqlCategory(
  words: SqlWords,
  connection: SqlConnection,
  category: Category,
): Promise<void> {
  const present = await connection.columnTypes()
  const rows =
    category.marketplace === OWN
      ? [tableNameOf(category.categoryId)]
      : serviceTables(words).map(({ name }) => name)
  for (const name of [...rows, 'removals', 'files'])
    if (present.has(`${name}.feed_category`))
      await connection.query(`DELETE FROM ${words.table(name)} WHERE ${inCategory(category)}`)
  await connection.query(
    `UPDATE ${words.table('categories')} SET removals_forgotten_ms = NULL WHERE ${inCategory(category)}`,
  )
}

/** One category: it brings the rows of files into their tables together with their entries. */
class CategoryInSql implements TargetCategory {
  readonly category: Category
  readonly takesAllFeeds = true
  files: readonly AppliedFile[] = []
  readonly #words: SqlWords
  readonly #tables: readonly RowTable[]
  #right!: SqlCategory

  constructor(category: Category, words: SqlWords, tables: readonly RowTable[]) {
    this.category = category
    this.#words = words
    this.#tables = tables
  }

  /** Takes the right to write the category. Each new connection reads the ledger. */
  async open(store: SqlStore): Promise<void> {
    this.#right = await store.claim(this.category, async connection => {
      this.files = await readLedger(this.#words, connection, this.category)
    })
  }

  async apply(file: TargetFile): Promise<AppliedFile> {
    const [entry] = await this.applyAll([file])
    return entry!
  }

  async applyAll(files: readonly TargetFile[]): Promise<readonly AppliedFile[]> {
    const last = fileIdKey(files.at(-1)!.id)
    // The commit may have succeeded although its answer was lost with the connection.
    const known = () => {
      const at = this.files.findIndex(({ id }) => fileIdKey(id) === last)
      return at < 0 ? undefined : this.files.slice(at + 1 - files.length, at + 1)
    }
    const entries = await this.#right.write(
      async connection => known() ?? this.#applyIn(connection, files),
    )
    const sequence = this.files.at(-1)?.sequence ?? 0
    this.files = [...this.files, ...entries.filter(entry => entry.sequence > sequence)]
    return entries
  }

  removalsForgotten(): Promise<Date | undefined> {
    return this.#right.read(async connection => {
      const [row] = await connection.query(
        `SELECT removals_forgotten_ms AS ms FROM ${this.#words.table('categories')} WHERE ${inCategory(this.category)}`,
      )
      return row?.ms == null ? undefined : new Date(Number(row.ms))
    })
  }

  forgetRemovals(before: Date): Promise<void> {
    const here = inCategory(this.category)
    return this.#right.write(async connection => {
      await connection.query(
        `DELETE FROM ${this.#words.table('removals')} WHERE ${here} AND time_ms < ${before.getTime()}`,
      )
      await connection.query(
        `UPDATE ${this.#words.table('categories')} SET removals_forgotten_ms = ${before.getTime()} WHERE ${here}`,
      )
    })
  }

  /** Files of one table are merged together, but for a full file that finds rows. */
  async #applyIn(
    connection: SqlConnection,
    files: readonly TargetFile[],
  ): Promise<readonly AppliedFile[]> {
    const entries: AppliedFile[] = []
    const first = (this.files.at(-1)?.sequence ?? 0) + 1
    for (let n = 0; n < files.length; ) {
      const table = tableOfFile(this.#tables, files[n]!.id)
      const isEmpty = await this.#isEmpty(connection, table)
      let end = n + 1
      if (files[n]!.generated === undefined || isEmpty)
        while (end < files.length && this.#isAlike(files[end]!, table)) end++
      const group = files.slice(n, end)
      entries.push(...(await this.#applyGroup(connection, table, group, first + n, isEmpty)))
      n = end
    }
    for (const [n, entry] of entries.entries()) {
      await files[n]!.accept(entry, [...this.files, ...entries.slice(0, n)])
      await this.#writeEntry(connection, entry)
    }
    return entries
  }

  #isAlike({ id, generated }: TargetFile, table: RowTable): boolean {
    return generated === undefined && tableOfFile(this.#tables, id) === table
  }

  async #isEmpty(connection: SqlConnection, table: RowTable): Promise<boolean> {
    const here = inCategory(this.category)
    const [found] = await connection.query(
      `SELECT EXISTS (SELECT 1 FROM ${this.#words.table(table.name)} WHERE ${here})
         OR EXISTS (SELECT 1 FROM ${this.#words.table('removals')}
           WHERE ${here} AND row_table = ${sqlText(table.name)}) AS found`,
    )
    return found!.found === false
  }

  async #applyGroup(
    connection: SqlConnection,
    table: RowTable,
    files: readonly TargetFile[],
    sequence: number,
    isEmpty: boolean,
  ): Promise<AppliedFile[]> {
    const { category } = this
    const words = this.#words
    const [head] = files
    const own = isOwn(head!.id)
    const timeMs = head!.generated?.getTime()
    if (own && timeMs !== undefined) this.#checkTime(table, timeMs, head!)
    const needsCount = !isEmpty && (own || timeMs !== undefined)
    const rowsBefore = needsCount ? await countRows(words, connection, table, category) : 0
    const arriving: SqlFiles = { table, category, files, sequence }
    const gathered = await gatherHeads(words, connection, arriving)
    const fullMs = own && !isEmpty ? timeMs : undefined
    const arrived: ArrivedFiles = { ...arriving, gathered, fullMs }
    const tallies = await mergeArrived(words, connection, arrived)
    let lacking = 0
    if (timeMs !== undefined && !isEmpty) {
      lacking = await sweep(words, connection, arrived, timeMs, own)
      tallies[0] = { ...tallies[0]!, deleted: tallies[0]!.deleted + lacking }
    }
    const deleted = tallies.reduce((sum, tally) => sum + tally.deleted, 0)
    if (timeMs !== undefined || (own && deleted > 0))
      head!.checkRemoval(rowsBefore, own ? deleted : lacking)
    await writeRows(words, connection, arriving, await placesOfLosers(words, connection))
    return files.map((file, n): AppliedFile => {
      const { id, identity, rawBytes, keylessRows = file.badRows } = file
      const badRows = file.badRows + gathered[n]!.refused
      const entry = {
        id,
        ...identity,
        rawBytes,
        sequence: sequence + n,
        rows: tallies[n]!,
        badRows,
      }
      const removedByBadRows = own && n === 0 ? Math.min(lacking, keylessRows) : 0
      return removedByBadRows > 0 ? { ...entry, removedByBadRows } : entry
    })
  }

  /**
   * A table has one row a key. With versions a row of a later file may have lost to one that a late
   * full file takes away, and would have to come back.
   */
  #checkTime({ hasVersions }: RowTable, timeMs: number, { id }: TargetFile): void {
    if (!hasVersions || !isOwn(id)) return
    const later = this.files.find(({ id: other }) => {
      if (!isOwn(other)) return false
      const isOfSameTime = Date.parse(other.time) === timeMs
      // A full file comes before the changes of its time.
      return isOfSameTime ? other.kind === 'changes' : Date.parse(other.time) > timeMs
    })
    if (later === undefined || !isOwn(later.id)) return
    const expected = `a time after that of the file ${later.id.id}, which a database has applied: with versions it takes no full file that comes late (a state folder does)`
    throw optionInvalid('source.files[].time', expected, id.time)
  }

  /** The unique name of a file refuses one that is there. */
  async #writeEntry(connection: SqlConnection, entry: AppliedFile): Promise<void> {
    const { marketplace, categoryId: feed_category } = entry.id
    const row = { marketplace, feed_category, ...ledgerRowOf(entry) }
    const values = Object.values(row).map(value =>
      value === null ? 'NULL' : typeof value === 'string' ? sqlText(value) : String(value),
    )
    await connection.query(
      `INSERT INTO ${this.#words.table('files')} (${Object.keys(row).join(', ')}, applied_at)
       VALUES (${values.join(', ')}, now())`,
    )
  }
}
