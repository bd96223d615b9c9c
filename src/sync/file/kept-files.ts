// What becomes of a fetched file after it was applied: it is kept for history where that is wanted,
// and its spool goes. Each step can be repeated, so the next owner of a folder finishes what an
// earlier run left.

import { basename } from 'node:path'
import type { DurableFiles } from '../../engine/index'
import { isBootstrap } from '../file-id'
import type { StatePaths } from '../folder/state-paths'
import type { SpoolFolder } from '../target/spool-folder'
import type { AppliedFile } from '../target/target'

export interface KeptPlaces {
  readonly files: DurableFiles
  readonly paths: StatePaths
  readonly spools: SpoolFolder
  /** Limit of the bytes of kept files; the oldest are removed first. With 0 none is kept. */
  readonly keepFileBytes: number
}

/**
 * Clears up after a file that an earlier run has applied. A spool that belongs to a bootstrap of
 * another generation, which is being fetched, stays.
 */
export async function clearUpLate(
  places: KeptPlaces,
  entries: readonly AppliedFile[],
  entry: AppliedFile,
): Promise<void> {
  const spooled = isBootstrap(entry.id) ? await places.spools.file(entry.id) : undefined
  const isAnother =
    spooled !== undefined &&
    (spooled.lastModified !== entry.lastModified || spooled.totalBytes !== entry.totalBytes)
  if (!isAnother) await clearUp(places, entries, entry)
}

/**
 * Keeps the bytes of an applied file where they are wanted, and removes its spool.
 * @param entries all applied files of its category, the oldest first
 */
export async function clearUp(
  { files, paths, spools, keepFileBytes }: KeptPlaces,
  entries: readonly AppliedFile[],
  { id, totalBytes }: AppliedFile,
): Promise<void> {
  const data = spools.dataPath(id)
  if (keepFileBytes > 0 && totalBytes > 0 && (await files.size(data)) === totalBytes) {
    await files.makeFolder(paths.kept)
    await files.rename(data, paths.keptFile(id))
    await files.syncFolder(paths.kept)
    const kept = new Set(await files.list(paths.kept))
    const all = entries.map(each => paths.keptFile(each.id))
    const there = all.filter(path => kept.has(basename(path)))
    await dropOldest(files, there, keepFileBytes)
  }
  await spools.remove(id)
}

/** Removes the oldest files. The newest file is kept, whatever its size. */
export async function dropOldest(
  files: DurableFiles,
  paths: readonly string[],
  keepBytes: number,
): Promise<void> {
  let bytes = 0
  for (const path of paths.toReversed()) {
    const size = (await files.size(path)) ?? 0
    if (bytes > 0 && bytes + size > keepBytes) await files.remove(path)
    bytes += size
  }
}
