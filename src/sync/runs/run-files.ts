// The files of the runs of one category: those that are open, and new ones.

import { join } from 'node:path'
import { type DurableFiles, orUndo } from '../../engine/index'
import { Run, RunWriter, type SequencedRun, sharedMemory, type WrittenRun } from '../../state/index'
import { isRunName, MANIFEST, type RunRecord } from './manifest'

/** Memory for the heads of runs, which each file is compared with. */
const HEAD_BYTES = 1 << 25

export class RunFiles {
  readonly #files: DurableFiles
  readonly #folder: string
  readonly #open = new Map<string, Run>()
  readonly #memory = sharedMemory(HEAD_BYTES)

  constructor(files: DurableFiles, folder: string) {
    this.#files = files
    this.#folder = folder
  }

  opened(records: readonly RunRecord[]): Promise<SequencedRun[]> {
    return Promise.all(
      records.map(async ({ name, sequence }) => {
        const path = join(this.#folder, name)
        const run = this.#open.get(name) ?? (await Run.open(this.#files, path, this.#memory))
        this.#open.set(name, run)
        return { run, sequence }
      }),
    )
  }

  async create(name: string, isCompressed: boolean): Promise<RunWriter> {
    const path = join(this.#folder, name)
    await this.#files.remove(path)
    return RunWriter.create(this.#files, path, isCompressed)
  }

  /** Makes a run durable. */
  async write(
    name: string,
    isCompressed: boolean,
    fill: (writer: RunWriter) => Promise<void>,
  ): Promise<WrittenRun> {
    const writer = await this.create(name, isCompressed)
    const write = async () => {
      await fill(writer)
      return writer.end()
    }
    return orUndo(write, () => writer.abort())
  }

  /** Removes all other runs, and a manifest that was being written. */
  async removeOthers(names: ReadonlySet<string>): Promise<void> {
    for (const name of await this.#files.list(this.#folder)) {
      if (!(isRunName(name) || name === `${MANIFEST}.new`) || names.has(name)) continue
      await this.#open.get(name)?.close()
      this.#open.delete(name)
      await this.#files.remove(join(this.#folder, name))
    }
  }

  async close(): Promise<void> {
    for (const run of this.#open.values()) await run.close()
    this.#open.clear()
  }
}
