// `state.json`: what says that a folder is a state, of which form, and of which service and marketplace.

import { FeedError } from '../errors'
import type { DurableFiles } from './durable-files'
import { isLockName } from './state-lock'
import type { StatePaths } from './state-paths'
import { readWhole, replaceWhole } from './whole-file'

/** The newest form that this program writes and reads. */
const FORMAT = 1

/** What the files of a state folder are of. */
export interface StateOrigin {
  readonly marketplace: string
  /** Base address of the service. */
  readonly service: string
}

/** What may stand in a folder in which a first run died before it wrote the marker. */
const BEFORE_MARKER = 'state.json.new'

/**
 * What the folder is of. Where it is empty it becomes a state of `origin`.
 * @throws FeedError STATE_FOREIGN, STATE_CORRUPT, STATE_IO
 */
export async function openMarker(files: DurableFiles, paths: StatePaths, origin: StateOrigin | undefined): Promise<StateOrigin> {
  const bytes = await readWhole(files, paths.marker)
  if (bytes !== undefined) return checked(paths, bytes, origin)
  const others = (await files.list(paths.folder)).filter(name => name !== BEFORE_MARKER && !isLockName(name))
  if (origin === undefined || others.length > 0) throw foreign(paths.folder, 'content', 'a state folder', others[0] ?? 'an empty folder')
  const { marketplace, service } = origin
  await replaceWhole(files, paths.marker, Buffer.from(`${JSON.stringify({ feedmill: 'state', format: FORMAT, marketplace, service })}\n`))
  return { marketplace, service }
}

/** For a folder that is only read: nothing is written into one that is no state. @throws FeedError STATE_FOREIGN, STATE_IO */
export async function needMarker(files: DurableFiles, { folder, marker }: StatePaths): Promise<void> {
  if ((await files.size(marker)) === undefined) throw foreign(folder, 'content', 'a state folder', 'no state.json')
}

function checked({ folder, marker }: StatePaths, bytes: Uint8Array, origin: StateOrigin | undefined): StateOrigin {
  const { feedmill, format, marketplace, service } = parsed(marker, bytes)
  if (feedmill !== 'state' || typeof marketplace !== 'string' || typeof service !== 'string') {
    throw foreign(folder, 'content', 'a state folder', 'another state.json')
  }
  if (format !== FORMAT) throw foreign(folder, 'format', String(FORMAT), String(format))
  if (origin !== undefined && origin.marketplace !== marketplace) throw foreign(folder, 'marketplace', marketplace, origin.marketplace)
  if (origin !== undefined && origin.service !== service) throw foreign(folder, 'service', service, origin.service)
  return { marketplace, service }
}

function parsed(path: string, bytes: Uint8Array): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(Buffer.from(bytes).toString())) as Readonly<Record<string, unknown>>
  } catch (cause) {
    throw new FeedError('STATE_CORRUPT', `${path} cannot be read`, { path, reason: 'not JSON' }, { cause })
  }
}

function foreign(path: string, what: string, expected: string, received: string): FeedError<'STATE_FOREIGN'> {
  const message = `${path} cannot be used: its ${what} is not what is expected (expected ${expected}, received ${received})`
  return new FeedError('STATE_FOREIGN', message, { path, what, expected, received })
}
