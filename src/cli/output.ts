// The standard output of all commands. A line that cannot be written, because the disk is full or
// the reader has closed the pipe, is a typed failure of the command. The caller cleans up as after
// every failure.

import { fstat, write } from 'node:fs'
import { promisify } from 'node:util'
import { sinkFailed } from '../index'

const NAME = 'standard output'
const statOf = promisify(fstat)
const writeTo = promisify(write)

/** Rejects with the first failure. Nothing is written after it. */
let last: Promise<void> | undefined

/**
 * Writes a text and a line end after all earlier texts.
 * @throws FeedError SINK_FAILED, for this text or an earlier one
 */
export function print(text: string): Promise<void> {
  const before = last ?? begin()
  const printing = before.then(() => writeAll(`${text}\n`))
  // A caller that does not wait for this promise learns of the failure from `printed`.
  printing.catch(() => {})
  last = printing
  return printing
}

/** Resolves when every text is written. @throws FeedError SINK_FAILED */
export function printed(): Promise<void> {
  return last ?? Promise.resolve()
}

async function begin(): Promise<void> {
  // The callback of the write reports every failure. Without a listener, the error event would end
  // the process.
  process.stdout.on('error', () => {})
}

async function writeAll(text: string): Promise<void> {
  try {
    if (await isFile()) await writeToFile(Buffer.from(text))
    else
      await new Promise<void>((resolve, reject) =>
        process.stdout.write(text, error => (error ? reject(error) : resolve())),
      )
  } catch (cause) {
    throw sinkFailed(NAME, NAME, cause)
  }
}

async function isFile(): Promise<boolean> {
  const { fd } = process.stdout as { readonly fd?: number }
  return fd === 1 && (await statOf(fd)).isFile()
}

/**
 * The stream of Node treats a partial write on a full disk as a complete one, so this function
 * writes the rest.
 */
async function writeToFile(bytes: Buffer): Promise<void> {
  for (let from = 0; from < bytes.length; ) from += (await writeTo(1, bytes, from)).bytesWritten
}
