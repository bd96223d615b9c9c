// The standard output of all commands. A line that cannot be written, because the disk is full or
// the reader has gone away, is a failure of the command: it is typed, and its caller frees what it
// holds as after every failure.

import { fstat, write } from 'node:fs'
import { promisify } from 'node:util'
import { sinkFailed } from '../index'

const NAME = 'standard output'
const statOf = promisify(fstat)
const writeTo = promisify(write)

/** Rejects with the first failure, and then no more is written. */
let last: Promise<void> | undefined

/**
 * Writes text and a line end, behind what was printed before.
 * @throws FeedError SINK_FAILED, of this text or of an earlier one
 */
export function print(text: string): Promise<void> {
  const before = last ?? begin()
  const printing = before.then(() => writeAll(`${text}\n`))
  // Where nobody waits for this one, `printed` tells.
  printing.catch(() => {})
  last = printing
  return printing
}

/** Resolves when all that was printed is written. @throws FeedError SINK_FAILED */
export function printed(): Promise<void> {
  return last ?? Promise.resolve()
}

async function begin(): Promise<void> {
  // The write reports every failure. Without a listener the event that comes with it would end the
  // process.
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

/** Node's own stream takes what the disk had room for in part for the whole. */
async function writeToFile(bytes: Buffer): Promise<void> {
  for (let from = 0; from < bytes.length; ) from += (await writeTo(1, bytes, from)).bytesWritten
}
