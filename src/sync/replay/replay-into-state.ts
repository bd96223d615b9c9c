// Puts mended rows of quarantines back into a state folder. Rows have the versions that they had in
// their files, so a row that a newer one has replaced meanwhile changes nothing, and a repeated
// replay neither. What is left of a quarantine replaces its file.

import type { Columns, QuarantinedRow, Row, RowBatch } from '../../engine/index'
import {
  choice,
  FeedError,
  filePath,
  knownOptions,
  leftOutRow,
  mendedRows,
  type OptionNames,
  rowsWithBadCells,
  texts,
  type Version,
  versionOfRow,
  withMethods,
} from '../../engine/index'
import { isRowError, keyOfRow } from '../../state/index'
import { feedFileOf, isBootstrap, keyColumnOf, readDate, schemaOfFile } from '../feed-files'
import { finishFolder, type UnfinishedFile } from '../file/finish-file'
import { categoryKey, type FileId, readFileIdKey } from '../file-id'
import type { CategoryState } from '../folder/category-state'
import type { ChangeSink } from '../folder/change-log'
import type { Environment } from '../folder/environment'
import type { LedgerEntry } from '../folder/ledger'
import { StateFolder } from '../folder/state-folder'
import { DEFAULT_MEMORY_BYTES, memoryShares } from '../memory-shares'
import { checkedSignal } from '../sync-options'
import { quarantinedRows } from './quarantined-rows'
import { RemainingRows } from './remaining-rows'
import { ReplayLog, type ReplayLogOptions } from './replay-log'

export interface ReplayStateOptions {
  /** The state folder. */
  readonly folder: string
  /** The quarantines, such as the files in the folder `quarantine` of the state folder. */
  readonly files: readonly string[]
  /** Memory limit of the process in bytes, about. Default: 256 MiB. Bounds: 240 MiB or more. */
  readonly memoryBytes?: number
  /**
   * Takes the changes that the replay makes to the state. Default: none; then the changes go to a
   * log of their own in the folder `changes`, unless the run that applied the file of the rows
   * recorded none. After a crash a sink may get some changes again, and the log has each once.
   */
  readonly changes?: ChangeSink
  /** The rows that a change has. Default: those of the run that applied the file of the row. */
  readonly changeRows?: 'after' | 'both'
  /**
   * Stops the replay. The state keeps the rows that were merged, and the files stay. Default: none.
   */
  readonly signal?: AbortSignal
  /** @internal */
  readonly environment?: Environment
}

/** What a replay did: `rowsRead` is the sum of the other numbers. */
export interface ReplaySummary {
  /** Number of rows in the records, after they were mended. */
  readonly rowsRead: number
  /** Number of rows that were merged and changed the state. */
  readonly merged: number
  /** Number of rows that changed nothing: the state has them, or something newer. */
  readonly stale: number
  /** Number of rows that are still bad. They stay in their files, with their new errors. */
  readonly stillBad: number
  /**
   * Number of rows from before the time up to which the state has forgotten removals: nothing says
   * any more whether they were removed. They stay in their files.
   */
  readonly tooOld: number
}

const NAMES: OptionNames<ReplayStateOptions> = {
  folder: true,
  files: true,
  memoryBytes: true,
  changes: true,
  changeRows: true,
  signal: true,
  environment: true,
}

/**
 * Merges the rows of quarantines into the state folder that they came from, after somebody has
 * mended the `text` of their records. A row gets the version order of its file, so a late row does
 * not replace newer ones, and a second replay of the same rows changes nothing. A mended row replaces
 * the one of the same version, which the state has kept with a bad cell. Rows that are still
 * bad stay in their file; a file of which nothing is left is removed. Where a record has become
 * several rows, each is merged. A record whose text is empty is dropped. The changes of the state
 * are recorded as those of a synchronisation are.
 *
 * @throws FeedError OPTION_INVALID, QUARANTINE_INVALID for a line that is no record, and for a file
 * that the state folder does not have; STATE_LOCKED while a run has the folder, STATE_FOREIGN,
 * STATE_CORRUPT, STATE_IO, DEPENDENCY_MISSING; the signal's reason
 * @example
 * ```ts
 * import { replayIntoState, sync } from 'feedmill/sync'
 * // given: service, now
 *
 * const category = { marketplace: 'MKT_US', categories: ['220'] }
 * await sync({ service, ...category, folder: 'mended', now, quarantine: 'files' }).summary
 * const { stillBad } = await replayIntoState({ folder: 'mended', files: [] })
 * console.log(stillBad)
 * // => 0
 * ```
 */
