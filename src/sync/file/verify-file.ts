// Verifies a fetched file before it is applied: the checksum and size of every member, the end of
// the file, and the header line. A file that fails leaves no trace in the state.

import { TsvParser } from '../../codec/tsv/parser'
import type { DurableFile } from '../../disk/durable-files'
import type { Columns, FeedSchema } from '../../schema/feed-schema'
import { FileInflater } from './file-inflater'

export interface VerifyOptions {
  readonly file: DurableFile
  readonly schema: FeedSchema<Columns>
  readonly signal: AbortSignal
}

/**
 * @returns the size of the inflated content in bytes
 * @throws FeedError GZIP_* as Gunzip, TSV_EMPTY, TSV_HEADER_INVALID, TSV_COLUMN_MISSING,
 * TSV_COLUMN_REPEATED, STATE_IO; the signal's reason
 */
export async function verifyFile({ file, schema, signal }: VerifyOptions): Promise<number> {
  const inflater = new FileInflater(file)
  const header = new HeaderCheck(schema)
  try {
    let rawBytes = 0
    for await (const block of inflater.blocks()) {
      signal.throwIfAborted()
      rawBytes += block.length
      header.see(block)
    }
    header.end()
    return rawBytes
  } finally {
    inflater.close()
    header.close()
  }
}

/** Checks the header line and skips the rest. */
class HeaderCheck {
  #parser: TsvParser<Columns> | undefined

  constructor(schema: FeedSchema<Columns>) {
    this.#parser = new TsvParser({ schema, onBadRow: 'skip' })
  }

  see(block: Uint8Array): void {
    if (this.#parser === undefined) return
    for (const _ of this.#parser.push(block)) break
    if (this.#parser.columnNames === undefined) return
    this.close()
  }

  end(): void {
    if (this.#parser !== undefined) for (const _ of this.#parser.end()) break
  }

  close(): void {
    this.#parser?.destroy()
    this.#parser = undefined
  }
}
