// Which file is profiled, and what proves that another run read the same one.

import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { FeedError } from '../../index'

/** In one read of a file. */
const READ_BYTES = 256 * 1024

/** RFC 1952, 2.3.1: the first byte of a gzip file, which no text begins with. */
const GZIP_FIRST_BYTE = 0x1f

export interface ProfiledFile {
  readonly path: string
  readonly format: 'gzip' | 'plain'
  /** As it lies on the disk. */
  readonly bytes: number
  /** Of these bytes, hexadecimal. */
  readonly sha256: string
}

/**
 * Reads the file once to its end, so that the first round finds it as near as the others do.
 * @throws OPTION_INVALID where it cannot be read
 */
export async function profiledFile(path: string): Promise<ProfiledFile> {
  const hash = createHash('sha256')
  let bytes = 0
  let firstByte: number | undefined
  try {
    // Every round reads the file from its start, which a pipe cannot give.
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
