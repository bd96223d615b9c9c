// Changes of the state, appended to one file as JSON lines. A line is synced before its row is in the state, so that no change
// is left out; after a crash the last ones may stand in the file twice.

import { type FileHandle, open } from 'node:fs/promises'
import { sinkFailed } from '../index'
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
        // A device or a FIFO has nothing to sync.
        if ((await handle.stat()).isFile()) await handle.sync()
      }),
    // Where it could not be opened there is nothing to close, and the write has said so.
    close: () => guarded(path, async () => (await file?.catch(() => undefined))?.close()),
  }
}

async function guarded(path: string, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (cause) {
    throw sinkFailed('changes', path, cause)
  }
}
