// The rows of files that arrive together as sorted runs: one run, where the rows fit in the memory
// for sorting or arrive in the order of their keys, and otherwise one for each part that fits. Runs
// of many rows are saved while they grow. Where the rows arrive again after a crash, those that were
// saved are not sorted a second time.

import type { KeyedRows } from '../keyed-rows'
import { RowSorter } from './row-sorter'
import type { WrittenRun } from './run-format'
import type { RunWriter } from './run-writer'

/**
 * Each save writes the whole index of its run again, so the next one waits until the parts have grown
 * by this share.
 */
const UNSAVED_SHARE = 1 / 8

/** Durable runs with the first rows. */
export interface SavedRuns {
  readonly runs: readonly WrittenRun[]
  /** A checksum of the rows in the order in which they arrived. */
  readonly checksum: number
}

export interface SortedRunsOptions {
  /** Bytes of rows that are sorted at once. */
  readonly sortBytes: number
  /** Chunks of memory that one sorter after the other uses. */
  readonly memory: Buffer[]
  /** What was saved when the rows arrived before. */
  readonly saved?: SavedRuns | undefined
  /** @param number the number of runs before */
  create(number: number): Promise<RunWriter>
  /** Keeps what is durable. */
  save(saved: SavedRuns): Promise<void>
}

export class SortedRuns {
  readonly #options: SortedRunsOptions
  readonly #written: WrittenRun[]
  readonly #savedRows: number
  #sorter: RowSorter
  #writer: RunWriter | undefined
  #rows = 0
  #checksum = 0
  /** The checksum of so many rows as are saved. */
  #found: number | undefined
  #parts = 0
  #savedParts = 0

  constructor(options: SortedRunsOptions) {
    this.#options = options
    this.#sorter = new RowSorter(options)
    this.#written = [...(options.saved?.runs ?? [])]
    this.#savedRows = this.#written.reduce((sum, { rows }) => sum + rows, 0)
  }

  /** False where other rows were saved than those that have arrived. */
  get isSame(): boolean {
    return this.#found === this.#options.saved?.checksum
  }

  add(rows: KeyedRows): Promise<void> | undefined {
    const first = this.#savedRows - this.#rows
    this.#count(rows)
    if (first < rows.length) this.#sorter.add(first <= 0 ? rows : rows.select(n => n >= first))
    return this.#sorter.byteLength < this.#options.sortBytes ? undefined : this.#writePart()
  }

  /** Makes the runs durable. */
  async end(): Promise<readonly WrittenRun[]> {
    if (this.#sorter.rows > 0) await this.#write()
    await this.#endRun()
    return this.#written
  }

  /** Gives up the runs, whose files the owner removes. */
  async abort(): Promise<void> {
    await this.#writer?.abort()
  }

  #count({ heads: { checksum, timeMs, byteOffset }, length }: KeyedRows): void {
    for (let n = 0; n < length; n++) {
      const sum = checksum[n]! + timeMs[n]! + byteOffset[n]!
      this.#checksum = (Math.imul(this.#checksum, 31) + sum) | 0
      if (++this.#rows === this.#savedRows) this.#found = this.#checksum
    }
  }

  async #writePart(): Promise<void> {
    await this.#write()
    if (++this.#parts < 1 + this.#savedParts * (1 + UNSAVED_SHARE)) return
    this.#savedParts = this.#parts
    const runs = [...this.#written, await this.#writer!.save()]
    await this.#options.save({ runs, checksum: this.#checksum })
  }

  async #write(): Promise<void> {
    const sorter = this.#sorter
    if (this.#writer !== undefined && !sorter.isBehind(this.#writer)) await this.#endRun()
    this.#writer ??= await this.#options.create(this.#written.length)
    await sorter.writeTo(this.#writer)
    this.#sorter = new RowSorter(this.#options)
  }

  async #endRun(): Promise<void> {
    if (this.#writer !== undefined) this.#written.push(await this.#writer.end())
    this.#writer = undefined
  }
}
