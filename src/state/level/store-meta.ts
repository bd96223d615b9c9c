// What a store on disk says of itself: its format and the bytes of the log that were in use, in its
// index; and the marker of a clean shutdown, with the sizes and checksums of the files that LevelDB
// appends to. After a clean shutdown the files must match the marker; the end of a log alone does
// not tell whether a crash cut it off or damage came later. The store removes the marker before it
// writes again, so a crash leaves none.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  corruptState,
  crc32,
  machineFiles,
  onDisk,
  readWhole,
  writeSynced,
} from '../../engine/index'
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

/** Name of the marker in the folder of the store. */
export const CLEAN_SHUTDOWN_MARKER = 'closed.json'
/** LevelDB's own files that are not tables. No file of the value log has a name of this form. */
export const GROWING_FILE = /^(CURRENT|MANIFEST-\d+|\d+\.log)$/

/** Size and checksum of each file, by its name. */
type Fingerprints = Readonly<Record<string, readonly [bytes: number, checksum: number]>>

/**
 * @param index folder of the closed LevelDB
 * @throws FeedError STATE_IO
 */
export async function writeCleanShutdownMarker(folder: string, index: string): Promise<void> {
  const text = lineOf(JSON.stringify(await fingerprintsOf(index)))
  await writeSynced(machineFiles, join(folder, CLEAN_SHUTDOWN_MARKER), Buffer.from(text))
}

/**
 * Compares the files with the marker, where there is a whole one, and removes the marker.
 * @throws FeedError STATE_CORRUPT, STATE_IO
 */
export async function checkCleanShutdownMarker(folder: string, index: string): Promise<void> {
  const path = join(folder, CLEAN_SHUTDOWN_MARKER)
  const bytes = await readWhole(machineFiles, path)
  if (bytes === undefined) return
  const text = Buffer.from(bytes).toString('latin1')
  const expected = text.slice(0, text.indexOf('\n'))
  // A marker that a crash cut off, or that is damaged, proves nothing.
  if (text === lineOf(expected) && JSON.stringify(await fingerprintsOf(index)) !== expected) {
    throw corruptState(index, 'its files are not those that were closed')
  }
  await machineFiles.remove(path)
  await machineFiles.syncFolder(folder)
}

/** The fingerprints as JSON, followed by a checksum of that text. */
function lineOf(json: string): string {
  return `${json}\n${crc32(Buffer.from(json))}\n`
}

async function fingerprintsOf(index: string): Promise<Fingerprints> {
  const found: Record<string, readonly [number, number]> = {}
  for (const name of await machineFiles.list(index)) {
    if (!GROWING_FILE.test(name)) continue
    const path = join(index, name)
    const bytes = await onDisk(path, 'read', () => readFile(path))
    found[name] = [bytes.length, crc32(bytes)]
  }
  return found
}
