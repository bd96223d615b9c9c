// A sink that writes batches of columns as an IPC file or stream of Apache Arrow. Each batch is a
// record batch of the file, and its bytes are written before the sink takes the next one.

import type { ColumnBatch, RowBatch, Sink, SinkTarget } from '../../engine/index'
import {
  ArrowIpc,
  ByteOutput,
  columnsOf,
  is,
  type OptionTable,
  readOptions,
  SinkColumns,
  sinkOfRuns,
} from '../../engine/index'

export interface ArrowSinkOptions {
  /**
   * `file` can be read at any place, `stream` from its start only. Default: `file`.
   */
  readonly format?: 'file' | 'stream'
}

const NAME = 'arrow'
const OPTIONS = {
  format: [is.choice('file', 'stream'), 'file'],
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
  options: ArrowSinkOptions = {},
): Sink<ColumnBatch | RowBatch> {
  const { format } = readOptions(options, OPTIONS)
  const newOutput = () => new ByteOutput(target, NAME)
  return sinkOfRuns(NAME, newOutput(), () => {
    const output = newOutput()
    const columns = new SinkColumns(NAME)
    let file: ArrowIpc | undefined
    let row = 1
    return {
      open: () => output.open(),
      write: async item => {
        const batch = columnsOf(item, NAME, row)
        const data = columns.dataOf(batch)
        if (file === undefined) {
          file = new ArrowIpc(columns.fields, format)
          await output.write(file.start)
        }
        await output.write(file.batch(batch.length, data))
        row += batch.length
      },
      prepare: async () => {
        if (file === undefined) throw columns.missing(output.name)
        await output.write(file.end())
        await output.prepare()
      },
      commit: () => output.commit(),
      abort: () => output.abort(),
    }
  })
}