export async function replayIntoState(options: ReplayStateOptions): Promise<ReplaySummary> {
  const {
    folder,
    files,
    memoryBytes = DEFAULT_MEMORY_BYTES,
    environment,
  } = knownOptions(options, NAMES)
  filePath('folder', folder)
  texts('files', files)
  const { changes, changeRows } = options
  if (changes !== undefined) withMethods('changes', changes, ['write'])
  if (changeRows !== undefined) choice('changeRows', changeRows, ['after', 'both'])
  const signal = checkedSignal(options.signal) ?? new AbortController().signal
  const { storeBytes, commitBytes } = memoryShares(memoryBytes, 1)
  // The file of a row may want the row before, and is known only when the row is read.
  const state = await StateFolder.open({ folder, storeBytes, environment, beforeRows: true })
  try {
    const finish = { commitBytes, signal, sink: changes }
    const unfinished = await finishFolder(state, finish, () => true)
    const replay = new Replay({
      state,
      unfinished,
      commitBytes,
      signal,
      sink: changes,
      changeRows,
    })
    try {
      for (const path of files) await replay.file(path)
      return replay.summary
    } finally {
      await replay.close()
    }
  } finally {
    await state.close()
  }
}

/** The file of the records that are being read, and its place in the state. */
interface Source {
  readonly of: QuarantinedRow['of']
  readonly category: CategoryState
  readonly entry: LedgerEntry
  readonly log: ReplayLog
  /** The time before which rows of the category cannot be put in order. */
  readonly forgottenMs: number
  /** The time of the newest bootstrap that was applied later: it lacks the older rows. */
  readonly sweptMs: number
}

interface Settings extends Pick<ReplayLogOptions, 'sink' | 'changeRows'> {
  readonly state: StateFolder
  readonly unfinished: ReadonlyMap<string, UnfinishedFile>
  readonly commitBytes: number
  readonly signal: AbortSignal
}

class Replay {
  readonly #settings: Settings
  readonly #logs = new Map<CategoryState, ReplayLog>()
  readonly #counts = { merged: 0, stale: 0, stillBad: 0, tooOld: 0 }
  #source: Source | undefined

  constructor(settings: Settings) {
    this.#settings = settings
  }

