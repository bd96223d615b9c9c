// Puts mended rows of quarantines back into a state folder. Rows have the versions that they had in
// their files, so a row that a newer one has replaced meanwhile changes nothing, and a repeated
// replay neither. What is left of a quarantine replaces its file after the other rows are durable.

import {
  type Columns,
  closing,
  type DurableFiles,
  FeedError,
  is,
  leftOutRow,
  mendedRows,
  type OptionTable,
  optionInvalid,
  type QuarantinedRow,
  QuarantineWriter,
  quarantinedRows,
  type Row,
  type RowQuarantine,
  readOptions,
  rowsWithBadCells,
  stateIo,
} from '../../engine/index'
import { keyedRows } from '../../state/index'
import { type RowRules, rowRulesOf } from '../file/row-rules'
import { type FileId, feedFileOf, fileIdKey, isOwn, readFileIdKey } from '../file-id'
import type { ChangeSink } from '../folder/change-log'
import type { Environment } from '../folder/environment'
import { DEFAULT_MEMORY_BYTES, MEMORY_BYTES, memoryShares } from '../memory-shares'
import { openStateFolder } from '../runs/state-folder'
import { type FeedSource, refuseWholeRows, rulesOfSource } from '../source/feed-source'
import { SIGNAL, type SyncOptions } from '../sync-options'
import type { AppliedFile, CategoryReplay, TargetCategory, TargetRows } from '../target/target'

/** The size of one read. */
const READ_BYTES = 1 << 16

