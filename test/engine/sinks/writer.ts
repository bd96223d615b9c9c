// A process that writes one file. It sends a message when it has written half of its lines, and
// waits for one before it continues.

import { once } from 'node:events'
import { pipeline } from '../../../src/engine/pipeline/pipeline'
import { ndjsonSink } from '../../../src/engine/sinks/ndjson-sink'

export interface WriterOrder {
  readonly path: string
  /** The content of each line. */
  readonly line: string
  readonly lines: number
}

const { path, line, lines } = JSON.parse(process.argv[2] ?? '') as WriterOrder
async function* source() {
  for (let n = 0; n < lines; n++) {
    if (n === lines >> 1) {
      const answer = once(process, 'message')
      process.send?.('half')
      // `exit` ends the process in the middle of the file.
      if ((await answer)[0] === 'exit') process.exit(3)
    }
    yield line
  }
}
await pipeline(source()).run(ndjsonSink(path))
process.disconnect()
