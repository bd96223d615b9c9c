// `state.json`: what says that a folder is a state, of which form, and of which service and
// marketplace. The store is made before it is written, so a folder that has the marker has a store.

import type { DurableFiles } from '../../disk/durable-files'
import { corruptState } from '../../disk/state-errors'
import { readWhole, replaceWhole } from '../../disk/whole-file'
import { FeedError } from '../../errors'
import { isLockName } from './state-lock'
import type { StatePaths } from './state-paths'

/** The newest form that this program writes and reads. */
const FORMAT = 1

/** What the files of a state folder are of. */
export interface StateOrigin {
  readonly marketplace: string
  /** Base address of the service. */
  readonly service: string
}

/**
 * What a first run that died before it wrote the marker may have left: the marker's unfinished
 * file, and a store with nothing in it.
 */
const BEFORE_MARKER = 'state.json.new'
const STORE = 'store'
const STORE_PARTS: ReadonlySet<string> = new Set(['index', 'values', 'closed.json'])
/** What only a state folder has beside its marker. */
const STATE_PARTS: ReadonlySet<string> = new Set([STORE, 'spool', 'files', 'changes', 'readers'])

/**
 * What the folder is of; undefined where it may become a state, because nothing but an unfinished
 * beginning of one is in it.
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
 * For a folder that is only read: nothing is written into one that is no state.
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

/** What differs between the origin that a folder has and the one that is wanted. */
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
  const message = `${path} cannot be used: its ${what} is not what is expected (expected ${expected}, received ${received}); ${REMEDIES[what]}`
  return new FeedError('STATE_FOREIGN', message, { path, what, expected, received })
}
