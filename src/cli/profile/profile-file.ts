// Identifies the profiled file, so that a comparison can tell whether another run read the same
// file.

import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { FeedError } from '../../index'

/** The size of one read. */
const READ_BYTES = 256 * 1024

/** The first byte of a gzip file (RFC 1952, section 2.3.1). No text begins with it. */
const GZIP_FIRST_BYTE = 0x1f

export interface ProfiledFile {
  readonly path: string
  readonly format: 'gzip' | 'plain'
  /** The size of the file on the disk. */
  readonly bytes: number
  /** The hash of these bytes, hexadecimal. */
  readonly sha256: string
}

/**
 * Reads the whole file once, so that the first round finds it in the cache of the system, as the
 * others do.
 * @throws OPTION_INVALID when the file cannot be read
 */
export async function profiledFile(path: string): Promise<ProfiledFile> {
  const hash = createHash('sha256')
  let bytes = 0
  let firstByte: number | undefined
  try {
    // Every round reads the file from its start, which is impossible with a pipe.
    if (!(await stat(path)).isFile()) throw unreadable(path, 'it is not a regular file')
    for await (const block of createReadStream(path, {
      highWaterMark: READ_BYTES,
    }) as AsyncIterable<Buffer>) {
      firstByte ??= block[0]
      bytes += block.length
      hash.update(block)
    }
  } catch (error) {
    throw FeedError.is(error) ? error : unreadable(path, String(error))
  }
  return {
    path,
    format: firstByte === GZIP_FIRST_BYTE ? 'gzip' : 'plain',
    bytes,
    sha256: hash.digest('hex'),
  }
}

function unreadable(path: string, reason: string): FeedError {
  return new FeedError('OPTION_INVALID', `${path} cannot be read: ${reason}`, {
    option: 'FILE',
    expected: 'a file that can be read',
    received: path,
  })
}
