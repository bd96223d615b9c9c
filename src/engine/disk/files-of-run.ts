// The files that one run reads and writes, by which it refuses an output that is one of its inputs,
// another of its outputs, or a part of a state folder. Two paths are one file where the system gives
// both one device and one inode, so that links, hard links, `..` and the case of a name make no
// difference. A file that is not there yet is known by its folder and its name. Only what is known
// before the first read is compared: what a caller's own code opens is not seen.

import {
  type BigIntStats,
  fstatSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  statSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { FeedError } from '../errors'
import { systemCode } from './system-calls'

/** A path, a stream of Node, which may know its path or descriptor, or a quarantine. */
export type FilePlace = string | object

/** What a source, a stage or a sink says of its files. */
export interface NamedFiles {
  readonly reads?: readonly FilePlace[] | undefined
  readonly writes?: readonly FilePlace[] | undefined
}

/** The marker of a state folder is shorter. */
const MARKER_BYTES = 1 << 16
const BIG = { bigint: true } as const
const MARKER_START = '{"feedmill":"state"'
/** The systems whose folders take two spellings of a name for one, unless somebody changes that. */
const FOLDS_CASE = process.platform === 'darwin' || process.platform === 'win32'

export class FilesOfRun {
  /** The name of each file that is read, and of each that is written. */
  readonly #read = new Map<unknown, string>()
  readonly #written = new Map<unknown, string>()
  /** Several stages of a run may have one quarantine. */
  readonly #quarantines = new Set<FilePlace>()

  /** @param outer the files of the run that this one is a part of */
  constructor(outer?: FilesOfRun) {
    if (outer === undefined) return
    this.#read = new Map(outer.#read)
    this.#written = new Map(outer.#written)
    this.#quarantines = new Set(outer.#quarantines)
  }

  /** @throws FeedError OPTION_INVALID with both names */
  add({ reads = [], writes = [] }: NamedFiles): void {
    for (const place of reads) {
      const [name, key] = identityOf(place)
      if (key === undefined) continue
      const output = this.#written.get(key)
      if (output !== undefined) throw sameFile(output, `the input ${name}`)
      this.#read.set(key, name)
    }
    for (const place of writes) this.#addOutput(place)
  }

  #addOutput(place: FilePlace): void {
    if (this.#quarantines.has(place)) return
    if (isQuarantine(place)) this.#quarantines.add(place)
    const [name, key] = identityOf(place)
    if (key === undefined) return
    const input = this.#read.get(key)
    if (input !== undefined) throw sameFile(name, `the input ${input}`)
    const output = this.#written.get(key)
    if (output !== undefined) throw sameFile(name, `the output ${output}`)
    const path = pathOf(place)
    const state = path === undefined ? undefined : stateAround(realOf(path))
    if (state !== undefined) throw refused(name, `is in the state folder ${state}`)
    this.#written.set(key, name)
  }
}

function sameFile(output: string, other: string): FeedError<'OPTION_INVALID'> {
  return refused(output, `is the same file as ${other}`)
}

function refused(output: string, why: string): FeedError<'OPTION_INVALID'> {
  const message = `the output ${output} ${why}: name another file for the output`
  const expected = 'a file that nothing else of the run reads or writes'
  return new FeedError('OPTION_INVALID', message, { option: 'target', expected, received: output })
}

function isQuarantine(place: FilePlace): boolean {
  return typeof place === 'object' && 'take' in place
}

/** A quarantine makes its path absolute before it follows links; others give theirs to the system. */
function pathOf(place: FilePlace): string | undefined {
  const { path } = typeof place === 'string' ? { path: place } : (place as { path?: unknown })
  if (typeof path !== 'string') return undefined
  return isQuarantine(place) ? resolve(path) : path
}

/**
 * Returns the name of a file for messages and what tells it from all others, which is undefined for
 * what several may use at a time, such as a terminal.
 */
function identityOf(place: FilePlace): readonly [name: string, key: unknown] {
  const path = pathOf(place)
  const { fd } = place as { readonly fd?: unknown }
  // A stream that has a path may not be open yet.
  if (typeof fd === 'number' && fd >= 0)
    return [path ?? `descriptor ${fd}`, keyIn(() => fstatSync(fd, BIG)) ?? place]
  return path === undefined ? ['stream', place] : [path, keyOf(path)]
}

function keyOf(path: string): string | undefined {
  try {
    return keyIn(() => statSync(path, BIG))
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') return path
  }
  const real = realOf(path)
  const folder = dirname(real)
  const name = FOLDS_CASE ? basename(real).normalize().toLowerCase() : basename(real)
  return folder === real ? real : `${keyOf(folder)}/${name}`
}

function keyIn(stat: () => BigIntStats): string | undefined {
  const stats = stat()
  const isOne = stats.isFile() || stats.isFIFO() || stats.isDirectory()
  return isOne ? `${stats.dev}:${stats.ino}` : undefined
}

/** Returns the path without links, also where a file or its folders are not there yet. */
function realOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    const folder = dirname(path)
    if (folder === path) return path
    const place = join(realOf(folder), basename(path))
    const link = linkAt(place)
    return link === undefined ? place : realOf(resolve(dirname(place), link))
  }
}

/** Links that lead in a circle are not followed, and fail where the file is opened. */
function linkAt(place: string): string | undefined {
  try {
    statSync(place)
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') return undefined
  }
  try {
    return readlinkSync(place)
  } catch {
    return undefined
  }
}

/** Returns the state folder that a file is in, however deep. */
function stateAround(path: string): string | undefined {
  if (isState(path)) return path
  const folder = dirname(path)
  return folder === path ? undefined : stateAround(folder)
}

function isState(folder: string): boolean {
  try {
    const marker = join(folder, 'state.json')
    const stats = statSync(marker)
    if (!stats.isFile() || stats.size > MARKER_BYTES) return false
    return readFileSync(marker, 'utf8').startsWith(MARKER_START)
  } catch {
    return false
  }
}
