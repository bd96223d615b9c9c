// Appends the changes of the state to one file as JSON lines. A line is synced before the state has
// its row, so that no change is lost. After a crash or a full disk, the last lines may occur twice.
// The next run cuts off an incomplete last line and writes its change again.

import { type FileHandle, open } from 'node:fs/promises'
import { FeedError, sinkFailed } from '../../index'
import { type ChangeSink, changeLine, debeziumLine, type StateChange } from '../../sync'

/** A line of a change, and how each of them begins. */
const FORMATS = {
  plain: { lineOf: (change: StateChange) => changeLine(change), start: '{"part":"' },
  debezium: { lineOf: (change: StateChange) => debeziumLine(change), start: '{"before":' },
} as const

export type ChangeFormat = keyof typeof FORMATS

const NO_CHANGES = 'its last line has no end and is no change: it is not a file of changes'
const LINE_END = 0x0a
/** The size of one read, from the end of the file backwards. */
const BLOCK_BYTES = 64 * 1024

export interface AppendingSink extends ChangeSink {
  close(): Promise<void>
}

/**
 * The first change creates the file. The methods fail with SINK_FAILED. After a failed write, every
 * later write fails with the same error, so that nothing follows an incomplete line. Only one run
 * at a time may write a file.
 * @param openFile opens a file, as node:fs does
 */
export function appendingSink(
  path: string,
  format: ChangeFormat = 'plain',
  openFile = open,
): AppendingSink {
  const { lineOf, start } = FORMATS[format]
  let file: Promise<FileHandle> | undefined
  let failure: unknown
  const append = async (text: string) => {
    if (failure !== undefined) throw failure
    file ??= openedToAppend(path, openFile, start)
    const handle = await file
    await handle.appendFile(text)
    // A device or a FIFO cannot be synced.
    if ((await handle.stat()).isFile()) await handle.sync()
  }
  return {
    write: changes =>
      guarded(path, () => append(changes.map(lineOf).join(''))).catch((error: unknown) => {
        failure = error
        throw error
      }),
    // A file that could not be opened needs no close, and the write has reported the failure.
    close: () => guarded(path, async () => (await file?.catch(() => undefined))?.close()),
  }
}

async function openedToAppend(
  path: string,
  openFile: typeof open,
  lineStart: string,
): Promise<FileHandle> {
  const handle = await openFile(path, 'a')
  try {
    if ((await handle.stat()).isFile()) await cutTornLine(path, openFile, lineStart)
    return handle
  } catch (error) {
    await handle.close()
    throw error
  }
}

async function cutTornLine(path: string, openFile: typeof open, lineStart: string): Promise<void> {
  const handle = await openFile(path, 'r+')
  try {
    const { size } = await handle.stat()
    const start = await lastLineStart(handle, size)
    if (start === size) return
    const begin = Buffer.alloc(lineStart.length)
    const { bytesRead } = await handle.read(begin, { position: start })
    if (!lineStart.startsWith(begin.toString('latin1', 0, bytesRead)))
      throw sinkFailed('changes', path, NO_CHANGES)
    await handle.truncate(start)
  } finally {
    await handle.close()
  }
}

/** Returns the offset after the last line end. */
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
