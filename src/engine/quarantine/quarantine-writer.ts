// The writer of all quarantines: it appends the records of rows to a file. It opens the file for
// each write, so that nobody has to close it, and makes the file with the first row.

import { dirname } from 'node:path'
import { recordLine, rowLine } from '../codec/quarantine/quarantine-records'
import type {
  LeftOutBytes,
  QuarantinedFile,
  RowQuarantine,
} from '../codec/quarantine/row-quarantine'
import { closing } from '../disk/closing'
import type { DurableFile, DurableFiles } from '../disk/durable-files'
import { corruptState, stateIo } from '../disk/state-errors'

/** Bytes of text that are gathered before a write. */
const WRITE_BYTES = 1 << 16
/** Bytes of one read, from the end of the file backwards. */
const BLOCK_BYTES = 1 << 16
const FILE_START = '{"file":{'
const LINE_END = 0x0a

export interface QuarantineWriterOptions {
  readonly files: DurableFiles
  readonly path: string
  /**
   * The bytes of the file that stay, where somebody keeps their number: they are records of the
   * same file of rows, and what follows them is cut off. Without it all whole records stay, and the
   * folder of the file has to exist.
   */
  readonly length?: number
  /** The name of the file of all rows. */
  readonly name?: string
}

export class QuarantineWriter implements RowQuarantine {
  /** The number of rows that were taken. */
  rows = 0
  readonly #options: QuarantineWriterOptions
  /** Bytes of the kept length with all that was taken, durable after {@link flush}. */
  length: number
  #of: QuarantinedFile | undefined
  #text = ''
  #isOpened = false
  /** Number of writes so far, and how many of them are durable. */
  #written = 0
  #synced = 0
  /** The writes so far, which follow each other. It rejects after the first failure. */
  #writes: Promise<void> = Promise.resolve()

  constructor(options: QuarantineWriterOptions) {
    this.#options = options
    this.length = options.length ?? 0
  }

  take(leftOut: LeftOutBytes): void {
    const { name, length = 0 } = this.#options
    const { of, reason } = leftOut
    const isKnown = of === this.#of || (this.#of === undefined && length > 0)
    this.#of = of
    const text =
      (isKnown ? '' : recordLine(name === undefined ? of : { ...of, name })) + rowLine(leftOut)
    if (reason !== undefined) this.rows++
    this.#text += text
    this.length += Buffer.byteLength(text)
  }

  settle(): Promise<void> | undefined {
    return this.#text.length < WRITE_BYTES ? undefined : this.#write(false)
  }

  flush(): Promise<void> | undefined {
    return this.#text === '' && this.#synced === this.#written ? undefined : this.#write(true)
  }

  /** Cuts off what follows the kept length, where the file is there. */
  async cut(): Promise<void> {
    const { files, path, length = 0 } = this.#options
    if (length > 0 || (await files.size(path)) !== undefined) await this.#append('', false)
  }

  /** Puts the file in the place of another one, or removes that one where no row was taken. */
  async replace(path: string): Promise<void> {
    const { files } = this.#options
    await this.flush()
    if (this.length > 0) await files.rename(this.#options.path, path)
    else if ((await files.size(path)) === undefined) return
    else await files.remove(path)
    await files.syncFolder(dirname(path))
  }

  #write(sync: boolean): Promise<void> {
    const text = this.#text
    this.#text = ''
    const write = ++this.#written
    this.#writes = this.#writes.then(async () => {
      await this.#append(text, sync)
      if (sync) this.#synced = write
    })
    this.#writes.catch(() => {})
    return this.#writes
  }

  async #append(text: string, sync: boolean): Promise<void> {
    const { files, path, length } = this.#options
    const isFirst = !this.#isOpened
    if (isFirst && length !== undefined) await files.makeFolder(dirname(path))
    const file = await files.edit(path)
    await closing(file, async () => {
      if (isFirst) await this.#cutIn(file)
      this.#isOpened = true
      if (text !== '') await file.write(await file.size(), Buffer.from(text))
      if (sync) await file.sync()
    })
    if (isFirst) await files.syncFolder(dirname(path))
  }

  /** @throws FeedError STATE_CORRUPT where records are lost, STATE_IO for a file of another kind */
  async #cutIn(file: DurableFile): Promise<void> {
    const { path, length } = this.#options
    const size = await file.size()
    if (length !== undefined && size < length)
      throw corruptState(path, `${length} bytes were written, ${size} are there`)
    const end = length ?? (await endOfRecords(file, size))
    if (end === undefined)
      throw stateIo(path, 'open', 'it is no quarantine: give the path of a new file')
    if (end < size) await file.truncate(end)
  }
}

/** Returns the end of the last whole line; undefined for a file of another kind. */
async function endOfRecords(file: DurableFile, size: number): Promise<number | undefined> {
  const start = Buffer.from(await file.read(0, FILE_START.length)).toString('latin1')
  if (!FILE_START.startsWith(start)) return undefined
  for (let to = size; to > 0; ) {
    const from = Math.max(0, to - BLOCK_BYTES)
    const at = (await file.read(from, to - from)).lastIndexOf(LINE_END)
    if (at >= 0) return from + at + 1
    to = from
  }
  return 0
}
