// Applies the rows of one verified file to the state of its category. Rows, their tally and the
// position behind them are committed together, some megabytes at a time. A run that was killed
// continues behind the last commit, in the middle of the file.

import type { ChangeKind } from '../../codec/merge/register'
import { versionOfRow } from '../../codec/merge/version-order'
import type { RowBatch } from '../../codec/row-batch'
import { TsvParser } from '../../codec/tsv/parser'
import { turnIfDue } from '../../core/event-loop'
import { PAUSE, type Pause } from '../../core/steps'
import type { DurableFile } from '../../disk/durable-files'
import type { Columns } from '../../schema/feed-schema'
import { isRowError, keyOfRow } from '../../state/row-key'
import { feedFileOf, isBootstrap, keyColumnOf, readDate, schemaOfFile } from '../feed-files'
import type { CategoryChange, CategoryState } from '../folder/category-state'
import type { ChangeLog, StateChange } from '../folder/change-log'
import type { Checkpoint } from '../folder/checkpoint'
import type { LedgerEntry } from '../folder/ledger'
import { NO_ROWS, type RowTally } from '../target/target'
import { canResume, FileInflater } from './file-inflater'

export interface ApplyOptions {
  readonly state: CategoryState
  /** The entry is in the ledger as `applying`. */
  readonly entry: LedgerEntry
  /** The compressed file; undefined for an empty one. The caller closes it. */
  readonly data: DurableFile | undefined
  readonly log?: ChangeLog | undefined
  /** Bytes of rows that are gathered before a commit. */
  readonly commitBytes: number
  /** Compressed bytes of one read. */
  readonly readBytes?: number | undefined
  readonly batchBytes?: number | undefined
  readonly signal: AbortSignal
  /** Called with the number of rows that a step has merged. */
  readonly onRows?: ((rows: number) => void) | undefined
}

/**
 * Merges the rest of the file and makes its entry `done`, durably. After an abort a second call
 * continues behind the last commit.
 */
export async function applyFile(options: ApplyOptions): Promise<LedgerEntry> {
  const run = new Application(options)
  if (options.data !== undefined) await run.rows(options.data)
  await run.sweep()
  return run.done()
}

class Application {
  readonly #options: ApplyOptions
  #entry: LedgerEntry
  readonly #tally: Record<ChangeKind, number>
  /** Rows that the merge has left out. The parser counts its own. */
  #unmerged: number
  #parser: TsvParser<Columns> | undefined

  constructor(options: ApplyOptions) {
    this.#options = options
    this.#entry = options.entry
    this.#tally = { ...options.entry.rows }
    this.#unmerged = options.entry.badRows
  }

