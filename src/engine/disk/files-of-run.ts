// The files that one run reads and writes, by which it refuses an output that is one of its inputs,
// another of its outputs, or a part of a state folder. Two paths are one file where the system gives
// both one device and one inode, so that links, hard links, `..` and the case of a name make no
// difference. A file that is not there yet is known by its folder and its name. Only what is known
// before the first read is compared: what a caller's own code opens is not seen.

import { readFileSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { FeedError } from '../errors'
import { withoutLinks } from './atomic-file'

/** A path, a stream of Node, which may know its path or descriptor, a quarantine, or a target. */
export type FilePlace = string | object

/** What a source, a stage or a sink says of its files. */
export interface NamedFiles {
  readonly reads?: readonly FilePlace[]
  readonly writes?: readonly FilePlace[]
}

type Use = 'input' | 'output'

/** A marker of a state folder is shorter. */
const MARKER_BYTES = 4096
const MARKER_START = '{"feedmill":"state"'
/** The systems whose folders take two spellings of a name for one, unless somebody changes that. */
const FOLDS_CASE = process.platform === 'darwin' || process.platform === 'win32'

export class FilesOfRun {
  /** The places by what tells a file from all others. */
  readonly #files = new Map<string, { place: FilePlace; name: string; use: Use }>()

  /** @param outer the files of the run that this one is a part of */
  constructor(outer?: FilesOfRun) {
    if (outer !== undefined) this.#files = new Map(outer.#files)
  }

  /** @throws FeedError OPTION_INVALID with both names */
  add({ reads, writes }: NamedFiles): void {
    // What a caller has under these names may be something else.
    if (Array.isArray(reads)) for (const place of reads) this.#add(place, 'input')
    if (Array.isArray(writes)) for (const place of writes) this.#add(place, 'output')
  }

  #add(place: FilePlace, use: Use): void {
    const { address } = Object(place) as { readonly address?: unknown }
    const isRemote = typeof address === 'string'
    const name = isRemote ? address : nameOf(place)
    const key = isRemote ? address : keyOf(name)
    if (name === undefined || key === undefined) return
    const other = this.#files.get(key)
    // Several stages may have one quarantine.
    if (other?.place === place && 'take' in Object(place)) return
    if (other?.use === 'output') throw refused(other.name, `is the same file as the ${use} ${name}`)
    if (use === 'output') {
      if (other !== undefined) throw refused(name, `is the same file as the input ${other.name}`)
      const state = isRemote ? undefined : stateAround(realOf(name))
      if (state !== undefined) throw refused(name, `is in the state folder ${state}`)
    }
    this.#files.set(key, { place, name, use })
  }
}

function refused(output: string, why: string): FeedError<'OPTION_INVALID'> {
  const message = `the output ${output} ${why}: name another file for the output`
  const expected = 'a file that nothing else of the run reads or writes'
  return new FeedError('OPTION_INVALID', message, { option: 'target', expected, received: output })
}

/** Returns undefined for what is no file. */
function nameOf(place: FilePlace): string | undefined {
  if (typeof place === 'string') return place
  const { fd, path } = Object(place) as { readonly fd?: unknown; readonly path?: unknown }
  if (typeof path === 'string') return path
  return typeof fd === 'number' ? `/dev/fd/${fd}` : undefined
}

/** Returns undefined for what several may use at a time, such as a terminal. */
function keyOf(name: string | undefined): string | undefined {
  if (name === undefined) return undefined
  try {
    const stats = statSync(name, { bigint: true, throwIfNoEntry: false })
    if (stats === undefined)
      return FOLDS_CASE ? realOf(name).normalize().toLowerCase() : realOf(name)
    const isOne = stats.isFile() || stats.isFIFO() || stats.isDirectory()
    return isOne ? `${stats.dev}:${stats.ino}` : undefined
  } catch {
    // Nobody can open it either.
    return undefined
  }
}

/** Returns a path without links, as far as its folders are there. */
function realOf(path: string): string {
  try {
    return withoutLinks(path)
  } catch {
    const folder = dirname(resolve(path))
    return folder === resolve(path) ? folder : join(realOf(folder), basename(path))
  }
}

/** Returns the state folder that a file is in, however deep. */
function stateAround(path: string): string | undefined {
  if (isState(path)) return path
  return dirname(path) === path ? undefined : stateAround(dirname(path))
}

function isState(folder: string): boolean {
  const marker = join(folder, 'state.json')
  try {
    if (statSync(marker).size > MARKER_BYTES) return false
    return readFileSync(marker, 'latin1').startsWith(MARKER_START)
  } catch {
    return false
  }
}
