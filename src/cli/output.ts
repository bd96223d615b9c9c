// The lines that all commands print, on standard output and standard error. A text of a file, a
// server or the caller may hold codes that a terminal obeys, or line ends that begin a line of
// feedmill's own; no line has them. The data of `export` and of downloads goes through sinks
// instead. Standard error has no secret, which is covered here for all commands.
//
// A line on standard output that cannot be written, because the disk is full or the reader has
// closed the pipe, is a typed failure of the command. The caller cleans up as after every failure.

import { fstat, write } from 'node:fs'
import { promisify } from 'node:util'
import { printableText, sinkFailed } from '../index'
import { covered } from './command-secrets'

const NAME = 'standard output'
const statOf = promisify(fstat)
const writeTo = promisify(write)

/** Rejects with the first failure. Nothing is written after it. */
let last: Promise<void> | undefined

/**
 * Writes lines after all earlier ones. A line end inside a line is shown and does not end it.
 * @throws FeedError SINK_FAILED, for these lines or earlier ones
 */
export function print(lines: string | readonly string[]): Promise<void> {
  const before = last ?? begin()
  const printing = before.then(() => writeAll(textOf(lines)))
  // A caller that does not wait for this promise learns of the failure from `printed`.
  printing.catch(() => {})
  last = printing
  return printing
}

/** Resolves when every line is written. @throws FeedError SINK_FAILED */
export function printed(): Promise<void> {
  return last ?? Promise.resolve()
}

/** Writes lines to standard error. */
export function printError(lines: string | readonly string[]): void {
  if (lines.length > 0) console.error(covered(textOf(lines).slice(0, -1)))
}

/**
 * Returns JSON in which each character that a line cannot show is escaped, so that it is the same
 * value for a program.
 */
export function jsonText(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replaceAll(/[^ -~\n]/gu, character =>
    printableText(character) === character
      ? character
      : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

function textOf(lines: string | readonly string[]): string {
  return [lines]
    .flat()
    .map(line => `${printableText(line)}\n`)
    .join('')
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
