// A sink that writes batches of columns as an IPC file or stream of Apache Arrow. Each batch is a
// record batch of the file, and its bytes are written before the sink takes the next one.

import type {
  ColumnBatch,
  FeedSchema,
  OwnSchema,
  RowBatch,
  Sink,
  SinkBatch,
  SinkTarget,
  TableItem,
} from '../../engine/index'
import {
  ArrowIpc,
  ByteOutput,
  ColumnItems,
  is,
  type OptionTable,
  readOptions,
  SinkColumns,
  sinkOfRuns,
} from '../../engine/index'

export interface ArrowSinkOptions<S = OwnSchema> {
  /**
   * `file` can be read at any place, `stream` from its start only. Default: `file`.
   */
  readonly format?: 'file' | 'stream'
  /**
   * The schema of plain objects, which they need; a property that it lacks is refused. Batches have
   * their own. Default: none.
   */
  readonly schema?: S
}

const NAME = 'arrow'
const OPTIONS = {
  format: [is.choice('file', 'stream'), 'file'],
  schema: is.any,
} satisfies OptionTable<ArrowSinkOptions>

/**
 * Makes a sink that writes batches of columns, or of rows, as an IPC file of Apache Arrow, which is
 * also Feather version 2. It needs the memory of one batch, and no other package.
 *
 * - The file appears when the pipeline has succeeded; before, and after a failure, `target` stays
 *   as it was. A device, a FIFO or a stream gets the bytes as they come. A run needs a batch, which
 *   may be one without a row, to know the columns.
 * - Rows of several files may go into one: a column that the first batch lacks is COLUMN_UNKNOWN.
 * @param target the path of the file, in an existing folder; or a Node stream, which the sink does
 * not end
 * @throws FeedError OPTION_INVALID at the call; SINK_FAILED; COLUMN_UNKNOWN; SINK_VALUE_INVALID for
 * an item that is no batch, and for a column of another type than in the first one; CELL_INVALID for
 * a bad cell of a batch of rows
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
  options?: ArrowSinkOptions<undefined>,
): Sink<ColumnBatch | RowBatch>
export function arrowSink<T, S extends FeedSchema>(
  target: SinkTarget,
  options: ArrowSinkOptions<S> & { readonly schema: S },
): Sink<TableItem<T, S>>
export function arrowSink(target: SinkTarget, options: ArrowSinkOptions = {}): Sink<unknown> {
  const { format, schema } = readOptions(options, OPTIONS)
  const newOutput = () => new ByteOutput(target, NAME)
  const newItems = () => new ColumnItems(NAME, schema)
  newItems()
  return sinkOfRuns(NAME, newOutput(), () => {
    const output = newOutput()
    const items = newItems()
    const columns = new SinkColumns(NAME)
    let file: ArrowIpc | undefined
    const write = async (batch: SinkBatch) => {
      const data = columns.dataOf(batch)
      if (file === undefined) {
        file = new ArrowIpc(columns.fields, format)
        await output.write(file.start)
      }
      await output.write(file.batch(batch.length, data))
    }
    return {
      open: () => output.open(),
      write: async item => {
        for (const batch of items.take(item)) await write(batch)
      },
      prepare: async () => {
        for (const batch of items.rest()) await write(batch)
        const empty = file === undefined ? items.empty() : undefined
        if (empty !== undefined) await write(empty)
        if (file === undefined) throw columns.missing(output.name)
        await output.write(file.end())
        await output.prepare()
      },
      commit: () => output.commit(),
      abort: () => output.abort(),
    }
  })
}
