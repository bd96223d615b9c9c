// What a store on disk keeps about itself, in its index: that it is one, in which format, and how
// much of its log was in use.

import { corruptState } from '../../disk/state-errors'
import type { LevelDatabase } from './level-database'

const FORMAT = 1

export interface Meta {
  readonly format: number
  /** Bytes of the log that were in use when it was last looked through. */
  readonly liveBytes: number
}

export const NEW_META: Meta = { format: FORMAT, liveBytes: 0 }

/** @returns undefined of an index that was just made @throws FeedError STATE_CORRUPT, STATE_IO */
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
