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
  recordOf,
  rowOf,
} from '../../state/index'
import { fullTimeOf, isBootstrap, isOwn, readDate } from '../file-id'
import { stateChanges } from '../folder/change-log'
import type { ReplayedChanges, ReplayLog } from '../folder/replay-log'
import type { AppliedFile, CategoryReplay, ReplayedRows, TargetRows } from '../target/target'
import { type Manifest, type RunsEntry, type TableName, tableOf } from './manifest'

/** What a replay needs of its category. */
export interface ReplayedRuns {
  readonly manifest: Manifest
  readonly log: ReplayLog
  schemaOf(name: TableName): FeedSchema<Columns>
  /** Returns the rows that stand. */
  table(name: TableName): Promise<RunTable<Columns>>
  /** Makes mended rows of a file durable, together with the length of the log. */
  addMended(entry: RunsEntry, rows: RowSorter, replayed: ReplayedChanges | undefined): Promise<void>
}

export interface RunsReplayOptions {
  readonly runs: ReplayedRuns
  readonly sortBytes: number
  /** Returns the rows that changes have; undefined where none are wanted. */
  readonly changeRowsOf: (entry: RunsEntry) => RunsEntry['changeRows']
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
  readonly #options: RunsReplayOptions
  #waiting: Waiting | undefined

  constructor(options: RunsReplayOptions) {
    this.#options = options
  }

  async merge({ id, sequence }: AppliedFile, rows: TargetRows): Promise<ReplayedRows> {
    const { forgottenMs = Number.NEGATIVE_INFINITY, files } = this.#options.runs.manifest
    const entry = files.find(each => each.sequence === sequence)!
    if (this.#waiting?.entry.sequence !== sequence) await this.commit()
    const times = rows.heads.map(({ version }) => version.timeMs)
    const keptMs = Math.max(forgottenMs, sweptMs(files, { id, sequence }))
    let merged = 0
    for (let n = 0; n < rows.keys.length; n++)
      if (times[n]! >= keptMs && (await this.#add(entry, rows, n))) merged++
    const tooOld = times.flatMap((time, row) => (time < forgottenMs ? [row] : []))
    return { merged, stale: rows.keys.length - merged - tooOld.length, tooOld }
  }

  async commit(): Promise<void> {
    const waiting = this.#waiting
    if (waiting === undefined) return
    this.#waiting = undefined
    const { runs } = this.#options
    const replayed = await runs.log.flush()
    if (waiting.rows.rows > 0) await runs.addMended(waiting.entry, waiting.rows, replayed)
  }

  close(): Promise<void> {
    return this.#options.runs.log.close()
  }

  /** Returns true where a row has an effect. */
  async #add(entry: RunsEntry, { batch, keys, heads }: TargetRows, n: number): Promise<boolean> {
    const key = keys[n]!
    // The later of two rows with one key finds the earlier among those that stand.
    if (this.#waiting?.keys.has(key)) await this.commit()
    this.#waiting ??= await this.#begin(entry)
    const { table, rows, mended } = this.#waiting
    const meaning = meaningOf(recordOf(batch))
    const stood = await table.newest(key)
    const { kind, writes } = effectOf({ ...heads[n]!, mended, meaning }, stood)
    if (!writes) return false
    this.#waiting.keys.add(key)
    let at = 0
    rows.add({ batch: batch.select(() => at++ === n), keys: [key], heads: [heads[n]!] })
    if (isEffective(kind)) {
      const changeRows = this.#options.changeRowsOf(entry)
      const schema = this.#options.runs.schemaOf(tableOf(entry.id))
      const stands = changeRows === 'both' ? await rowOf(stood, schema) : undefined
      const before = stands === undefined ? undefined : (stands?.detach() ?? null)
      const row = kind === 'deleted' ? null : batch.row(n).detach()
      const { version } = heads[n]!
      const change = { part: tableOf(entry.id), kind, itemId: key, version, row, before }
      if (changeRows !== undefined)
        await this.#options.runs.log.add(stateChanges([change], { id: entry.id, changeRows }))
    }
    if (rows.byteLength >= this.#options.sortBytes) await this.commit()
    return isEffective(kind)
  }

  async #begin(entry: RunsEntry): Promise<Waiting> {
    const { runs } = this.#options
    const mended = nextMending(runs.manifest)
    const table = await runs.table(tableOf(entry.id))
    return { entry, table, mended, rows: new RowSorter([], mended), keys: new Set() }
  }
}

/** The number of the next mending. */
export function nextMending({ mended = 0 }: Manifest): number {
  return mended + 1
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
