// Changes of the state appended to one file, as JSON lines. A line is synced before the row that it tells of is in the state: none is
// left out, and after a crash the last ones may stand there twice.

import { type FileHandle, open } from 'node:fs/promises'
import { FeedError } from '../index'
import { type ChangeSink, changeLine } from '../sync/index'

export interface AppendingSink extends ChangeSink {
  close(): Promise<void>
}

/** The file is made with the first change. Its methods fail with SINK_FAILED. */
export function appendingSink(path: string): AppendingSink {
  let file: Promise<FileHandle> | undefined
  return {
    write: changes =>
      guarded(path, async () => {
        file ??= open(path, 'a')
        const handle = await file
        await handle.appendFile(changes.map(changeLine).join(''))
        await handle.sync()
      }),
    // Where it could not be opened there is nothing to close, and the write has said so.
    close: () => guarded(path, async () => (await file?.catch(() => undefined))?.close()),
  }
}

async function guarded(path: string, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (cause) {
    throw new FeedError('SINK_FAILED', `${path} cannot be written`, { sink: 'changes', target: path }, { cause })
  }
}
