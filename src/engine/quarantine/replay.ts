// Reads the rows of a quarantine again, as batches for a pipeline.

import { open } from 'node:fs/promises'
import { mendedRows } from '../codec/quarantine/mended-rows'
import { type QuarantinedRow, QuarantineReader } from '../codec/quarantine/quarantine-records'
import type { RowBatch } from '../codec/row-batch'
import type { BadRowPolicy } from '../codec/tsv/bad-row-report'
import { asFeedError, FeedError } from '../errors'
import { is, type OptionTable, readOptions } from '../options'
import {
  type Columns,
  checkedSchema,
  defineSchema,
  type FeedSchema,
  type TextColumns,
} from '../schema/feed-schema'
import { ROW_BYTES } from '../stages/tsv-stage'

const BLOCK_BYTES = 1 << 16
const ANY_COLUMNS = defineSchema({ name: 'other', columns: {} })

export interface ReplayOptions<C extends Columns> {
  /** The schema of the rows. Default: none, so that every cell is text. */
  readonly schema?: FeedSchema<C>
  /** What happens to a row that is still bad. Default: `throw`. */
  readonly onBadRow?: BadRowPolicy
  /** The most bytes of a row, its line end included. Default: 1 MiB. */
  readonly maxRowBytes?: number
}

const OPTIONS = {
  schema: [checkedSchema],
  onBadRow: is.any,
  maxRowBytes: [ROW_BYTES],
} satisfies OptionTable<ReplayOptions<Columns>>

/**
 * Reads the rows of a quarantine in the order of its records, for `pipeline(replay(path))`. Mend a
 * row in the `text` of its record before: it may become several rows, or none where the text is
 * empty. A record with `base64` may get `text` in its place. Rows have the file and the positions
 * that they had, also in messages.
 *
 * Each record is a batch, or a few. A record with a bad row is treated as `onBadRow` says; another
 * quarantine takes it with its new error. A bad cell is found by a ColumnDecoder behind the call.
 * Lines that are no records are QUARANTINE_INVALID.
 *
 * @throws FeedError OPTION_INVALID
 * @example
 * ```ts
 * import { writeFileSync } from 'node:fs'
 * import { pipeline, replay } from 'feedmill'
 *
 * const mended = [
 *   { file: { feed: 'other' }, columns: ['sku', 'stock'] },
 *   { row: 2, line: 3, byteOffset: 17, code: 'TSV_ROW_SHORT', message: '', text: 'A-2\t7\n' },
 * ]
 * writeFileSync('mended.ndjson', mended.map(record => JSON.stringify(record)).join('\n'))
 * for await (const row of pipeline(replay('mended.ndjson')))
 *   console.log(row.position.line, row.get('stock'))
 * // => 3 7
 * ```
 */
export function replay<C extends Columns = TextColumns>(
  path: string,
  options: ReplayOptions<C> = {},
): AsyncIterable<RowBatch<C>> {
  const { onBadRow, maxRowBytes } = readOptions(options, OPTIONS)
  const schema = options.schema ?? (ANY_COLUMNS as never)
  is.filePath('path', path)
  const quarantine = typeof onBadRow === 'object' ? onBadRow : undefined
  async function* batches(): AsyncGenerator<RowBatch<C>, void, void> {
    const file = await open(path).catch(cause => {
      throw asFeedError(cause, 'replay')
    })
    try {
      const block = Buffer.allocUnsafeSlow(BLOCK_BYTES)
      // A path may be that of a pipe, which is read from its start to its end.
      const read = async () => {
        const { bytesRead } = await file.read(block, 0, BLOCK_BYTES, null)
        return block.subarray(0, bytesRead)
      }
      for await (const row of quarantinedRows(path, read)) {
        yield* mendedRows<C>(row, { schema, onBadRow, maxRowBytes })
        await quarantine?.settle()
      }
    } finally {
      await file.close()
      await quarantine?.flush()
    }
  }
  // A pipeline calls `lastWork` and waits for it before it settles.
  const lastWork = () => quarantine?.flush()
  return Object.assign(
    { [Symbol.asyncIterator]: batches },
    { lastWork, reads: [path], writes: quarantine && [quarantine] },
  )
}

/**
 * Yields the rows of the records in their order.
 * @param read returns the next bytes, which are valid until the next call; none at the end
 * @param mayBeEmpty false where a file without any record is refused, as its reader might remove it
 * @throws FeedError QUARANTINE_INVALID
 */
export async function* quarantinedRows(
  path: string,
  read: () => Promise<Uint8Array>,
  mayBeEmpty = true,
): AsyncGenerator<QuarantinedRow, void, void> {
  const reader = new QuarantineReader(path)
  for (let bytes = await read(); bytes.length > 0; bytes = await read()) yield* reader.push(bytes)
  yield* reader.end()
  if (!reader.isEmpty || mayBeEmpty) return
  const reason = 'it has no record: it is no quarantine'
  throw new FeedError('QUARANTINE_INVALID', `${path}: ${reason}`, { path, line: 1, reason })
}
