// What stands where in a state folder, and its marker `state.json`: the format, the service and the
// marketplace. The store is made before the marker, so a folder with a marker has a store. Names
// that contain identifiers of the service never lead out of the folder
// (service/identifiers.ts).

import { join } from 'node:path'
import {
  corruptState,
  type DurableFiles,
  FeedError,
  readWhole,
  replaceWhole,
} from '../../engine/index'
import { type Category, categoryKey, type FileId, localNameOf } from '../file-id'
import type { StateOrigin } from '../target/target'
import type { LedgerEntry } from './ledger'
import { isLockName } from './state-lock'

export class StatePaths {
  readonly folder: string
  readonly marker: string
  readonly store: string
  readonly spools: string
  readonly kept: string
  readonly changes: string
  readonly quarantine: string
  /** Parent of the folders of readers. */
  readonly readers: string

  constructor(folder: string) {
    this.folder = folder
    this.marker = join(folder, 'state.json')
    this.store = join(folder, 'store')
    this.spools = join(folder, 'spool')
    this.kept = join(folder, 'files')
    this.changes = join(folder, 'changes')
    this.quarantine = join(folder, 'quarantine')
    this.readers = join(folder, 'readers')
  }

  keptFile(id: FileId): string {
    return join(this.kept, localNameOf(id))
  }

  /**
   * Returns the path of a change log. The names of a category's logs sort in the order in which its
   * files were applied.
   */
  changeFile(entry: LedgerEntry): string {
    return join(this.changes, logName(entry))
  }

  /**
   * Returns the path of the log of a replay. Its name sorts behind the log of the last file that
   * was applied before the replay, and before the log of the next file.
   */
  replayFile(category: Category, after: number): string {
    return join(this.changes, `${logStart(category, after)}.replay.ndjson`)
  }

  /** Returns the paths of the logs of a category that are there, the oldest first. */
  async changeLogs(files: DurableFiles, category: Category): Promise<string[]> {
    const names = (await files.list(this.changes)).filter(name =>
      name.startsWith(`${categoryName(category)}.`),
    )
    return names.sort().map(name => join(this.changes, name))
  }

  /** Returns the path of the quarantine of a file, with a name as that of its change log. */
  quarantineFile(entry: LedgerEntry): string {
    return join(this.quarantine, logName(entry))
  }
}

function logName({ id, sequence }: LedgerEntry): string {
  return `${logStart(id, sequence)}.${id.feed}.ndjson`
}

function logStart(category: Category, sequence: number): string {
  return `${categoryName(category)}.${String(sequence).padStart(8, '0')}`
}

function categoryName(category: Category): string {
  return categoryKey(category).slice(0, -1).replace('/', '.')
}

/** The format that this program writes and reads. */
const FORMAT = 1

/**
 * The files that a first run may leave when it is killed before it has written the marker: the
 * temporary file of the marker, and an empty store.
 */
const BEFORE_MARKER = 'state.json.new'
const STORE = 'store'
const STORE_PARTS: ReadonlySet<string> = new Set(['index', 'values', 'closed.json'])
/** The names that only a state folder has beside its marker. */
const STATE_PARTS: ReadonlySet<string> = new Set([STORE, 'spool', 'files', 'changes', 'readers'])

/**
 * Reads the origin of a folder. Returns undefined for a folder that may become a state folder: it
 * is empty, or has only what a killed first run left.
 * @throws FeedError STATE_FOREIGN, STATE_CORRUPT, STATE_IO
 */
export async function readMarker(
  files: DurableFiles,
  paths: StatePaths,
): Promise<StateOrigin | undefined> {
  const bytes = await readWhole(files, paths.marker)
  if (bytes !== undefined) return originOf(paths, bytes)
  const others = (await files.list(paths.folder)).filter(
    name => name !== BEFORE_MARKER && !isLockName(name),
  )
  const stranger =
    others.find(name => !STATE_PARTS.has(name)) ??
    (await files.list(paths.store)).find(name => !STORE_PARTS.has(name))
  if (stranger !== undefined) throw foreign(paths.folder, 'content', 'a state folder', stranger)
  if (others.some(name => name !== STORE)) throw markerMissing(paths)
  return undefined
}

/**
 * Checks that a folder is a state folder before a reader writes to it.
 * @throws FeedError STATE_FOREIGN, STATE_CORRUPT, STATE_IO
 */
export async function needMarker(files: DurableFiles, paths: StatePaths): Promise<void> {
  if ((await files.size(paths.marker)) !== undefined) return
  const isState = (await files.list(paths.store)).some(name => STORE_PARTS.has(name))
  throw isState
    ? markerMissing(paths)
    : foreign(paths.folder, 'content', 'a state folder', 'no state.json')
}

export async function writeMarker(
  files: DurableFiles,
  paths: StatePaths,
  { marketplace, service }: StateOrigin,
): Promise<void> {
  await replaceWhole(
    files,
    paths.marker,
    Buffer.from(`${JSON.stringify({ feedmill: 'state', format: FORMAT, marketplace, service })}\n`),
  )
}

export function markerMissing({ folder, marker }: StatePaths): FeedError<'STATE_CORRUPT'> {
  return corruptState(folder, `${marker} is missing`)
}

/** Returns the error for a folder of another origin; undefined where the origins are equal. */
export function originMismatch(
  { folder }: StatePaths,
  found: StateOrigin,
  wanted: StateOrigin,
): FeedError<'STATE_FOREIGN'> | undefined {
  for (const what of ['marketplace', 'service'] as const) {
    if (found[what] !== wanted[what]) return foreign(folder, what, found[what], wanted[what])
  }
  return undefined
}

function originOf({ folder, marker }: StatePaths, bytes: Uint8Array): StateOrigin {
  const { feedmill, format, marketplace, service } = parsed(marker, bytes)
  if (feedmill !== 'state' || typeof marketplace !== 'string' || typeof service !== 'string') {
    throw foreign(folder, 'content', 'a state folder', 'another state.json')
  }
  if (format !== FORMAT) throw foreign(folder, 'format', String(FORMAT), String(format))
  return { marketplace, service }
}

function parsed(path: string, bytes: Uint8Array): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(Buffer.from(bytes).toString())) as Readonly<Record<string, unknown>>
  } catch (cause) {
    throw corruptState(path, bytes.length === 0 ? 'it is empty' : 'it is not JSON', cause)
  }
}

const REMEDIES: Readonly<Record<string, string>> = {
  content: 'name the folder of a state, or for a run an empty one',
  format: 'use the version of feedmill that wrote it, or an empty folder',
  marketplace: 'use a folder of its own for each marketplace',
  service: 'use a folder of its own for each service',
}

function foreign(
  path: string,
  what: string,
  expected: string,
  received: string,
): FeedError<'STATE_FOREIGN'> {
  const message = `${path} cannot be used: its ${what} must be ${expected}, not ${received}; ${REMEDIES[what]}`
  return new FeedError('STATE_FOREIGN', message, { path, what, expected, received })
}
