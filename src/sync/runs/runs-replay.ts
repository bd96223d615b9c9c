// A replay into one category of a folder of runs. The mended rows of a file become a run with the
// number of that file, so that they are merged as if the file had had them. A row that a later
// bootstrap lacks is left out: the removals of that bootstrap may be merged into other runs already.

import type { Columns, FeedSchema } from '../../engine/index'
import {
  effectOf,
  isEffective,
  meaningOf,
  RowSorter,
  type RunTable,
  rankOf,
  recordOf,
  rowOf,
} from '../../state/index'
import { fullTimeOf, isBootstrap, isOwn, readDate } from '../file-id'
import { stateChanges } from '../folder/change-log'
import type { AppliedFile, CategoryReplay, ReplayedRows, TargetRows } from '../target/target'
import type { FileChanges } from './file-changes'
import type { RunsEntry } from './ledger'
import { type ReplayedChanges, type TableName, tableOf } from './manifest'
import type { ReplayedCategory, ReplayLog } from './replay-log'

/** The category that mended rows go to. */
interface MendedCategory extends ReplayedCategory {
  /** The number of the next mending. */
  readonly nextMending: number
  schemaOf(name: TableName): FeedSchema<Columns>
  /** Returns the rows that stand. */
  table(name: TableName): Promise<RunTable<Columns>>
  /** Makes mended rows of a file durable, together with the length of the log of their changes. */
  addMended(entry: RunsEntry, rows: RowSorter, replayed: ReplayedChanges | undefined): Promise<void>
}

/** The rows of one file that wait for their commit. */
interface Waiting {
  readonly entry: RunsEntry
  readonly table: RunTable<Columns>
  readonly rows: RowSorter
  readonly mended: number
  readonly keys: Set<string>
}

export class RunsReplay implements CategoryReplay {
  readonly #runs: MendedCategory
  readonly #changes: FileChanges
  readonly #sortBytes: number
  readonly #log: ReplayLog
  #waiting: Waiting | undefined

  /** @param sortBytes bytes of rows that are sorted at once */
  constructor(runs: MendedCategory, changes: FileChanges, sortBytes: number) {
    this.#runs = runs
    this.#changes = changes
    this.#sortBytes = sortBytes
    this.#log = changes.replayLog(runs)
  }

  async merge({ id, sequence }: AppliedFile, rows: TargetRows): Promise<ReplayedRows> {
    const { forgottenMs = Number.NEGATIVE_INFINITY, files } = this.#runs.manifest
    const entry = files.find(each => each.sequence === sequence)!
    if (this.#waiting?.entry.sequence !== sequence) await this.commit()
    const times = rows.heads.timeMs.subarray(0, rows.length)
    const keptMs = Math.max(forgottenMs, sweptMs(files, { id, sequence }))
    const meaning = meaningOf(recordOf(rows.batch))
    let merged = 0
    for (let n = 0; n < rows.length; n++)
      if (times[n]! >= keptMs && (await this.#add(entry, rows, n, meaning))) merged++
    const tooOld = [...times.keys()].filter(row => times[row]! < forgottenMs)
    return { merged, stale: rows.length - merged - tooOld.length, tooOld }
  }

  async commit(): Promise<void> {
    const waiting = this.#waiting
    if (waiting === undefined) return
    this.#waiting = undefined
    const replayed = await this.#log.flush()
    if (waiting.rows.rows > 0) await this.#runs.addMended(waiting.entry, waiting.rows, replayed)
  }

  close(): Promise<void> {
    return this.#log.close()
  }

  /**
   * Returns true if a row has an effect.
   * @param meaning what the cells of the rows mean
   */
  async #add(entry: RunsEntry, arrived: TargetRows, n: number, meaning: number): Promise<boolean> {
    const { batch } = arrived
    const key = arrived.key(n)
    const head = arrived.head(n)
    // The later of two rows with one key finds the earlier among those that stand.
    if (this.#waiting?.keys.has(key)) await this.commit()
    this.#waiting ??= await this.#begin(entry)
    const { table, rows, mended } = this.#waiting
    const stood = await table.newest(key)
    const rank = rankOf(batch.file)
    const place = arrived.heads.row[n]!
    const { kind, writes } = effectOf({ ...head, mended, meaning, rank, place }, stood)
    // A late full file may take away what a row of one's own has lost to.
    if (!writes && rank === undefined) return false
    this.#waiting.keys.add(key)
    rows.add(arrived.select(at => at === n))
    const changeRows = this.#changes.rowsOfReplay(entry)
    if (isEffective(kind) && changeRows !== undefined) {
      const part = tableOf(entry.id)
      const before = changeRows === 'both' ? await rowOf(stood, this.#runs.schemaOf(part)) : null
      const change = {
        part,
        kind,
        itemId: key,
        version: head.version,
        row: kind === 'deleted' ? null : batch.row(n).detach(),
        before: before?.detach() ?? null,
      }
      await this.#log.add(stateChanges([change], { id: entry.id, changeRows }))
    }
    if (rows.byteLength >= this.#sortBytes) await this.commit()
    return isEffective(kind)
  }

  async #begin(entry: RunsEntry): Promise<Waiting> {
    const mended = this.#runs.nextMending
    const table = await this.#runs.table(tableOf(entry.id))
    return { entry, table, mended, rows: new RowSorter({ mended }), keys: new Set() }
  }
}

/** The time of the newest bootstrap that was applied after a file: it lacks the older rows. */
function sweptMs(
  files: readonly AppliedFile[],
  { id, sequence }: Pick<AppliedFile, 'id' | 'sequence'>,
): number {
  // The version of a row of one's own may be no time. Behind a later full file all rows are too old.
  if (isOwn(id)) {
    const isLaterFull = (file: AppliedFile) => (fullTimeOf(file.id)?.toISOString() ?? '') > id.time
    return files.some(isLaterFull) ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY
  }
  const swept = id.feed === 'item_snapshot' ? 'item' : id.feed
  const later = files.flatMap(file => {
    if (!isBootstrap(file.id) || file.id.feed !== swept || file.sequence <= sequence) return []
    const generated = readDate(file.id.generation ?? file.lastModified)
    return generated === undefined ? [] : [generated.getTime()]
  })
  return Math.max(Number.NEGATIVE_INFINITY, ...later)
}
