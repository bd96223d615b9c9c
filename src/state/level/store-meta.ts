// The metadata of a store on disk, in its index: the format, and the bytes of the log that were in
// use.

import { corruptState } from '../../engine/index'
import type { LevelDatabase } from './level-database'

const FORMAT = 1

export interface Meta {
  readonly format: number
  /** Bytes of the log that were in use at its last compaction. */
  readonly liveBytes: number
}

export const NEW_META: Meta = { format: FORMAT, liveBytes: 0 }

/**
 * @returns undefined for a new index
 * @throws FeedError STATE_CORRUPT, STATE_IO
 */
export async function readMeta(index: LevelDatabase): Promise<Meta | undefined> {
  const bytes = await index.meta()
  if (bytes === undefined) return undefined
  const meta = JSON.parse(Buffer.from(bytes).toString()) as Meta
  if (meta.format !== FORMAT)
    throw corruptState(index.folder, `format ${meta.format} is not known, only ${FORMAT}`)
  return meta
}

export function writeMeta(index: LevelDatabase, meta: Meta): Promise<void> {
  return index.putMeta(Buffer.from(JSON.stringify(meta)))
}
