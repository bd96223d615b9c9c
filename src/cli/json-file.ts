// Files of settings: each holds one JSON object. A message about such a file never shows its
// content, because it may hold a secret.

import { closeSync, fstatSync, openSync, readSync, type Stats } from 'node:fs'
import { FeedError } from '../index'
import { rememberValues } from './command-secrets'
import { usageError } from './usage-error'

/** The permissions of a file for its group and for all others. */
const OTHERS_MODE = 0o077
/** Larger than any report of `inspect`. */
const MOST_BYTES = 256 * 2 ** 20
const BLOCK_BYTES = 64 * 1024

/**
 * Returns the object that the file holds.
 * @param option the name of the option that names the file
 * @throws FeedError OPTION_INVALID
 */
export function jsonFile(option: string, path: string): object {
  return readObject(option, path, () => {})
}

/**
 * Returns the object of a file that holds a secret. The file is refused where it belongs to the
 * user of this process and other users have any permission for it. A file of another user, such as
 * a secret that a container mounts, is not checked: its owner decides about it. ssh treats the
 * files of its keys in the same way.
 * @throws FeedError OPTION_INVALID
 */
export function secretJsonFile(option: string, path: string): object {
  const secrets = readObject(option, path, stats => {
    // Windows has no such permissions, and reports some for every file.
    if (stats.uid !== process.getuid?.() || !stats.isFile()) return
    if ((stats.mode & OTHERS_MODE) !== 0)
      throw invalid(option, path, `can be read by others; run \`chmod 600 ${path}\` first`)
  })
  rememberValues(secrets)
  return secrets
}

function readObject(option: string, path: string, check: (stats: Stats) => void): object {
  let value: unknown
  try {
    value = JSON.parse(checkedText(path, check))
  } catch (cause) {
    if (FeedError.is(cause)) throw cause
    // The message of a SyntaxError quotes the text.
    if (cause instanceof SyntaxError)
      throw invalid(option, path, 'is not JSON, or larger than 256 MiB')
    // What names no file may be the content that belongs into it, and the system's error repeats
    // it.
    const { code } = cause as NodeJS.ErrnoException
    throw invalid(option, 'the file', `cannot be read (${code})`)
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw invalid(option, path, 'holds no object')
}

function checkedText(path: string, check: (stats: Stats) => void): string {
  const descriptor = openSync(path, 'r')
  try {
    check(fstatSync(descriptor))
    return textOf(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** A file may be a pipe. A device may have no end, so that only a number of bytes is read. */
function textOf(descriptor: number): string {
  const blocks: Buffer[] = []
  for (let bytes = 0; bytes < MOST_BYTES; ) {
    const block = Buffer.allocUnsafe(BLOCK_BYTES)
    const length = readSync(descriptor, block)
    if (length === 0) return Buffer.concat(blocks).toString()
    blocks.push(block.subarray(0, length))
    bytes += length
  }
  throw new SyntaxError('too long')
}

function invalid(option: string, path: string, received: string): FeedError {
  return usageError(option, 'a file with a JSON object', received, `${option}: ${path} ${received}`)
}
