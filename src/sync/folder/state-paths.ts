// What stands where in a state folder, and its marker `state.json`: the format, the service and the
// marketplace. Names that contain identifiers of the service never lead out of the folder
// (service/identifiers.ts).

import { join } from 'node:path'
import {
  corruptState,
  type DurableFiles,
  FeedError,
  missingState,
  readWhole,
  replaceWhole,
} from '../../engine/index'
import { type Category, categoryKey, type FileId, localNameOf } from '../file-id'
import type { AppliedFile, StateOrigin } from '../target/target'
import { LOCK_FOLDER } from './folder-lock'

export type StatePaths = ReturnType<typeof statePaths>

export function statePaths(folder: string) {
  const kept = join(folder, 'files')
  const changes = join(folder, 'changes')
  /** Parent of the folders of categories, each with its manifest and its runs. */
  const runs = join(folder, 'runs')
  return {
    folder,
    marker: join(folder, 'state.json'),
    runs,
    spools: join(folder, 'spool'),
    kept,
    changes,
    quarantine: join(folder, 'quarantine'),
    /** Returns the folder of the runs of a category. */
    runsOf: (category: Category) => join(runs, categoryName(category)),
    keptFile: (id: FileId) => join(kept, localNameOf(id)),
    /**
     * Returns the path of a change log. The names of a category's logs sort in the order in which
     * its files were applied.
     */
    changeFile: ({ id, sequence }: Pick<AppliedFile, 'id' | 'sequence'>) =>
      join(changes, `${logStart(id, sequence)}.${id.feed}.ndjson`),
    /**
     * Returns the path of the log of a replay. Its name sorts behind the log of the last file that
     * was applied before the replay, and before the log of the next file.
     */
    replayFile: (category: Category, after: number) =>
      join(changes, `${logStart(category, after)}.replay.ndjson`),
    /** Returns the paths of the logs of a category that are there, the oldest first. */
    async changeLogs(files: DurableFiles, category: Category): Promise<string[]> {
      const names = (await files.list(changes)).filter(name =>
        name.startsWith(`${categoryName(category)}.`),
      )
      return names.sort().map(name => join(changes, name))
    },
  }
}

function logStart(category: Category, sequence: number): string {
  return `${categoryName(category)}.${String(sequence).padStart(8, '0')}`
}

function categoryName(category: Category): string {
  return categoryKey(category).slice(0, -1).replace('/', '.')
}

/** The format of all files of a folder, which this program writes and reads. */
const FORMAT = 3

/** What a first run may leave when it is killed before it has written the marker. */
const BEFORE_STATE: ReadonlySet<string> = new Set(['state.json.new', LOCK_FOLDER])
/** The names that only a state folder has beside its marker. */
const STATE_PARTS: ReadonlySet<string> = new Set([
  'runs',
  'spool',
  'files',
  'changes',
  'quarantine',
])
const isOwnName = (name: string) => BEFORE_STATE.has(name) || STATE_PARTS.has(name)

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
  if (bytes !== undefined) return originOf(files, paths, bytes)
  const others = (await files.list(paths.folder)).filter(name => !BEFORE_STATE.has(name))
  const stranger = others.find(name => !isOwnName(name))
  if (stranger !== undefined) throw foreign(paths.folder, 'content', 'a state folder', stranger)
  if (others.length > 0) throw markerMissing(paths)
  return undefined
}

/** A run makes the runs of its categories before it fetches a file. */
async function needRuns(files: DurableFiles, { folder, runs }: StatePaths): Promise<void> {
  if ((await files.list(runs)).length > 0) return
  const names = await files.list(folder)
  if (names.includes('spool') || names.includes('files'))
    throw corruptState(runs, 'it is missing beside the marker of the state')
}

/**
 * Reads the origin of a folder that a reader takes for a state folder.
 * @throws FeedError STATE_MISSING, STATE_FOREIGN, STATE_CORRUPT, STATE_IO
 */
export async function originOfState(files: DurableFiles, paths: StatePaths): Promise<StateOrigin> {
  const bytes = await readWhole(files, paths.marker)
  if (bytes !== undefined) return originOf(files, paths, bytes)
  if ((await files.list(paths.runs)).length > 0) throw markerMissing(paths)
  const names = await files.list(paths.folder)
  const stranger = names.find(name => !isOwnName(name))
  throw stranger === undefined
    ? missingState(paths.folder)
    : foreign(paths.folder, 'content', 'a state folder', stranger)
}

export async function writeMarker(
  files: DurableFiles,
  paths: StatePaths,
  { marketplace, service }: StateOrigin,
): Promise<void> {
  const text = JSON.stringify({ feedmill: 'state', format: FORMAT, marketplace, service })
  await replaceWhole(files, paths.marker, Buffer.from(`${text}\n`))
}

function markerMissing({ folder, marker }: StatePaths): FeedError<'STATE_CORRUPT'> {
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

async function originOf(
  files: DurableFiles,
  paths: StatePaths,
  bytes: Uint8Array,
): Promise<StateOrigin> {
  const { folder, marker } = paths
  const { feedmill, format, marketplace, service } = parsed(marker, bytes)
  if (feedmill !== 'state' || typeof marketplace !== 'string' || typeof service !== 'string') {
    throw foreign(folder, 'content', 'a state folder', 'another state.json')
  }
  if (format !== FORMAT) throw foreign(folder, 'format', String(FORMAT), String(format))
  await needRuns(files, paths)
  return { marketplace, service }
}

function parsed(path: string, bytes: Uint8Array): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(Buffer.from(bytes).toString())) as Readonly<Record<string, unknown>>
  } catch (cause) {
    throw corruptState(path, bytes.length === 0 ? 'it is empty' : 'it is not JSON', cause)
  }
}

export const REMEDIES: Readonly<Record<string, string>> = {
  content: 'name the folder of a state, or for a run an empty one',
  format: 'synchronise into an empty folder, or use the version of feedmill that wrote it',
  marketplace: 'use a folder of its own for each marketplace',
  service: 'use a folder of its own for each service',
  key: 'give a feed with another key another name',
  version: 'give a feed with another version another name',
}

export function foreign(
  path: string,
  what: string,
  expected: string,
  received: string,
): FeedError<'STATE_FOREIGN'> {
  const message = `${path} cannot be used: its ${what} must be ${expected}, not ${received}; ${REMEDIES[what]}`
  return new FeedError('STATE_FOREIGN', message, { path, what, expected, received })
}
