// The quarantine of one file of a run with a target: it appears whole, before the target commits the
// rows of the file, and a repeated reading of the rows replaces it.

import { dirname, join } from 'node:path'
import { type DurableFiles, machineFiles } from '../../engine/index'
import { localNameOf } from '../feed-files'
import type { FileId } from '../file-id'
import { QuarantineLog } from '../folder/quarantine-log'

export class QuarantineFile extends QuarantineLog {
  readonly #files: DurableFiles
  readonly #path: string

  constructor(folder: string, id: FileId, files = machineFiles) {
    const path = join(folder, `${localNameOf(id)}.quarantine.ndjson`)
    super({ files, path: `${path}.partial`, id, length: 0 })
    this.#files = files
    this.#path = path
  }

  /** Makes the records visible, or removes those of an earlier reading where there are none. */
  async commit(): Promise<void> {
    await this.flush()
    if (this.length > 0) await this.#files.rename(`${this.#path}.partial`, this.#path)
    else await this.#files.remove(this.#path)
    // The name is durable before the target commits the other rows.
    if (this.length > 0) await this.#files.syncFolder(dirname(this.#path))
  }
}
