// Sorts records by their keys within the memory that its owner allows: what exceeds it goes to
// sorted runs on disk, which are merged when the records are read. Runs are written and read from
// their start to their end only.

import { ByteWriter } from '../../engine/index'
import { compareKeys } from '../row-key'
import { type KeyedRecord, mergeRecords, type RecordBlocks, RecordRun } from './record-run'
import type { ScratchFolder } from './scratch-folder'

/** Memory that a record takes beside its value, about: two objects and its key. */
const RECORD_BYTES = 250
/** Runs of one size that are merged into one of the next size. Each run that is read has a block in memory. */
const MOST_RUNS = 16

export class SortedRecords {
  /** Takes the values of {@link add}. */
  readonly writer = new ByteWriter()
  readonly #folder: ScratchFolder
  /** Runs by their size. Those of a larger size have the older records, and so do the first of a size. */
  readonly #sizes: RecordRun[][] = []
  #records: KeyedRecord[] = []
  #valueBytes = 0

  constructor(folder: ScratchFolder) {
    this.#folder = folder
  }

  /** Bytes of memory of the records that are not on disk, about. */
  get byteLength(): number {
    return this.#valueBytes + this.#records.length * RECORD_BYTES
  }

  /** Adds the record that was written to {@link writer}. Of equal keys the later one arrived later. */
  add(key: string): void {
    const value = this.writer.take()
    this.#records.push({ key, value })
    this.#valueBytes += value.length
  }

  /** Adds records that are sorted, and have arrived before all others. */
  async addSorted(blocks: RecordBlocks): Promise<void> {
    await this.#addRun(await RecordRun.write(this.#folder, blocks))
  }

  /** Writes what is in memory to the disk. */
  async spill(): Promise<void> {
    if (this.#records.length === 0) return
    await this.addSorted([this.#inMemory()])
    this.#records = []
    this.#valueBytes = 0
    this.writer.rewind()
  }

  /**
   * Yields all records in the order of their keys, equal keys in the order of their arrival. Nothing
   * is added meanwhile. A value is a view of memory that has other values.
   */
  async *sorted(): AsyncGenerator<readonly KeyedRecord[], void, void> {
    if (this.#sizes.length > 0) {
      await this.spill()
      yield* mergeRecords(this.#runs)
    } else if (this.#records.length > 0) yield this.#inMemory()
  }

  /** Removes what is on disk. */
  async remove(): Promise<void> {
    for (const run of this.#runs) await run.remove()
    this.#sizes.length = 0
  }

  /** Frees the memory. */
  clear(): void {
    this.#records = []
  }

  get #runs(): RecordRun[] {
    return this.#sizes.toReversed().flat()
  }

  #inMemory(): readonly KeyedRecord[] {
    return this.#records.sort((a, b) => compareKeys(a.key, b.key))
  }

  async #addRun(run: RecordRun): Promise<void> {
    let added = run
    for (let size = 0; ; size++) {
      const runs = (this.#sizes[size] ??= [])
      runs.push(added)
      if (runs.length < MOST_RUNS) return
      added = await RecordRun.write(this.#folder, mergeRecords(runs))
      for (const merged of runs.splice(0)) await merged.remove()
    }
  }
}