  get summary(): ReplaySummary {
    const { merged, stale, stillBad, tooOld } = this.#counts
    return { rowsRead: merged + stale + stillBad + tooOld, ...this.#counts }
  }

  async file(path: string): Promise<void> {
    const { files } = this.#settings.state
    const remaining = new RemainingRows(files, path)
    try {
      for await (const row of quarantinedRows(files, path)) {
        this.#settings.signal.throwIfAborted()
        await this.#row(path, row, remaining)
      }
      await this.#commit()
      this.#counts.stillBad += remaining.badRows
      await remaining.replaceFile()
    } finally {
      await remaining.close()
    }
  }

  async close(): Promise<void> {
    for (const log of this.#logs.values()) await log.close()
  }

  async #row(path: string, row: QuarantinedRow, remaining: RemainingRows): Promise<void> {
    if (row.of !== this.#source?.of) {
      await this.#commit()
      this.#source = await this.#sourceOf(path, row)
    }
    const source = this.#source
    const { id, lastModified } = source.entry
    const batches = mendedRows(row, {
      schema: schemaOfFile(id),
      file: feedFileOf(id, lastModified),
      onBadRow: remaining.of(row.of),
    })
    for (const batch of batches) await this.#merge(batch, source, remaining)
    await remaining.settle()
    if (source.category.gatheredBytes >= this.#settings.commitBytes) await this.#commit()
  }

  async #merge(
    batch: RowBatch<Columns>,
    { of, category, entry, log, forgottenMs, sweptMs }: Source,
    remaining: RemainingRows,
  ): Promise<void> {
    const kept = remaining.of(of)
    const badCells = new Map(rowsWithBadCells(batch).map(({ row, error }) => [row.slot, error]))
    const keys: string[] = []
    const good = batch.select(row => {
      const version = goodVersion(row, entry.id, error => kept.take(leftOutRow(row, error)))
      if (version === undefined) return false
      const badCell = badCells.get(row.slot)
      if (badCell !== undefined) {
        kept.take(leftOutRow(row, badCell))
        return false
      }
      if (version.timeMs < forgottenMs) {
        remaining.keep(of, row)
        this.#counts.tooOld++
      } else if (version.timeMs < sweptMs) this.#counts.stale++
      else {
        keys.push(keyOfRow(row, keyColumnOf(entry.id)))
        return true
      }
      return false
    })
    // The file itself has removed the items that seemed to be absent from it.
    const { id } = entry
    const generated = isBootstrap(id) ? readDate(id.generation ?? entry.lastModified) : undefined
    if (isBootstrap(id) && generated !== undefined) await category.unsweep(id.feed, keys, generated)
    const changes = await category.merge(good, { winsTies: true })
    await log.add(changes, entry)
    for (const { kind } of changes)
      this.#counts[kind === 'stale' || kind === 'unchanged' ? 'stale' : 'merged']++
  }

  async #commit(): Promise<void> {
    if (this.#source === undefined) return
    const { category, entry, log } = this.#source
    const replayed = await log.flush()
    await category.commit(entry, { sync: true, replayed })
  }

  async #sourceOf(path: string, { of }: QuarantinedRow): Promise<Source> {
    const id = readFileIdKey(of.name ?? '')
    const category =
      id &&
      this.#settings.state.categories.find(each => categoryKey(each.category) === categoryKey(id))
    const entry = id && category?.ledger.get(id)
    if (category === undefined || entry === undefined) {
      const reason = `the state folder has no file ${of.name ?? 'without a name'}`
      const message = `${path}: ${reason}: give the folder that the quarantine came from`
      throw new FeedError('QUARANTINE_INVALID', message, { path, line: 1, reason })
    }
    const problem = this.#settings.unfinished.get(categoryKey(category.category))
    if (problem !== undefined) throw problem.error
    const forgotten = await category.compacted()
    return {
      of,
      category,
      entry,
      log: this.#logOf(category),
      forgottenMs: forgotten?.getTime() ?? Number.NEGATIVE_INFINITY,
      sweptMs: sweptMs(category, entry),
    }
  }

  #logOf(category: CategoryState): ReplayLog {
    let log = this.#logs.get(category)
    if (log === undefined) {
      const { state: folder, sink, changeRows } = this.#settings
      this.#logs.set(category, (log = new ReplayLog({ folder, category, sink, changeRows })))
    }
    return log
  }
}

function sweptMs({ ledger }: CategoryState, { id, sequence }: LedgerEntry): number {
  const swept = id.feed === 'item_snapshot' ? 'item' : id.feed
  const later = ledger.entries.flatMap(entry => {
    if (!isBootstrap(entry.id) || entry.id.feed !== swept || entry.sequence <= sequence) return []
    const generated = readDate(entry.id.generation ?? entry.lastModified)
    return generated === undefined ? [] : [generated.getTime()]
  })
  return Math.max(Number.NEGATIVE_INFINITY, ...later)
}

/** Returns undefined for a row without a key or a version, after `leaveOut` was called. */
function goodVersion(
  row: Row<Columns>,
  id: FileId,
  leaveOut: (error: FeedError) => void,
): Version | undefined {
  try {
    return versionOfRow(row, keyOfRow(row, keyColumnOf(id)))
  } catch (error) {
    if (!FeedError.is(error) || !isRowError(error)) throw error
    leaveOut(error)
    return undefined
  }
}