  async rows(data: DurableFile): Promise<void> {
    if (this.#entry.rowsDone) return
    const checkpoint = canResume() ? await this.#options.state.checkpoint(this.#entry) : undefined
    const parser = this.#newParser(checkpoint)
    const inflater = new FileInflater(data, checkpoint?.inflater, this.#options.readBytes)
    try {
      for await (const block of inflater.blocks()) {
        await this.#mergeAll(parser.steps(block))
        await this.#commitIfDue(inflater, parser)
      }
      await this.#mergeAll(parser.lastSteps())
    } finally {
      inflater.close()
      parser.destroy()
    }
    this.#entry = { ...this.#entry, rowsDone: true }
    // A sweep reads committed rows. Other files need only the commit of `done`.
    if (isBootstrap(this.#entry.id)) await this.#commit()
  }

  /**
   * Removes the rows that a bootstrap lacks. A repeated sweep finds only the rows that are left.
   */
  async sweep(): Promise<void> {
    const { id, lastModified } = this.#entry
    const generated = isBootstrap(id) ? readDate(id.generation ?? lastModified) : undefined
    if (!isBootstrap(id) || generated === undefined) return
    for await (const changes of this.#options.state.sweep(id.feed, generated)) {
      await this.#count(changes)
      if (this.#options.state.gatheredBytes >= this.#options.commitBytes) await this.#commit()
    }
  }

  async done(): Promise<LedgerEntry> {
    const changeBytes = await this.#flushLog()
    const done: LedgerEntry = { ...this.#current(changeBytes), state: 'done' }
    await this.#options.state.commit(done, undefined, { sync: true })
    return done
  }

  #newParser(checkpoint: Checkpoint | undefined): TsvParser<Columns> {
    const { id, lastModified } = this.#entry
    const { batchBytes } = this.#options
    const parser = new TsvParser<Columns>({
      schema: schemaOfFile(id),
      file: feedFileOf(id, lastModified),
      onBadRow: 'skip',
      ...(batchBytes !== undefined && { batchBytes }),
      ...(checkpoint && { start: checkpoint.parser }),
    })
    if (checkpoint === undefined) this.#startOver()
    else this.#unmerged -= parser.badRows
    this.#parser = parser
    return parser
  }

  /** Resets the counters where all rows are read again. */
  #startOver(): void {
    Object.assign(this.#tally, NO_ROWS)
    this.#unmerged = 0
  }

  async #mergeAll(steps: Iterable<RowBatch<Columns> | Pause>): Promise<void> {
    for (const step of steps) {
      if (step !== PAUSE) await this.#merge(step)
      else await turnIfDue()
    }
  }

  async #merge(batch: RowBatch<Columns>): Promise<void> {
    this.#options.signal.throwIfAborted()
    await this.#count(await this.#mergeGood(batch))
  }

  async #mergeGood(batch: RowBatch<Columns>): Promise<readonly CategoryChange[]> {
    try {
      return await this.#options.state.merge(batch)
    } catch (error) {
      // A row at fault is left out and counted.
      if (!isRowError(error)) throw error
      const good = batch.select(row => this.#isGood(row))
      return good.length === batch.length ? Promise.reject(error) : this.#options.state.merge(good)
    }
  }

  #isGood(row: ReturnType<RowBatch<Columns>['row']>): boolean {
    try {
      versionOfRow(row, keyOfRow(row, keyColumnOf(row.batch.file)))
      return true
    } catch {
      // The row is counted below.
    }
    this.#unmerged++
    return false
  }

  async #count(changes: readonly CategoryChange[]): Promise<void> {
    const { log, onRows } = this.#options
    for (const { kind } of changes) this.#tally[kind]++
    const lines =
      log === undefined ? [] : changes.filter(isEffective).map(change => this.#stateChange(change))
    if (lines.length > 0) await log?.add(lines)
    onRows?.(changes.length)
  }

  #stateChange({ part, kind, itemId: id, version, row }: EffectiveChange): StateChange {
    return { part, kind, id, at: new Date(version.timeMs), file: this.#entry.id, row }
  }

  async #commitIfDue(inflater: FileInflater, parser: TsvParser<Columns>): Promise<void> {
    const { state, commitBytes } = this.#options
    if (state.gatheredBytes < commitBytes) return
    const [position, rest] = [inflater.saveState(), parser.saveState()]
    if (position && rest)
      await this.#commit({ sequence: this.#entry.sequence, inflater: position, parser: rest })
  }

  async #commit(checkpoint?: Checkpoint): Promise<void> {
    this.#options.signal.throwIfAborted()
    this.#entry = this.#current(await this.#flushLog())
    await this.#options.state.commit(this.#entry, checkpoint)
  }

  async #flushLog(): Promise<number> {
    return (await this.#options.log?.flush()) ?? this.#entry.changeBytes
  }

  #current(changeBytes: number): LedgerEntry {
    const rows: RowTally = { ...this.#tally }
    return {
      ...this.#entry,
      rows,
      badRows: this.#unmerged + (this.#parser?.badRows ?? 0),
      changeBytes,
    }
  }
}

type EffectiveChange = CategoryChange & Pick<StateChange, 'kind'>

function isEffective(change: CategoryChange): change is EffectiveChange {
  return change.kind === 'inserted' || change.kind === 'updated' || change.kind === 'deleted'
}
