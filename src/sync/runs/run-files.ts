// The files of the runs of one category: those that are open, and new ones.

import { join } from 'node:path'
import { closing, type DurableFiles, orUndo } from '../../engine/index'
import { type Headers, Run, RunWriter, type SequencedRun, type WrittenRun } from '../../state/index'
import { isRunName, MANIFEST, type RunRecord } from './manifest'

export class RunFiles {
  readonly #files: DurableFiles
  readonly #folder: string
  readonly #open = new Map<string, Run>()
  readonly #headers: Headers = new Map()

  constructor(files: DurableFiles, folder: string) {
    this.#files = files
    this.#folder = folder
  }

  async opened(records: readonly RunRecord[]): Promise<SequencedRun[]> {
    const opened: SequencedRun[] = []
    for (const record of records) {
      const { name, sequence } = record
      const path = join(this.#folder, name)
      const run = this.#open.get(name) ?? (await Run.open(this.#files, path, record, this.#headers))
      this.#open.set(name, run)
      opened.push({ run, sequence })
    }
    return opened
  }

  async create(name: string, isCompressed: boolean): Promise<RunWriter> {
    const path = join(this.#folder, name)
    await this.#files.remove(path)
    return RunWriter.create(this.#files, path, isCompressed)
  }

  /** Removes what was written behind a run. */
  async cut({ name, bytes }: WrittenRun): Promise<void> {
    return closing(await this.#files.edit(join(this.#folder, name)), async file => {
      await file.truncate(bytes)
      await file.sync()
    })
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
