// Reads a compressed file on this machine as batches of rows.

import type { Columns, DurableFile, RowBatch, RowQuarantine, TsvParser } from '../../engine/index'
import { PAUSE, type Pause, turnIfDue } from '../../engine/index'
import { FileInflater } from './file-inflater'

/**
 * Reads the batches of a compressed file. The caller closes the file and the parser.
 * @param quarantine the quarantine of the parser, which is written between two batches
 * @throws FeedError GZIP_*, TSV_*, STATE_IO; the reason of `signal`
 */
export async function* batchesOf<C extends Columns>(
  data: DurableFile,
  parser: TsvParser<C>,
  signal: AbortSignal,
  quarantine?: RowQuarantine,
): AsyncGenerator<RowBatch<C>, void, void> {
  const inflater = new FileInflater(data)
  try {
    for await (const block of inflater.blocks()) {
      signal.throwIfAborted()
      yield* batchesAmong(parser.steps(block), quarantine)
    }
    yield* batchesAmong(parser.lastSteps(), quarantine)
  } finally {
    inflater.close()
  }
}

async function* batchesAmong<B>(
  steps: Iterable<B | Pause>,
  quarantine: RowQuarantine | undefined,
): AsyncGenerator<B, void, void> {
  for (const step of steps) {
    if (step !== PAUSE) yield step
    else await turnIfDue()
    await quarantine?.settle()
  }
}
