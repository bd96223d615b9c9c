// A sink that writes batches of columns as an IPC file or stream of Apache Arrow. Each batch is a
// record batch of the file, and its bytes are written before the sink takes the next one.

import { isDeepStrictEqual } from 'node:util'
import type { ArrowType, ColumnBatch, Sink, SinkTarget } from '../../engine/index'
import {
  ByteOutput,
  choice,
  decodeColumns,
  isColumnBatch,
  knownOptions,
  type OptionNames,
  RowBatch,
  valueInvalid,
} from '../../engine/index'
import { type ArrowApi, type ByteQueue, loadArrow, type RecordBatchWriter } from './arrow-api'
import { recordBatchOf } from './to-arrow'

export interface ArrowSinkOptions {
  /**
   * `file` can be read at any place, `stream` from its start only. Default: `file`.
   */
  readonly format?: 'file' | 'stream'
}

const NAME = 'arrow'
const OPTIONS: OptionNames<ArrowSinkOptions> = { format: true }

/**
 * Makes a sink that writes batches of columns, or of rows, as an IPC file of Apache Arrow, which is
 * also Feather version 2. It needs the memory of one batch. A file without rows has the columns of
 * its batches, or none where no batch came.
 *
 * The file appears when the pipeline has succeeded; before, and after a failure, `target` stays as
 * it was. A device, a FIFO or a stream gets the bytes as they come.
 * @param target the path of the file, in an existing folder; or a Node stream, which the sink does
 * not end
 * @throws FeedError OPTION_INVALID at the call; DEPENDENCY_MISSING without the package
 * `apache-arrow`; SINK_FAILED; SINK_VALUE_INVALID for what is no batch, and for a batch with other
 * columns than the first one; CELL_INVALID for a bad cell of a batch of rows
 * @example
 * ```ts
 * import { readFileSync } from 'node:fs'
 * import { itemSchema, pipeline, TsvColumnParser } from 'feedmill'
 * import { arrowSink } from 'feedmill/arrow'
 *
 * const file = [Buffer.from('itemId\tpriceValue\nv1|1|0\t9.90\n')]
 * const parser = new TsvColumnParser({ schema: itemSchema })
 * await pipeline(file).to(parser).run(arrowSink('items.arrow'))
 * console.log(readFileSync('items.arrow', 'latin1').slice(0, 6))
 * // => ARROW1
 * ```
 */
export function arrowSink(
  target: SinkTarget,
  options: ArrowSinkOptions = {},
): Sink<ColumnBatch | RowBatch> {
  const { format = 'file' } = knownOptions(options, OPTIONS)
  choice('format', format, ['file', 'stream'])
  const output = new ByteOutput(target, NAME)
  let file: ArrowFile
  let row = 0
  const writeOut = async () => {
    for (const bytes of file.chunks.splice(0)) await output.write(bytes)
  }
  return {
    name: NAME,
    open: async () => {
      const arrow = await loadArrow()
      await output.open()
      file = new ArrowFile(arrow, format)
      row = 0
    },
    write: async item => {
      const batch = item instanceof RowBatch ? decodeColumns(item) : item
      if (!isColumnBatch(batch))
        throw valueInvalid(NAME, row + 1, 'the item is no batch of columns or rows')
      if (!file.add(batch)) throw valueInvalid(NAME, row + 1, 'its columns are not those before')
      row += batch.length
      await writeOut()
    },
    prepare: async () => {
      file.end()
      await writeOut()
      await output.prepare()
    },
    commit: () => output.commit(),
    abort: () => output.abort(),
  }
}

class ArrowFile {
  /** Bytes to be written, some of which are arrays of the last batch. */
  readonly chunks: Uint8Array[] = []
  readonly #arrow: ArrowApi
  readonly #writer: RecordBatchWriter
  readonly #queue: ByteQueue
  /** Names and types of the columns, and nothing of the first batch. */
  #columns: readonly { readonly name: string; readonly type: ArrowType }[] | undefined

  constructor(arrow: ArrowApi, format: 'file' | 'stream') {
    this.#arrow = arrow
    this.#queue = new arrow.AsyncByteQueue()
    this.#queue.write = bytes => {
      if (bytes.byteLength > 0) this.chunks.push(bytes)
    }
    this.#writer =
      format === 'file' ? new arrow.RecordBatchFileWriter() : new arrow.RecordBatchStreamWriter()
  }

  /** Returns false where the batch has other columns than the first one. */
  add(batch: ColumnBatch): boolean {
    const columns = batch.columns.map(({ name, type }) => ({ name, type }))
    const record = recordBatchOf(this.#arrow, batch)
    if (this.#columns === undefined) this.#writer.reset(this.#queue, record.schema)
    this.#columns ??= columns
    if (!isDeepStrictEqual(columns, this.#columns)) return false
    this.#writer.write(record)
    return true
  }

  end(): void {
    if (this.#columns === undefined) this.#writer.reset(this.#queue, new this.#arrow.Schema([]))
    this.#writer.finish()
  }
}