export interface ReplayStateOptions<C extends Columns = Columns>
  extends Pick<SyncOptions, 'memoryBytes'> {
  /** The state folder. */
  readonly folder: string
  /** The feed of your own that the rows are of. Default: none; they are of the service. */
  readonly source?: FeedSource<C>
  /** The quarantines, such as the files in the folder `quarantine` of the state folder. */
  readonly files: readonly string[]
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

const OPTIONS = {
  folder: is.filePath,
  source: is.any,
  files: is.texts,
  memoryBytes: [MEMORY_BYTES, DEFAULT_MEMORY_BYTES],
  changes: [is.withMethods<ChangeSink>('write')],
  changeRows: [is.choice('after', 'both')],
  signal: [SIGNAL],
  environment: is.any,
} satisfies OptionTable<ReplayStateOptions>

/**
 * Merges the rows of quarantines into the state folder that they came from, after somebody has
 * mended the `text` of their records. A row gets the version order of its file, so a late row does
 * not replace newer ones, and a second replay of the same rows changes nothing. A mended row
 * replaces the one of the same version, which the state has kept with a bad cell. Rows that are
 * still bad stay in their file; a file of which nothing is left is removed. Where a record has
 * become several rows, each is merged. A record whose text is empty is dropped. The changes of the
 * state are recorded as those of a synchronisation are.
 *
 * @throws FeedError OPTION_INVALID, QUARANTINE_INVALID for a line that is no record, and for a file
 * that the state folder does not have; STATE_LOCKED while a run has the folder, STATE_FOREIGN,
 * STATE_CORRUPT, STATE_IO; the signal's reason
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
export async function replayIntoState<C extends Columns = Columns>(
  given: ReplayStateOptions<C>,
): Promise<ReplaySummary> {
  const options = readOptions(given as unknown as ReplayStateOptions, OPTIONS)
  const { folder, files, source, memoryBytes, environment, changes, changeRows } = options
  const signal = options.signal ?? new AbortController().signal
  const { sortBytes } = memoryShares(memoryBytes, 1)
  const own = source && rulesOfSource(source)
  if (source !== undefined) refuseWholeRows(source, { files })
  const target = await openStateFolder({
    folder,
    origin: undefined,
    own,
    sortBytes,
    environment,
    changes: { changes: changes ?? 'files', changeRows },
  })
  const categoryOf = async (id: FileId) => {
    if (isOwn(id) && id.categoryId !== source?.name)
      throw optionInvalid('source', `the feed ${id.categoryId}`, source?.name)
    return target.known(id)
  }
  return closing(target, () => replayFiles(files, { ...target, categoryOf, own, signal }))
}

/** Where mended rows go. */
export interface ReplayPlace {
  readonly files: DurableFiles
  readonly signal: AbortSignal
  /** What the rows of a feed of one's own are. */
  readonly own?: RowRules | undefined
  /** Returns the category of a file; undefined where the target lacks it. */
  categoryOf(id: FileId): Promise<TargetCategory | undefined>
}

/** Merges the rows of quarantines into their categories. */
export function replayFiles(paths: readonly string[], place: ReplayPlace): Promise<ReplaySummary> {
  return closing(new Replay(place), async replay => {
    for (const path of paths) await replay.file(path)
    return replay.summary
  })
}

/** The file of the records that are being read, and its place in the target. */
interface Source {
  readonly of: QuarantinedRow['of']
  readonly file: AppliedFile
  readonly replay: CategoryReplay
}

class Replay {
  readonly #place: ReplayPlace
  readonly #replays = new Map<TargetCategory, CategoryReplay>()
  readonly #counts = { merged: 0, stale: 0, stillBad: 0, tooOld: 0 }
  #source: Source | undefined

  constructor(place: ReplayPlace) {
    this.#place = place
  }

  get summary(): ReplaySummary {
    const { merged, stale, stillBad, tooOld } = this.#counts
    return { rowsRead: merged + stale + stillBad + tooOld, ...this.#counts }
  }

  async file(path: string): Promise<void> {
    const file = await this.#place.files.open(path)
    if (file === undefined) throw stateIo(path, 'open', 'ENOENT')
    const kept = new QuarantineWriter({
      files: this.#place.files,
      path: `${path}.partial`,
      length: 0,
    })
    const tooOldBefore = this.#counts.tooOld
    await closing(file, async () => {
      let at = 0
      const read = async () => {
        const bytes = await file.read(at, READ_BYTES)
        at += bytes.length
        return bytes
      }
      for await (const row of quarantinedRows(path, read, false)) {
        this.#place.signal.throwIfAborted()
        await this.#row(path, row, kept)
      }
    })
    await this.#source?.replay.commit()
    await kept.replace(path)
    this.#counts.stillBad += kept.rows - (this.#counts.tooOld - tooOldBefore)
  }

  async close(): Promise<void> {
    for (const replay of this.#replays.values()) await replay.close()
  }

  async #row(path: string, row: QuarantinedRow, kept: QuarantineWriter): Promise<void> {
    if (row.of !== this.#source?.of) {
      await this.#source?.replay.commit()
      this.#source = await this.#sourceOf(path, row)
    }
    const { of, file, replay } = this.#source
    const { id, lastModified } = file
    // The records of the rows that stay name their file as it was named before.
    const quarantine: RowQuarantine = {
      take: leftOut => kept.take({ ...leftOut, of }),
      settle: () => undefined,
      flush: () => undefined,
    }
    // A row that keeps its key without a version is in the state already.
    const rules = { ...rowRulesOf(id, this.#place.own), versionless: undefined }
    const batches = mendedRows(row, {
      schema: rules.schema,
      file: feedFileOf(id, lastModified),
      onBadRow: quarantine,
    })
    for (const batch of batches) {
      const leaveOut = (row: Row<Columns>, error: FeedError) =>
        quarantine.take(leftOutRow(row, error))
      const bad = new Map(rowsWithBadCells(batch).map(({ row, error }) => [row.slot, error]))
      const good = batch.select(row => {
        const error = bad.get(row.slot)
        if (error !== undefined) leaveOut(row, error)
        return error === undefined
      })
      const rows = keyedRows(good, rules, leaveOut)
      const { merged, stale, tooOld } = await replay.merge(file, rows)
      this.#counts.merged += merged
      this.#counts.stale += stale
      this.#counts.tooOld += tooOld.length
      for (const n of tooOld) quarantine.take({ of, ...tooOldRow(rows, n) })
    }
    await kept.settle()
  }

  async #sourceOf(path: string, { of }: QuarantinedRow): Promise<Source> {
    const id = readFileIdKey(of.name ?? '')
    const category = id && (await this.#place.categoryOf(id))
    const file = id && category?.files.find(each => fileIdKey(each.id) === fileIdKey(id))
    if (category?.replay === undefined || file === undefined) {
      const reason = `the state folder has no file ${of.name ?? 'without a name'}`
      const message = `${path}: ${reason}: give the folder that the quarantine came from`
      throw new FeedError('QUARANTINE_INVALID', message, { path, line: 1, reason })
    }
    const replay = this.#replays.get(category) ?? (await category.replay())
    this.#replays.set(category, replay)
    return { of, file, replay }
  }
}

function tooOldRow({ batch }: TargetRows, n: number) {
  const { slot, position } = batch.row(n)
  const message = 'removals of its time are forgotten, so the row cannot be put in order'
  const reason = { code: 'VERSION_MISSING', message }
  return { position, bytes: batch.lineOf(slot), reason }
}
