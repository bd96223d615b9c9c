// Small files read and replaced as a whole: whoever reads one finds the old content or the new,
// whatever happens between.

import { dirname } from 'node:path'
import type { DurableFile, DurableFiles } from './durable-files'

/** Enough for any small file that a state folder has; a longer one is not one of them. */
const MOST_BYTES = 1 << 20

/** Undefined where there is no such file. */
export async function readWhole(
  files: DurableFiles,
  path: string,
): Promise<Uint8Array | undefined> {
  const file = await files.open(path)
  return file && withFile(file, () => file.read(0, MOST_BYTES))
}

/** Written beside its place, synced, renamed, and the folder synced. */
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

export async function writeSynced(
  files: DurableFiles,
  path: string,
  bytes: Uint8Array,
): Promise<void> {
  const file = await files.edit(path)
  await withFile(file, async () => {
    await file.truncate(0)
    await file.write(0, bytes)
    await file.sync()
  })
}

/** What `use` makes of the file, which is closed in any case. */
export async function withFile<T>(file: DurableFile, use: () => Promise<T>): Promise<T> {
  try {
    return await use()
  } finally {
    await file.close()
  }
}
