// The rows of a stage in the order of their keys, within the memory that their owner allows: what
// exceeds it goes to runs in a temporary folder. Runs have every row, also those of one key.

import type { Columns, FeedSchema } from '../../engine/index'
import { compactRuns } from '../runs/compact-runs'
import type { SequencedRun } from '../runs/merge-runs'
import { RowSorter } from '../runs/row-sorter'
import { Run } from '../runs/run-reader'
import { RunWriter } from '../runs/run-writer'
import type { ScratchFile, ScratchFolder } from './scratch-folder'

/** Memory of a row beside its line, its key and its head, about. */
const ROW_BYTES = 100
/** Runs of one size that are merged into one of the next size. Each run that is read has a block in memory. */
const MOST_RUNS = 16

interface ScratchRun extends SequencedRun {
  readonly run: Run
  readonly file: ScratchFile
}

export class SpilledRows {
  /** The rows that are in memory. */
  sorter: RowSorter
  readonly #folder: ScratchFolder
  #memory: Buffer[] = []
  /** Runs by their size. Those of a larger size have the older rows, and so do the first of a size. */
  readonly #sizes: ScratchRun[][] = []

  constructor(folder: ScratchFolder) {
    this.#folder = folder
    this.sorter = this.#newSorter()
  }

  /** Bytes of memory, about. */
  get byteLength(): number {
    return this.sorter.byteLength + this.sorter.rows * ROW_BYTES
  }

  /** All rows: of equal keys those of an earlier run, and of a run the earlier ones, arrived earlier. */
  get runs(): readonly SequencedRun[] {
    const runs: SequencedRun[] = this.#sizes.toReversed().flat()
    return this.sorter.rows > 0 ? [...runs, { run: this.sorter.blocks(), sequence: 0 }] : runs
  }

  /** Moves the rows in memory to the disk. @throws FeedError STATE_IO */
  async spill(schema: FeedSchema<Columns>): Promise<void> {
    const { sorter } = this
    if (sorter.rows === 0) return
    let added = await this.#write(writer => sorter.writeTo(writer))
    this.sorter = this.#newSorter()
    for (let size = 0; ; size++) {
      const runs = (this.#sizes[size] ??= [])
      runs.push(added)
      if (runs.length < MOST_RUNS) return
      const all = { runs, schema, floors: [], keeps: 'all' } as const
      added = await this.#write(writer => compactRuns(all, writer))
      for (const { file } of runs.splice(0)) await this.#folder.remove(file)
    }
  }

  /**
   * Moves everything to one run that has the newest row of each key.
   * @param blockBytes of the lines of its blocks
   * @throws FeedError STATE_IO, STATE_CORRUPT
   */
  async merge(schema: FeedSchema<Columns>, blockBytes: number): Promise<Run> {
    const newest = { runs: this.runs, schema, floors: [] }
    const { run } = await this.#write(writer => compactRuns(newest, writer), blockBytes)
    for (const { file } of this.#sizes.splice(0).flat()) await this.#folder.remove(file)
    this.clear()
    return run
  }

  /** Frees the memory. */
  clear(): void {
    this.#memory = []
    this.sorter = this.#newSorter()
  }

  #newSorter(): RowSorter {
    return new RowSorter({ memory: this.#memory, keepsRemovals: true })
  }

  async #write(
    fill: (writer: RunWriter) => Promise<void>,
    blockBytes?: number,
  ): Promise<ScratchRun> {
    const file = await this.#folder.newFile()
    const { path, handle } = file
    // The folder closes it, behind all reading.
    const open = { ...handle, close: async () => {} }
    const writer = await RunWriter.create({ create: async () => open }, path, false, blockBytes)
    await fill(writer)
    const run = await Run.open({ open: async () => open }, path, await writer.end())
    return { file, run, sequence: 0 }
  }
}
