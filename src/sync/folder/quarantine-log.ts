// The quarantine of one file of the service: the rows that it has and that are not merged, as
// records (codec/quarantine/quarantine-lines.ts). The first row makes the file. Its committed length
// is in the ledger, as that of a change log.

import { dirname } from 'node:path'
import { QuarantineLines } from '../../codec/quarantine/quarantine-lines'
import type {
  LeftOutBytes,
  QuarantinedFile,
  RowQuarantine,
} from '../../codec/quarantine/row-quarantine'
import type { DurableFiles } from '../../disk/durable-files'
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
  /** Bytes of the file that stay when it is opened. */
  #committed: number
  #length: number
  #log: LogFile | undefined

  constructor(options: QuarantineLogOptions) {
    this.#options = options
    this.#committed = options.length
    this.#length = options.length
  }

  /** Opens the file, where it has records. Uncommitted records are cut off. */
  async open(): Promise<void> {
    const { files, path } = this.#options
    if (this.#committed > 0 || (await files.size(path)) !== undefined) await this.#opened()
  }

  /** Bytes of the file that are durable. */
  get length(): number {
    return this.#length
  }

  take(leftOut: LeftOutBytes): void {
    if (this.#of === undefined) {
      this.#of = { ...leftOut.of, name: fileIdKey(this.#options.id) }
      if (this.#committed > 0) this.#lines.goOn(this.#of)
    }
    this.#text += this.#lines.add({ ...leftOut, of: this.#of })
  }

  settle(): Promise<void> | undefined {
    return this.#text === '' ? undefined : this.#write()
  }

  async flush(): Promise<void> {
    await this.settle()
    this.#length = (await this.#log?.flush()) ?? this.#length
  }

  async close(): Promise<void> {
    await this.#log?.close()
  }

  async #write(): Promise<void> {
    const text = this.#text
    this.#text = ''
    const log = await this.#opened()
    await log.add(text)
  }

  async #opened(): Promise<LogFile> {
    const { files, path } = this.#options
    if (this.#log !== undefined) return this.#log
    await files.makeFolder(dirname(path))
    this.#log = await LogFile.open(files, path, this.#committed)
    await files.syncFolder(dirname(path))
    return this.#log
  }
}
