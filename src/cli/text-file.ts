// A file of text that the user has named for the result of a command. It appears whole or not at
// all.

import { byteSink, pipeline } from '../index'

/** @throws FeedError SINK_FAILED */
export async function writeTextFile(path: string, text: string): Promise<void> {
  await pipeline([Buffer.from(`${text}\n`)]).run(byteSink(path))
}
