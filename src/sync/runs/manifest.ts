// The manifest of a category: how much of its ledger counts, and the runs that the rows of these files
// are in. It is replaced as a whole, so a file is applied or it is not.

import { dirname, join } from 'node:path'
import {
  closing,
  corruptState,
  type DurableFiles,
  type FeedError,
  replaceWhole,
} from '../../engine/index'
import type { Floor, SavedRuns, WrittenRun } from '../../state/index'
import { type KeptBy, keptOtherwise } from '../file/row-rules'
import { checkedLine, readCheckedLines } from '../file/spool'
import { type Category, categoryKey, type FileId, OWN } from '../file-id'
import { foreign } from '../folder/state-paths'
import { type LedgerMark, NO_LINES, type RunsEntry, readLedger } from './ledger'

/** The feeds whose rows are kept apart. */
export type TableName = 'item' | 'group' | 'priority' | 'row'

export interface RunRecord extends WrittenRun {
  /** The number of the file of the rows; of several files, the number of the last one. */
  readonly sequence: number
}

export interface TableRecord {
  readonly runs: readonly RunRecord[]
  readonly floors: readonly Floor[]
}

/** Files that are being applied: their rows are none of the state. */
export interface Applying extends SavedRuns {
  /** The files and the rules of their rows as text. */
  readonly files: string
}

/** The newest log of the changes that replays made. */
export interface ReplayedChanges {
  /** The number of the last file that was applied before the replay. */
  readonly after: number
  /** Bytes of the log that belong to the merged rows. */
  readonly bytes: number
}

export interface Manifest {
  readonly category: Category
  /** By what the rows of a feed of one's own are kept; absent for the service. */
  readonly kept?: KeptBy | undefined
  readonly files: readonly RunsEntry[]
  readonly ledger: LedgerMark
  readonly tables: Readonly<Record<TableName, TableRecord>>
  readonly applying?: Applying | undefined
  /** The number of mendings: their rows carry them in their order. */
  readonly mended?: number
  /** The log of the newest replay that made changes. */
  readonly replayed?: ReplayedChanges
  /** The time up to which removals are forgotten, in milliseconds since 1970. */
  readonly forgottenMs?: number
}

/**
 * Returns the manifest that was found.
 * @throws FeedError STATE_FOREIGN where it keeps the rows of a feed of one's own by other columns;
 * STATE_CORRUPT for that of another category
 */
export function checkedManifest(folder: string, found: Manifest, wanted: Manifest): Manifest {
  if (categoryKey(found.category) !== categoryKey(wanted.category)) throw misplaced(folder)
  const { kept } = wanted
  if (kept === undefined) return found
  const other = keptOtherwise(found.kept ?? {}, kept)
  if (other !== undefined) throw foreign(folder, other.what, other.expected, other.received)
  return { ...found, kept }
}

/** Returns the error for a folder that has the manifest of another category. */
export function misplaced(folder: string): FeedError<'STATE_CORRUPT'> {
  return corruptState(join(folder, MANIFEST), 'it is that of another category')
}

export const MANIFEST = 'manifest.json'
const NO_TABLE: TableRecord = { runs: [], floors: [] }

/** The manifest of a category without files. */
export function newManifest(category: Category, kept?: KeptBy): Manifest {
  const tables = { item: NO_TABLE, group: NO_TABLE, priority: NO_TABLE, row: NO_TABLE }
  return { category, ...(kept && { kept }), files: [], ledger: NO_LINES, tables }
}

export function tableOf({ feed }: FileId): TableName {
  if (feed === OWN) return 'row'
  if (feed === 'item_group') return 'group'
  return feed === 'item_priority' ? 'priority' : 'item'
}

/** The names of the runs whose rows are in the state, and of those that files have so far. */
export function runNames({ tables, applying }: Manifest) {
  const inState = Object.values(tables).flatMap(({ runs }) => runs.map(({ name }) => name))
  return { inState, saved: applying?.runs.map(({ name }) => name) ?? [] }
}

/** Returns true for the file of a run in the folder of a category. */
export function isRunName(name: string): boolean {
  return name.endsWith('.run')
}

/**
 * Returns undefined for a new folder: a writer makes the manifest before the first run.
 * @throws FeedError STATE_CORRUPT, STATE_IO
 */
export async function readManifest(
  files: DurableFiles,
  path: string,
): Promise<Manifest | undefined> {
  const file = await files.open(path)
  if (file === undefined) {
    const names = await files.list(dirname(path))
    if (names.some(isRunName)) throw corruptState(path, 'it is missing beside its runs')
    return undefined
  }
  const bytes = await closing(file, async () => file.read(0, await file.size()))
  const [line] = readCheckedLines(bytes)
  if (line === undefined) throw corruptState(path, 'it has another checksum')
  const manifest = line.record as unknown as Omit<Manifest, 'files'>
  if (manifest.ledger === undefined) throw corruptState(path, 'it is no manifest')
  const known = await readLedger(files, path, manifest.ledger)
  const tables = { ...newManifest(manifest.category).tables, ...manifest.tables }
  return { ...manifest, tables, files: known }
}

/** Writes the manifest; its files are in the ledger. */
export function writeManifest(
  files: DurableFiles,
  path: string,
  { files: _, ...manifest }: Manifest,
): Promise<void> {
  return replaceWhole(files, path, checkedLine(manifest))
}
