// Applies the rows of one verified file to the state of its category. Rows, and their number and
// tally in the ledger, are committed together, some megabytes at a time. A run that was killed
// continues behind the last commit, in the middle of the file.

import {
  type ChangeKind,
  type Columns,
  type DurableFile,
  leftOutRow,
  PAUSE,
  type Pause,
  type QuarantineWriter,
  type RowBatch,
  type RowQuarantine,
  TsvParser,
  turnIfDue,
} from '../../engine/index'
import { RegisterMemory } from '../../state/index'
import { feedFileOf, isBootstrap, readDate, schemaOfFile } from '../file-id'
import type { CategoryChange, CategoryState } from '../folder/category-state'
import type { ChangeLog } from '../folder/change-log'
import { stateChanges } from '../folder/change-log'
import type { LedgerEntry } from '../folder/ledger'
import type { RowTally } from '../target/target'
import { inflatedBlocks } from './file-inflater'
import { CellCheck } from './file-rows'

export interface ApplyOptions {
  readonly state: CategoryState
  /** The entry is in the ledger as `applying`. */
  readonly entry: LedgerEntry
  /** The compressed file; undefined for an empty one. The caller closes it. */
  readonly data: DurableFile | undefined
  readonly log?: ChangeLog | undefined
  /** Takes the rows that are not merged. */
  readonly quarantine?: QuarantineWriter | undefined
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

type Steps = Iterable<RowBatch<Columns> | Pause>

/** A place in the file, in the numbers of the ledger. */
type Place = Pick<
  LedgerEntry,
  'rowsRead' | 'badRows' | 'badCells' | 'firstBadCell' | 'quarantineBytes'
>

class Application {
  readonly #options: ApplyOptions
  #entry: LedgerEntry
  readonly #tally: Record<ChangeKind, number>
  readonly #applied: AppliedRows
  /** Rows that this merge has left out. The parser counts its own. */
  #unmerged = 0
  readonly #cells: CellCheck
  /** Undefined where a log keeps the rows of changes until the commit. */
  readonly #memory: RegisterMemory | undefined
  /** The place behind the rows that are merged. */
  #place: Place
  /** Resolves when all batches so far are merged. */
  #merging: Promise<void> = Promise.resolve()

  constructor(options: ApplyOptions) {
    this.#options = options
    this.#entry = options.entry
    this.#tally = { ...options.entry.rows }
    this.#applied = new AppliedRows(options.entry)
    this.#place = options.entry
    this.#cells = new CellCheck(options.entry, options.quarantine)
    this.#memory = options.log?.keepsRows ? undefined : new RegisterMemory()
  }

