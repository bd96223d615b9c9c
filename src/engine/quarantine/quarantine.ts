// The quarantine of a pipeline: a file of records, one a line, to which runs append the rows that
// they leave out. replay.ts reads it. The records are codec/quarantine/quarantine-records.ts.

import type { LeftOutBytes, RowQuarantine } from '../codec/quarantine/row-quarantine'
import { withoutLinks } from '../disk/atomic-file'
import { machineFiles } from '../disk/durable-files'
import { FeedError } from '../errors'
import { is } from '../options'
import { sinkFailed } from '../sinks/sink-errors'
import { QuarantineWriter } from './quarantine-writer'

const NAME = 'quarantine'

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
 * bytes of a file are those of its start (header line, byte order mark, comments), of the rows of
 * the batches, and of the quarantine; and the rows read are the rows kept and the rows quarantined.
 *
 * The file has one JSON record a line: where the row stood (row, line, byte offset), the code and
 * the message of its error, the column of a bad cell, and its bytes as `text`, or as `base64` where
 * they are not UTF-8. Before them stands a record of their file with its column names. A row longer
 * than
 * `maxRowBytes` has several records, which have all of its bytes. {@link replay} reads the rows after
 * somebody has mended them.
 *
 * One object may serve several stages and several runs of one process. Memory holds the bad rows of
 * one block at most. All records are on the disk before a run settles, however it ends (also by
 * `take`, `break`, an abort or a failure), and a run fails where they cannot be written:
 * SINK_FAILED. The first bad row makes the file, in an existing folder. A run that fails leaves the
 * records up to its failure, so begin a new file to repeat it. A last line that a killed process
 * left incomplete is cut off by the next one. One process at a time may write a file.
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
  return new QuarantineFile(is.filePath('path', path))
}

class QuarantineFile extends QuarantineWriter implements Quarantine {
  readonly path: string
  bytes = 0

  constructor(path: string) {
    // The user names the file, which may be a link.
    const edit = async (own: string) => machineFiles.edit(withoutLinks(own))
    super({ files: { ...machineFiles, edit }, path })
    this.path = path
  }

  override take(leftOut: LeftOutBytes): void {
    super.take(leftOut)
    this.bytes += leftOut.bytes.length
  }

  override settle(): Promise<void> | undefined {
    return this.#typed(super.settle())
  }

  override flush(): Promise<void> | undefined {
    return this.#typed(super.flush())
  }

  #typed(written: Promise<void> | undefined): Promise<void> | undefined {
    return written?.catch(cause => {
      const isIo = FeedError.is(cause) && cause.code === 'STATE_IO'
      throw sinkFailed(NAME, this.path, isIo ? (cause.cause ?? cause.context.reason) : cause)
    })
  }
}
