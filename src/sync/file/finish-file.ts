// Takes a verified file from the spool into the state, and removes the spool. Each step can be
// repeated, so the next owner of a folder first finishes what an earlier run left.

import { basename } from 'node:path'
import {
  asFeedError,
  type DiagnosticsMessages,
  type DurableFiles,
  type FeedError,
  type FileIdentity,
  fileTopic,
  ofRun,
} from '../../engine/index'
import { categoryKey, type FileId, fileIdKey, isBootstrap } from '../file-id'
import type { CategoryState } from '../folder/category-state'
import { type ChangeLog, type ChangeSink, openChangeFile, sinkLog } from '../folder/change-log'
import { type LedgerEntry, NOTHING_APPLIED } from '../folder/ledger'
import type { StateFolder } from '../folder/state-folder'
import { openSpooled, type SpoolFolder, spoolFailure, spoolName } from '../target/spool-folder'
import type { AppliedFile } from '../target/target'
import { type ApplyOptions, applyFile } from './apply-file'
import { newQuarantine } from './file-rows'

export interface FinishOptions
  extends Pick<ApplyOptions, 'commitBytes' | 'readBytes' | 'batchBytes' | 'signal' | 'onRows'> {
  /** Limit of the bytes of kept files; the oldest are removed first. Undefined removes none. */
  readonly keepFileBytes?: number | undefined
  /** Limit of the bytes of change logs; the oldest are removed first. Undefined removes none. */
  readonly keepChangeBytes?: number | undefined
  /**
   * Takes the changes of files whose entry says `sink`. Without a sink these changes go to files.
   */
  readonly sink?: ChangeSink | undefined
}

export interface ProvenFile {
  readonly id: FileId
  readonly identity: FileIdentity & { readonly totalBytes: number }
  readonly rawBytes: number
}

/**
 * Writes the file to the ledger as `applying`. From this point on the file belongs to the state.
 */
export async function commitFile(
  category: CategoryState,
  { id, identity, rawBytes }: ProvenFile,
  settled: Pick<LedgerEntry, 'changes' | 'changeRows' | 'keep' | 'quarantine'>,
): Promise<LedgerEntry> {
  const { totalBytes, lastModified, etag } = identity
  const entry: LedgerEntry = {
    ...NOTHING_APPLIED,
    id,
    sequence: category.ledger.nextSequence,
    totalBytes,
    rawBytes,
    ...(lastModified !== undefined && { lastModified }),
    ...(etag !== undefined && { etag }),
    ...settled,
    quarantineBytes: 0,
  }
  await category.commit(entry, { sync: true })
  return entry
}

/**
 * Merges the rest of a file that is `applying`, and removes its spool.
 * @throws FeedError STATE_CORRUPT where the file has changed since it was verified
 */
export async function finishFile(
  folder: StateFolder,
  category: CategoryState,
  entry: LedgerEntry,
  options: FinishOptions,
): Promise<LedgerEntry> {
  const log = await openLog(folder, category, entry, options)
  const { files, paths } = folder
  const quarantine = entry.quarantine
    ? newQuarantine(files, paths.quarantineFile(entry), entry.id, entry.quarantineBytes)
    : undefined
  const done = await closing(log, async () => {
    await quarantine?.cut()
    return applySpooled(folder, category, entry, { ...options, log, quarantine })
  })
  await clearUp(folder, category, done, options)
  return done
}

async function applySpooled(
  { spools }: StateFolder,
  state: CategoryState,
  entry: LedgerEntry,
  options: FinishOptions & Pick<ApplyOptions, 'log' | 'quarantine'>,
): Promise<LedgerEntry> {
  if (entry.totalBytes === 0) return applyFile({ ...options, state, entry, data: undefined })
  const data = await openSpooled(spools, entry.id)
  return closing(data, async () => {
    try {
      return await applyFile({ ...options, state, entry, data })
    } catch (cause) {
      throw spoolFailure(spools, entry.id, cause)
    }
  })
}

async function closing<T>(
  open: { close(): Promise<void> } | undefined,
  use: () => Promise<T>,
): Promise<T> {
  try {
    return await use()
  } finally {
    await open?.close()
  }
}

/** A first bootstrap is where a category begins, and changes nothing. */
async function openLog(
  { files, paths }: StateFolder,
  { ledger }: CategoryState,
  entry: LedgerEntry,
  { sink }: FinishOptions,
): Promise<ChangeLog | undefined> {
  if (entry.changes === 'none' || ledger.isFirstBootstrap(entry)) return undefined
  if (entry.changes === 'sink' && sink !== undefined) return sinkLog(sink)
  await files.makeFolder(paths.changes)
  const log = await openChangeFile(files, paths.changeFile(entry), entry.changeBytes)
  await files.syncFolder(paths.changes)
  return log
}

