// NDJSON to standard output, as fast as its reader takes it.

import { FeedError, type Sink } from '../index'

/** Characters gathered before a write. */
const BLOCK_CHARACTERS = 64 * 1024

/** What was written stays written when the pipeline fails: nothing can take it back. Fails with SINK_FAILED. */
export function stdoutSink<T extends readonly unknown[]>(stream: NodeJS.WritableStream = process.stdout): Sink<T> {
  let block = ''
  // A reader that goes away is told by the write; the event that comes with it would end the process.
  const ignore = () => {}
  const flush = () => {
    const text = block
    block = ''
    return written(stream, text)
  }
  return {
    name: 'stdout',
    open: () => void stream.on('error', ignore),
    write: elements => {
      for (const element of elements) block += `${JSON.stringify(element)}\n`
      return block.length < BLOCK_CHARACTERS ? undefined : flush()
    },
    commit: async () => {
      await flush()
      stream.off('error', ignore)
    },
    abort: () => {
      block = ''
    },
  }
}

function written(stream: NodeJS.WritableStream, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (cause: Error) =>
      reject(new FeedError('SINK_FAILED', 'standard output cannot be written', { sink: 'stdout', target: 'stdout' }, { cause }))
    stream.write(text, error => (error ? failed(error) : resolve()))
  })
}
