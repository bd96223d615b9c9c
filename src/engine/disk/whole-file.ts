// Small files that are read and replaced as a whole. A reader finds the old content or the new one,
// also after a crash.

import { dirname } from 'node:path'
import type { DurableFile, DurableFiles } from './durable-files'
import { stateIo } from './state-errors'

/** The small files of a state folder are shorter. */
const MOST_BYTES = 1 << 20

/** Returns the content; undefined for a missing file. */
export async function readWhole(
  files: DurableFiles,
  path: string,
): Promise<Uint8Array | undefined> {
  const file = await files.open(path)
  return file && withFile(file, () => file.read(0, MOST_BYTES))
}

/** Writes the new content to `<path>.new`, syncs it, renames it and syncs the folder. */
export async function replaceWhole(
  files: DurableFiles,
  path: string,
  bytes: Uint8Array,
): Promise<void> {
  const beside = `${path}.new`
  await writeSynced(files, beside, bytes)
  await files.rename(beside, path)
  await files.syncFolder(dirname(path))
}

/** Makes the file anew: what stands under its name, even a planted link, is removed before. */
export async function writeSynced(
  files: DurableFiles,
  path: string,
  bytes: Uint8Array,
): Promise<void> {
  await files.remove(path)
  const file = await files.create(path)
  if (file === undefined) throw stateIo(path, 'create', 'EEXIST')
  await withFile(file, async () => {
    await file.write(0, bytes)
    await file.sync()
  })
}

/** Returns the result of `use`, and closes the file in any case. */
export async function withFile<T>(file: DurableFile, use: () => Promise<T>): Promise<T> {
  try {
    return await use()
  } finally {
    await file.close()
  }
}
