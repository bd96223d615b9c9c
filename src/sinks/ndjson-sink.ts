// Rows to a file of newline-delimited JSON, one object a line.

import { elementsOf } from '../pipeline/batch'
import type { Sink } from '../pipeline/sink'
import { AtomicFile } from './atomic-file'

/**
 * One JSON object for each row (or member, or item), in order. Rows are written with their typed values:
 * decimals as exact text, timestamps as ISO 8601, empty cells as null.
 * The file appears when the pipeline has ended well; until then, and after a failure, `path` is as it was before.
 * @throws FeedError SINK_FAILED
 */
export function ndjsonSink<T>(path: string): Sink<T> {
  const file = new AtomicFile(path, 'ndjson')
  return {
    name: 'ndjson',
    open: () => file.open(),
    write: async item => {
      for (const element of elementsOf(item)) {
        // What JSON has no form for, such as undefined, is null: as inside a list.
        const due = file.write(`${JSON.stringify(element) ?? 'null'}\n`)
        if (due !== undefined) await due
      }
    },
    commit: () => file.commit(),
    abort: () => file.abort(),
  }
}
