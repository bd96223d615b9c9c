// Rows to a file of newline-delimited JSON, one object a line.

import { type ElementOf, elementsOf } from '../pipeline/batch'
import type { Sink } from '../pipeline/sink'
import { AtomicFile } from './atomic-file'
import { plainOf } from './plain-object'

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
    write: item => {
      let text = ''
      for (const element of elementsOf<T>(item)) text += `${JSON.stringify(plainOf<ElementOf<T>>(element))}\n`
      return file.write(text)
    },
    commit: () => file.commit(),
    abort: () => file.abort(),
  }
}
