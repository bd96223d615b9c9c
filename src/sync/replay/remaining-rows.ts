// The rows of a quarantine that a replay could not merge. They replace the file as a whole after
// the other rows are durable in the state.

import { dirname } from 'node:path'
import type {
  Columns,
  DurableFiles,
  LeftOutBytes,
  QuarantinedFile,
  Row,
  RowQuarantine,
} from '../../engine/index'
import { QuarantineLines } from '../../engine/index'
import { LogFile } from '../folder/log-file'

export class RemainingRows {
  /** Rows that are still bad. */
  badRows = 0
  readonly #files: DurableFiles
  readonly #path: string
  readonly #lines = new QuarantineLines()
  #text = ''
  #log: LogFile | undefined

  constructor(files: DurableFiles, path: string) {
    this.#files = files
    this.#path = path
  }

  /** Returns the quarantine of the bad rows of a file. */
  of(file: QuarantinedFile): RowQuarantine {
    return {
      take: leftOut => {
        if (leftOut.reason !== undefined) this.badRows++
        this.#add({ ...leftOut, of: file })
      },
      settle: () => undefined,
      flush: () => undefined,
    }
  }

  /** Keeps a row that could be read. */
  keep(of: QuarantinedFile, { batch, slot, position }: Row<Columns>): void {
    const message = 'removals of its time are forgotten, so the row cannot be put in order'
    const reason = { code: 'VERSION_MISSING', message }
    this.#add({ of, position, bytes: batch.lineOf(slot), reason })
  }

  async settle(): Promise<void> {
    if (this.#text === '') return
    const text = this.#text
    this.#text = ''
    this.#log ??= await LogFile.open(this.#files, this.#temporary, 0)
    await this.#log.add(Buffer.from(text))
  }

  /** Makes the rows durable in place of the file, or removes the file where there are none. */
  async replaceFile(): Promise<void> {
    await this.settle()
    await this.#log?.flush()
    if (this.#log === undefined) await this.#files.remove(this.#path)
    else await this.#files.rename(this.#temporary, this.#path)
    await this.#files.syncFolder(dirname(this.#path))
  }

  async close(): Promise<void> {
    await this.#log?.close()
  }

  get #temporary(): string {
    return `${this.#path}.partial`
  }

  #add(leftOut: LeftOutBytes): void {
    this.#text += this.#lines.add(leftOut)
  }
}
