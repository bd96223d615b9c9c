// The rows of files that arrive together as sorted runs: one run, where the rows fit in the memory
// for sorting or arrive in the order of their keys, and otherwise one for each part that fits.

import type { KeyedRows } from '../keyed-rows'
import { RowSorter } from './row-sorter'
import type { RunWriter, WrittenRun } from './run-writer'

export interface SortedRunsOptions {
  /** Bytes of rows that are sorted at once. */
  readonly sortBytes: number
  /** Chunks of memory that one sorter after the other uses. */
  readonly memory: Buffer[]
  /** @param number the number of runs before */
  create(number: number): Promise<RunWriter>
}

export class SortedRuns {
  readonly #options: SortedRunsOptions
  readonly #written: WrittenRun[] = []
  #sorter: RowSorter
  #writer: RunWriter | undefined

  constructor(options: SortedRunsOptions) {
    this.#options = options
    this.#sorter = new RowSorter(options.memory)
  }

  add(rows: KeyedRows): Promise<void> | undefined {
    this.#sorter.add(rows)
    return this.#sorter.byteLength < this.#options.sortBytes ? undefined : this.#write()
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

  async #write(): Promise<void> {
    const sorter = this.#sorter
    if (this.#writer !== undefined && !sorter.isBehind(this.#writer)) await this.#endRun()
    this.#writer ??= await this.#options.create(this.#written.length)
    await sorter.writeTo(this.#writer)
    this.#sorter = new RowSorter(this.#options.memory)
  }

  async #endRun(): Promise<void> {
    if (this.#writer !== undefined) this.#written.push(await this.#writer.end())
    this.#writer = undefined
  }
}
