// The bytes of a verified file in its spool. A file that is missing or has changed since it was
// verified is damage of the folder and not of the service's file.

import type { DurableFile } from '../../engine/index'
import { corruptState, FeedError, familyOf } from '../../engine/index'
import type { FileId } from '../file-id'
import type { SpoolFolder } from '../target/spool-folder'

/** @throws FeedError STATE_CORRUPT, STATE_IO */
export async function openSpooled(spools: SpoolFolder, id: FileId): Promise<DurableFile> {
  const data = await spools.data(id)
  if (data !== undefined) return data
  throw corruptState(spools.dataPath(id), 'the file that was being merged is missing')
}

/** Returns the error to throw for a failure of reading a verified file. */
export function spoolFailure(spools: SpoolFolder, id: FileId, cause: unknown): unknown {
  const family = FeedError.is(cause) ? familyOf(cause.code) : undefined
  return family === 'gzip' || family === 'tsv'
    ? corruptState(spools.dataPath(id), 'the file is not what was proven', cause)
    : cause
}
