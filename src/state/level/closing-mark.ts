// What a store on disk leaves behind when it is closed: the sizes and checksums of the files that
// go on growing. After a clean end they have to be exactly that; the end of a log alone cannot tell
// what was cut off by a crash from what was damaged afterwards. The mark is taken away before
// anything is written again, so after a crash there is none.

import { open, readdir, readFile, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from '../../codec/gzip/crc32'
import { corruptState, onDisk, syncFolder } from '../disk'

/** Name of the mark in the folder of the store. */
export const CLOSING_MARK = 'closed.json'
/** LevelDB's own files that are no tables; those of the values have no name of this form. */
export const GROWING_FILE = /^(CURRENT|MANIFEST-\d+|\d+\.log)$/

/** Size and checksum of each file. */
type Mark = Readonly<Record<string, readonly [bytes: number, checksum: number]>>

/** @param index folder of the closed LevelDB */
export async function leaveMark(folder: string, index: string): Promise<void> {
  const mark = JSON.stringify(await markOf(index))
  const path = join(folder, CLOSING_MARK)
  await onDisk(path, 'write', async () => {
    const file = await open(path, 'w')
    try {
      await writeFile(file, lineOf(mark))
      await file.sync()
    } finally {
      await file.close()
    }
  })
}

/**
 * Compares the files with the mark, if there is a whole one, and takes it away.
 * @throws FeedError STATE_CORRUPT, STATE_IO
 */
export async function takeMark(folder: string, index: string): Promise<void> {
  const path = join(folder, CLOSING_MARK)
  const text = await onDisk(path, 'read', () => readFile(path, 'latin1').catch(ignoreMissing))
  if (text === undefined) return
  const mark = text.slice(0, text.indexOf('\n'))
  // One that was cut off by a crash, or damaged, is none.
  if (text === lineOf(mark) && JSON.stringify(await markOf(index)) !== mark) {
    throw corruptState(index, 'its files are not those that were closed')
  }
  await onDisk(path, 'remove', () => unlink(path))
  await onDisk(folder, 'sync', () => syncFolder(folder))
}

/** A mark with its own checksum. */
function lineOf(mark: string): string {
  return `${mark}\n${crc32(Buffer.from(mark))}\n`
}

async function markOf(index: string): Promise<Mark> {
  const mark: Record<string, readonly [number, number]> = {}
  for (const name of (await onDisk(index, 'read', () => readdir(index))).sort()) {
    if (!GROWING_FILE.test(name)) continue
    const bytes = await onDisk(join(index, name), 'read', () => readFile(join(index, name)))
    mark[name] = [bytes.length, crc32(bytes)]
  }
  return mark
}

function ignoreMissing(error: unknown): undefined {
  if ((error as { code?: string }).code === 'ENOENT') return undefined
  throw error
}