  async rows(data: DurableFile): Promise<void> {
    if (this.#entry.rowsDone) return
    // Batches are lent, so a merge must have read its batch when its call returns.
    await this.#options.state.ready()
    const parser = this.#newParser()
    try {
      for await (const block of inflatedBlocks(data, this.#options.readBytes)) {
        this.#options.signal.throwIfAborted()
        await this.#mergeAll(parser, parser.steps(block))
      }
      await this.#mergeAll(parser, parser.lastSteps())
      await this.#merging
      this.#place = this.#placeOf(parser)
    } finally {
      await this.#merging.catch(() => {})
      parser.destroy()
    }
    this.#entry = { ...this.#entry, rowsDone: true }
    // A sweep reads committed rows. Other files need only the commit of `done`.
    if (isBootstrap(this.#entry.id)) await this.#commit()
  }

  /**
   * Removes the rows that a bootstrap lacks. A repeated sweep finds only the rows that are left. A
   * first bootstrap has nothing to remove, and the sweep would read all that it has written.
   */
  async sweep(): Promise<void> {
    const { id, lastModified } = this.#entry
    const { state, commitBytes } = this.#options
    const generated = isBootstrap(id) ? readDate(id.generation ?? lastModified) : undefined
    if (!isBootstrap(id) || generated === undefined || state.ledger.isFirst(this.#entry)) return
    for await (const changes of state.sweep(id.feed, generated)) {
      await this.#count(changes)
      if (state.gatheredBytes >= commitBytes) await this.#commit()
    }
  }

  async done(): Promise<LedgerEntry> {
    const done: LedgerEntry = { ...(await this.#current()), state: 'done' }
    await this.#options.state.commit(done, { sync: true })
    return done
  }

  #newParser(): TsvParser<Columns> {
    const { id, lastModified } = this.#entry
    const { batchBytes, quarantine } = this.#options
    return new TsvParser<Columns>({
      schema: schemaOfFile(id),
      file: feedFileOf(id, lastModified),
      onBadRow: quarantine === undefined ? 'skip' : this.#applied.quarantineOfRest(quarantine),
      lends: true,
      ...(batchBytes !== undefined && { batchBytes }),
    })
  }

  /** Looks up the rows of a batch in the store while the batch before it is merged. */
  async #mergeAll(parser: TsvParser<Columns>, steps: Steps): Promise<void> {
    const { quarantine } = this.#options
    for (const step of steps) {
      if (step === PAUSE) await turnIfDue()
      else await this.#merge(parser, step)
      await quarantine?.settle()
    }
    // A bad row may have been the last.
    await quarantine?.settle()
  }

  /** Begins to merge a batch, and waits for the batch before it. */
  async #merge(parser: TsvParser<Columns>, batch: RowBatch<Columns>): Promise<void> {
    this.#options.signal.throwIfAborted()
    const rest = this.#applied.rest(batch)
    if (rest === undefined) return
    const before = this.#merging
    const { state, quarantine } = this.#options
    const leftOut = new Set<number>()
    const merged = state.merge(rest, {
      after: before,
      ...(this.#memory && { memory: this.#memory }),
      leaveOut: (row, error) => {
        quarantine?.take(leftOutRow(row, error))
        leftOut.add(row.slot)
      },
    })
    this.#unmerged += leftOut.size
    this.#cells.check(rest, leftOut)
    this.#merging = this.#took(merged, this.#placeOf(parser))
    // The next batch, or the end, waits for it and throws its failure.
    this.#merging.catch(() => {})
    await before
  }

  /** @param place the place behind the batch */
  async #took(merged: Promise<readonly CategoryChange[]>, place: Place): Promise<void> {
    const { state, commitBytes } = this.#options
    await this.#count(await merged)
    this.#place = place
    if (state.gatheredBytes >= commitBytes) await this.#commit()
  }

  /** Returns the place behind what the parser has given. */
  #placeOf(parser: TsvParser<Columns>): Place {
    const { quarantine } = this.#options
    return {
      ...this.#cells.found,
      rowsRead: parser.rowsRead,
      badRows: parser.badRows + this.#applied.unmerged + this.#unmerged,
      quarantineBytes: quarantine?.length ?? this.#entry.quarantineBytes,
    }
  }

  async #count(changes: readonly CategoryChange[]): Promise<void> {
    const { log, onRows } = this.#options
    for (const { kind } of changes) this.#tally[kind]++
    const lines = log === undefined ? [] : stateChanges(changes, this.#entry)
    if (lines.length > 0) await log?.add(lines)
    onRows?.(changes.length)
  }

  async #commit(): Promise<void> {
    this.#options.signal.throwIfAborted()
    this.#entry = await this.#current()
    await this.#options.state.commit(this.#entry)
  }

  /** Makes the logs durable, and returns the entry that belongs to them. */
  async #current(): Promise<LedgerEntry> {
    const { log, quarantine } = this.#options
    const changeBytes = (await log?.flush()) ?? this.#entry.changeBytes
    await quarantine?.flush()
    const rows: RowTally = { ...this.#tally }
    const { rowsRead, badRows, badCells = 0, firstBadCell, quarantineBytes } = this.#place
    const place = { rowsRead, badRows, badCells, firstBadCell, quarantineBytes }
    return { ...this.#entry, ...place, rows, changeBytes }
  }
}

export class AppliedRows {
  /** Number of rows from the start of the file on, those that were left out included. */
  readonly #count: number
  /** Those of them that were left out, by the parser or by the merge. */
  readonly #badRows: number
  /** Those of them that the parser has given again. */
  #given = 0
  #isPast: boolean

  constructor({ rowsRead, badRows }: Pick<LedgerEntry, 'rowsRead' | 'badRows'>) {
    this.#count = rowsRead
    this.#badRows = badRows
    this.#isPast = rowsRead === 0
  }

  /**
   * Number of applied rows that the merge has left out. The parser counts its own again. It is
   * known when a row behind the applied ones was read, or the whole file.
   */
  get unmerged(): number {
    return this.#badRows - (this.#count - this.#given)
  }

  /** Returns the rows of a batch that were not applied; undefined where all of them were. */
  rest<C extends Columns>(batch: RowBatch<C>): RowBatch<C> | undefined {
    if (this.#isPast) return batch
    const rest = batch.select(row => row.position.row > this.#count)
    this.#given += batch.length - rest.length
    this.#isPast = rest.length > 0
    return this.#isPast ? rest : undefined
  }

  /** Returns a quarantine that gets only the rows behind the applied ones. */
  quarantineOfRest(quarantine: RowQuarantine): RowQuarantine {
    return this.#isPast
      ? quarantine
      : {
          take: leftOut => {
            if (leftOut.position.row > this.#count) quarantine.take(leftOut)
          },
          settle: () => quarantine.settle(),
          flush: () => quarantine.flush(),
        }
  }
}
