// Changes of the state, appended to one file as JSON lines. A line is synced before its row is in
// the state, so that no change is left out; after a crash, or a disk that was full, the last ones
// may stand in the file twice. What such an end left of a line is cut off before the next one is
// written: its change comes again whole.

import { type FileHandle, open } from 'node:fs/promises'
import { FeedError, sinkFailed } from '../../index'
import { type ChangeSink, changeLine } from '../../sync/index'

/** What a line of changes begins with. */
const LINE_START = '{"part":"'
const LINE_END = 0x0a
/** Read at a time, from the end of the file on. */
const BLOCK_BYTES = 64 * 1024

export interface AppendingSink extends ChangeSink {
  close(): Promise<void>
}

/**
 * The file is made with the first change. Its methods fail with SINK_FAILED; after a failed write
 * every later one fails as it did, so that nothing is put behind a line that is not whole. One run
 * at a time may write a file.
 * @param openFile opens a file as node:fs does
 */
export function appendingSink(path: string, openFile: typeof open = open): AppendingSink {
  let file: Promise<FileHandle> | undefined
  let failure: unknown
  const append = async (text: string) => {
    if (failure !== undefined) throw failure
    file ??= openedToAppend(path, openFile)
    const handle = await file
    await handle.appendFile(text)
    // A device or a FIFO has nothing to sync.
    if ((await handle.stat()).isFile()) await handle.sync()
  }
  return {
    write: changes =>
      guarded(path, () => append(changes.map(changeLine).join(''))).catch((error: unknown) => {
        failure = error
        throw error
      }),
    // Where it could not be opened there is nothing to close, and the write has said so.
    close: () => guarded(path, async () => (await file?.catch(() => undefined))?.close()),
  }
}

async function openedToAppend(path: string, openFile: typeof open): Promise<FileHandle> {
  const handle = await openFile(path, 'a')
  try {
    if ((await handle.stat()).isFile()) await cutTornLine(path, openFile)
    return handle
  } catch (error) {
    await handle.close()
    throw error
  }
}

async function cutTornLine(path: string, openFile: typeof open): Promise<void> {
  const handle = await openFile(path, 'r+')
  try {
    const { size } = await handle.stat()
    const start = await lastLineStart(handle, size)
    if (start === size) return
    const { buffer, bytesRead } = await handle.read(
      Buffer.alloc(LINE_START.length),
      0,
      LINE_START.length,
      start,
    )
    if (!LINE_START.startsWith(buffer.toString('latin1', 0, bytesRead))) {
      throw sinkFailed(
        'changes',
        path,
        'its last line has no end and is no change: it is not a file of changes',
      )
    }
    await handle.truncate(start)
  } finally {
    await handle.close()
  }
}

/** The offset behind the last line end: the size of the file where nothing stands behind it. */
async function lastLineStart(handle: FileHandle, size: number): Promise<number> {
  const block = Buffer.alloc(BLOCK_BYTES)
  for (let end = size; end > 0; ) {
    const from = Math.max(0, end - BLOCK_BYTES)
    const { bytesRead } = await handle.read(block, 0, end - from, from)
    const at = block.subarray(0, bytesRead).lastIndexOf(LINE_END)
    if (at >= 0) return from + at + 1
    end = from
  }
  return 0
}

async function guarded(path: string, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (cause) {
    throw FeedError.is(cause) ? cause : sinkFailed('changes', path, cause)
  }
}
