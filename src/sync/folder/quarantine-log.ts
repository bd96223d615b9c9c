// The quarantine of one file of the service: the rows that it has and that are not merged, as
// records (codec/quarantine/quarantine-lines.ts). The first row makes the file. Its committed length
// is in the ledger, as that of a change log.

import { dirname } from 'node:path'
import type { DurableFiles, LeftOutBytes, QuarantinedFile, RowQuarantine } from '../../engine/index'
import { QuarantineLines } from '../../engine/index'
import { type FileId, fileIdKey } from '../file-id'
import { LogFile } from './log-file'

export interface QuarantineLogOptions {
  readonly files: DurableFiles
  readonly path: string
  readonly id: FileId
  /** Committed bytes of the file. */
  readonly length: number
}

export class QuarantineLog implements RowQuarantine {
  readonly #options: QuarantineLogOptions
  readonly #lines = new QuarantineLines()
  #of: QuarantinedFile | undefined
  #text = ''
  #length: number
  #log: LogFile | undefined
  /** Resolves when all calls so far are done. Batches and their commits overlap. */
  #written: Promise<void> = Promise.resolve()

  constructor(options: QuarantineLogOptions) {
    this.#options = options
    this.#length = options.length
  }

  /** Opens the file, where it has records. Uncommitted records are cut off. */
  async open(): Promise<void> {
    const { files, path } = this.#options
    if (this.#options.length > 0 || (await files.size(path)) !== undefined) await this.#opened()
  }

  /** Bytes of the file with all that was taken, durable after {@link flush}. */
  get length(): number {
    return this.#length
  }

  take(leftOut: LeftOutBytes): void {
    if (this.#of === undefined) {
      this.#of = { ...leftOut.of, name: fileIdKey(this.#options.id) }
      if (this.#options.length > 0) this.#lines.goOn(this.#of)
    }
    const text = this.#lines.add({ ...leftOut, of: this.#of })
    this.#text += text
    this.#length += Buffer.byteLength(text)
  }

  settle(): Promise<void> | undefined {
    return this.#text === '' ? undefined : this.#inTurn(() => this.#write())
  }

  flush(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#write()
      await this.#log?.flush()
    })
  }

  async close(): Promise<void> {
    await this.#log?.close()
  }

  /** Runs an action behind all earlier ones. Where one fails, all later ones fail too. */
  #inTurn(action: () => Promise<void>): Promise<void> {
    this.#written = this.#written.then(action)
    return this.#written
  }

  async #write(): Promise<void> {
    const text = this.#text
    if (text === '') return
    this.#text = ''
    const log = await this.#opened()
    await log.add(Buffer.from(text))
  }

  async #opened(): Promise<LogFile> {
    const { files, path } = this.#options
    if (this.#log !== undefined) return this.#log
    await files.makeFolder(dirname(path))
    this.#log = await LogFile.open(files, path, this.#options.length)
    await files.syncFolder(dirname(path))
    return this.#log
  }
}
