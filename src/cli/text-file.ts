// A file of text that the user has named for the result of a command. It appears whole or not at
// all.

import { byteSink, pipeline } from '../index'

/** Ends the last line where the text does not. @throws FeedError SINK_FAILED */
export async function writeTextFile(path: string, text: string): Promise<void> {
  await pipeline([Buffer.from(text.endsWith('\n') ? text : `${text}\n`)]).run(byteSink(path))
}
