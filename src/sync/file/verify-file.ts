// Verifies a fetched file before it is applied: the checksum and size of every member, the end of
// the file, and the header line. A file that fails leaves no trace in the state. A download is
// verified while it arrives; what an earlier run has left in a spool is read for it.

import type { Columns, DurableFile, FeedSchema } from '../../engine/index'
import { TsvParser } from '../../engine/index'
import { BlockInflater, inflatedBlocks } from './file-inflater'

/**
 * @returns the size of the inflated content in bytes
 * @throws FeedError GZIP_* as Gunzip, TSV_EMPTY, TSV_HEADER_INVALID, TSV_COLUMN_MISSING,
 * TSV_COLUMN_REPEATED, STATE_IO; the signal's reason
 */
export async function verifyFile(
  file: DurableFile,
  schema: FeedSchema<Columns>,
  signal: AbortSignal,
): Promise<number> {
  const content = new ContentCheck(schema)
  try {
    for await (const block of inflatedBlocks(file)) {
      signal.throwIfAborted()
      content.see(block)
    }
    return content.end()
  } finally {
    content.close()
  }
}

/** Verifies a file whose compressed bytes are given in order. The methods throw as `verifyFile`. */
export class ArrivingFile {
  readonly #inflater = new BlockInflater()
  readonly #content: ContentCheck

  constructor(schema: FeedSchema<Columns>) {
    this.#content = new ContentCheck(schema)
  }

  async push(compressed: Uint8Array): Promise<void> {
    for await (const block of this.#inflater.blocks(compressed)) this.#content.see(block)
  }

  /** @returns the size of the inflated content in bytes */
  async end(): Promise<number> {
    for await (const block of this.#inflater.lastBlocks()) this.#content.see(block)
    return this.#content.end()
  }

  close(): void {
    this.#inflater.close()
    this.#content.close()
  }
}

/** Counts the bytes of the content, checks its header line, and skips the rest. */
class ContentCheck {
  #parser: TsvParser<Columns> | undefined
  #rawBytes = 0

  constructor(schema: FeedSchema<Columns>) {
    this.#parser = new TsvParser({ schema, onBadRow: 'skip' })
  }

  see(block: Uint8Array): void {
    this.#rawBytes += block.length
    if (this.#parser === undefined) return
    for (const _ of this.#parser.push(block)) break
    if (this.#parser.columnNames === undefined) return
    this.close()
  }

  end(): number {
    if (this.#parser !== undefined) for (const _ of this.#parser.end()) break
    return this.#rawBytes
  }

  close(): void {
    this.#parser?.destroy()
    this.#parser = undefined
  }
}
