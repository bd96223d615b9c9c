// The quarantine of a pipeline: a file of records, one a line, to which runs append the rows that
// they leave out. replay.ts reads it. The records are codec/quarantine/quarantine-lines.ts.

import { type FileHandle, open } from 'node:fs/promises'
import { QuarantineLines } from '../codec/quarantine/quarantine-lines'
import type { LeftOutBytes, RowQuarantine } from '../codec/quarantine/row-quarantine'
import { readAll, writeAll } from '../disk/system-calls'
import { FeedError } from '../errors'
import { filePath } from '../options'
import { sinkFailed } from '../sinks/sink-failed'

const NAME = 'quarantine'
/** Bytes of text that are gathered before a write. */
const WRITE_BYTES = 1 << 16
/** Bytes of one read, from the end of the file backwards. */
const BLOCK_BYTES = 1 << 16
const FILE_START = '{"file":{'
const LINE_END = 0x0a

/** The file of the rows that runs have left out. */
export interface Quarantine extends RowQuarantine {
  /** The file of the records. */
  readonly path: string
  /** The number of rows that this object has taken. */
  readonly rows: number
  /** The bytes of these rows, with their line ends. */
  readonly bytes: number
}

/**
 * Makes a quarantine for `onBadRow` and `onBadCell`: a row that cannot be read, or that has a cell
 * which cannot be read, leaves the stream and is appended to a file with all of its bytes. So the
 * bytes of a file are those of its start (header line, byte order mark, comments), of the rows of the
 * batches, and of the quarantine; and the rows read are the rows kept and the rows quarantined.
 *
 * The file has one JSON record a line: where the row stood (row, line, byte offset), the code and the
 * message of its error, the column of a bad cell, and its bytes as `text`, or as `base64` where they
 * are not UTF-8. Before them stands a record of their file with its column names. A row longer than
 * `maxRowBytes` has several records, which have all of its bytes. {@link replay} reads the rows after
 * somebody has mended them.
 *
 * One object may serve several stages and several runs of one process. Memory holds the bad rows of
 * one block at most. All records are on the disk before a run settles, however it ends (also
 * by `take`, `break`, an abort or a failure), and a run fails where they cannot be written:
 * SINK_FAILED. The first bad row makes the file, in an existing folder. A run
 * that fails leaves the records up to its failure, so begin a new file to repeat it. A last line that
 * a killed process left incomplete is cut off by the next one. One process at a time may write a file.
 *
 * @throws FeedError OPTION_INVALID
 * @example
 * ```ts
 * import { pipeline, quarantine, TsvRowParser } from 'feedmill'
 *
 * const bad = quarantine('bad-rows.ndjson')
 * const rows = await pipeline([Buffer.from('sku\tstock\nA-1\t12\nA-2\n')])
 *   .to(new TsvRowParser({ onBadRow: bad }))
 *   .toArray()
 * console.log(rows.length, bad.rows, bad.bytes)
 * // => 1 1 4
 * ```
 */
export function quarantine(path: string): Quarantine {
  return new QuarantineFile(filePath('path', path))
}

class QuarantineFile implements Quarantine {
  readonly path: string
  rows = 0
  bytes = 0
  readonly #lines = new QuarantineLines()
  #text = ''
  #isOpened = false
  /** Number of writes so far, and how many of them are durable. */
  #written = 0
  #synced = 0
  /** The writes so far, which follow each other. It rejects after the first failure. */
  #writes: Promise<void> = Promise.resolve()

  constructor(path: string) {
    this.path = path
  }

  take(leftOut: LeftOutBytes): void {
    if (leftOut.reason !== undefined) this.rows++
    this.bytes += leftOut.bytes.length
    this.#text += this.#lines.add(leftOut)
  }

  settle(): Promise<void> | undefined {
    return this.#text.length < WRITE_BYTES ? undefined : this.#write(false)
  }

  flush(): Promise<void> | undefined {
    return this.#text === '' && this.#synced === this.#written ? undefined : this.#write(true)
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

  // The file is open during a write only, so that no run has to close it.
  async #append(text: string, sync: boolean): Promise<void> {
    try {
      if (!this.#isOpened) await cutTornLine(this.path)
      this.#isOpened = true
      const file = await open(this.path, 'a')
      try {
        await writeAll(file, Buffer.from(text))
        if (sync) await file.sync()
      } finally {
        await file.close()
      }
    } catch (cause) {
      throw FeedError.is(cause) ? cause : sinkFailed(NAME, this.path, cause)
    }
  }
}

/** Cuts off an incomplete last line. @throws FeedError SINK_FAILED for a file of another kind */
async function cutTornLine(path: string): Promise<void> {
  // The mode makes a missing file and keeps the content of another one.
  const made = await open(path, 'a')
  await made.close()
  const file = await open(path, 'r+')
  try {
    const { size } = await file.stat()
    const start = Buffer.alloc(Math.min(size, FILE_START.length))
    await readAll(file, start, 0)
    if (!FILE_START.startsWith(start.toString('latin1')))
      throw sinkFailed(NAME, path, 'it is no quarantine: give the path of a new file')
    const end = await endOfLastLine(file, size)
    if (end < size) await file.truncate(end)
  } finally {
    await file.close()
  }
}

async function endOfLastLine(file: FileHandle, size: number): Promise<number> {
  const block = Buffer.alloc(BLOCK_BYTES)
  for (let to = size; to > 0; ) {
    const from = Math.max(0, to - BLOCK_BYTES)
    const read = await readAll(file, block.subarray(0, to - from), from)
    const at = block.subarray(0, read).lastIndexOf(LINE_END)
    if (at >= 0) return from + at + 1
    to = from
  }
  return 0
}