/** Returns true where {@link finishCategory} may have work to do. */
export async function isUnfinished(
  spools: SpoolFolder,
  { ledger }: CategoryState,
): Promise<boolean> {
  const spooled = await spools.names()
  return (
    ledger.applying !== undefined || ledger.entries.some(({ id }) => spooled.has(spoolName(id)))
  )
}

/** A file that an earlier run left half applied, and why it cannot be finished. */
export interface UnfinishedFile {
  readonly id: FileId
  readonly error: FeedError
}

/**
 * Finishes what an earlier run left in a folder. A file that cannot be finished closes its own
 * category only.
 * @param isOfFile returns true for a failure of one file, and false for one that ends the call
 * @returns the files that cannot be finished, by {@link categoryKey}
 */
export async function finishFolder(
  folder: StateFolder,
  options: FinishOptions,
  isOfFile: (error: FeedError) => boolean,
): Promise<ReadonlyMap<string, UnfinishedFile>> {
  const unfinished = new Map<string, UnfinishedFile>()
  for (const category of folder.categories) {
    try {
      await finishCategory(folder, category, options)
    } catch (cause) {
      const error = asFeedError(cause, 'sync')
      const { applying } = category.ledger
      if (options.signal.aborted || applying === undefined || !isOfFile(error)) throw cause
      unfinished.set(categoryKey(category.category), { id: applying.id, error })
    }
  }
  return unfinished
}

/**
 * Finishes what an earlier run left in a category: applies a half applied file, and removes the
 * spools of applied files.
 */
export async function finishCategory(
  folder: StateFolder,
  category: CategoryState,
  options: FinishOptions,
): Promise<void> {
  const { applying } = category.ledger
  if (applying !== undefined)
    publishFile(await finishFile(folder, category, applying, options), undefined)
  const spooled = await folder.spools.names()
  for (const entry of category.ledger.entries) {
    if (spooled.has(spoolName(entry.id))) await clearUpLate(folder, category, entry, options)
  }
}

/**
 * Removes the spool of an applied file, unless it belongs to a bootstrap of another generation that
 * is being fetched.
 */
async function clearUpLate(
  folder: StateFolder,
  category: CategoryState,
  entry: LedgerEntry,
  options: FinishOptions,
): Promise<void> {
  const spooled = isBootstrap(entry.id) ? await folder.spools.file(entry.id) : undefined
  const isAnother =
    spooled !== undefined &&
    (spooled.lastModified !== entry.lastModified || spooled.totalBytes !== entry.totalBytes)
  if (!isAnother) await clearUp(folder, category, entry, options)
}

async function clearUp(
  folder: StateFolder,
  category: CategoryState,
  entry: LedgerEntry,
  { keepFileBytes, keepChangeBytes }: FinishOptions,
): Promise<void> {
  const { id, totalBytes, keep } = entry
  const { files, paths, spools } = folder
  const data = spools.dataPath(id)
  if (keep && totalBytes > 0 && (await files.size(data)) === totalBytes) {
    await files.makeFolder(paths.kept)
    await files.rename(data, paths.keptFile(id))
    await files.syncFolder(paths.kept)
    if (keepFileBytes !== undefined) await dropOldFiles(folder, category, keepFileBytes)
  }
  if (keepChangeBytes !== undefined && entry.changeBytes > 0)
    await dropOldest(files, await paths.changeLogs(files, entry.id), keepChangeBytes)
  await spools.remove(id)
}

async function dropOldFiles(
  { files, paths }: StateFolder,
  { ledger }: CategoryState,
  keepFileBytes: number,
): Promise<void> {
  const kept = new Set(await files.list(paths.kept))
  const all = ledger.entries.map(({ id }) => paths.keptFile(id))
  const there = all.filter(path => kept.has(basename(path)))
  await dropOldest(files, there, keepFileBytes)
}

/** Removes the oldest files. The newest file is kept, whatever its size. */
async function dropOldest(
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

type FileMessage = DiagnosticsMessages['feedmill:file']

/** @param watermark returns that of the category after the file, where it is known */
export function publishFile(
  entry: AppliedFile,
  watermark: (() => Date | undefined) | undefined,
): void {
  if (fileTopic.hasSubscribers) fileTopic.publish(fileMessage(entry, watermark?.()))
}

function fileMessage(entry: AppliedFile, watermark: Date | undefined): FileMessage {
  const { id, rows, badRows, totalBytes } = entry
  return {
    ...ofRun(),
    marketplace: id.marketplace,
    categoryId: id.categoryId,
    feed: id.feed,
    kind: kindOf(id),
    file: fileIdKey(id),
    rows: { ...rows },
    badRows,
    bytes: totalBytes,
    ...(watermark && { watermark }),
  }
}

function kindOf(id: FileId): FileMessage['kind'] {
  if (isBootstrap(id)) return 'bootstrap'
  return 'hour' in id ? 'hourly' : 'daily'
}
