// One process at a time in a state folder. Each that wants it puts up a file of its own, named `lock.` and after itself, which says
// who it is, and then looks for those of others: it has the folder where it finds none of a process that may run. Whoever comes
// second has put its file up before it looks, so of any two at least one sees the other; both give way then, and try again.
// No file is ever replaced or taken over: those of processes that have ended are removed, and nobody else has their names.

import { join } from 'node:path'
import { FeedError } from '../errors'
import { pause } from '../stages/wait'
import type { DurableFiles } from './durable-files'
import type { Processes, ProcessIdentity } from './process-identity'
import { readWhole, writeSynced } from './whole-file'

const PREFIX = 'lock.'
/** Not put up yet: its content may be missing. */
const UNFINISHED = '.new'
/** Enough for processes that start at the same moment to give way to each other; one that has the folder keeps it. */
const ROUNDS = 6
const ROUND_MS = 12

export class StateLock {
  readonly #files: DurableFiles
  readonly #path: string

  private constructor(files: DurableFiles, path: string) {
    this.#files = files
    this.#path = path
  }

  /** @throws FeedError STATE_LOCKED, STATE_IO */
  static async take(files: DurableFiles, folder: string, processes: Processes): Promise<StateLock> {
    for (let round = 1; ; round++) {
      const own = processes.own()
      const path = join(folder, PREFIX + own.holder)
      const other = (await putUp(files, path, own)) ? await otherIn(files, folder, own, processes) : 'unreadable'
      if (other === undefined) {
        await removeUnfinished(files, folder)
        return new StateLock(files, path)
      }
      await files.remove(path)
      if (round === ROUNDS) throw locked(folder, other)
      await pause(Math.ceil(Math.random() * ROUND_MS * round), new AbortController().signal)
    }
  }

  /** Gives the folder free. */
  release(): Promise<void> {
    return this.#files.remove(this.#path)
  }
}

/** True of the names that locks have. */
export function isLockName(name: string): boolean {
  return name.startsWith(PREFIX)
}

/**
 * The lock appears with its content: one that a loss of power leaves empty would be of a process that may run for ever.
 * @returns false where whoever has the folder has cleared it up in the meantime
 */
async function putUp(files: DurableFiles, path: string, own: ProcessIdentity): Promise<boolean> {
  await writeSynced(files, path + UNFINISHED, Buffer.from(JSON.stringify(own)))
  try {
    await files.rename(path + UNFINISHED, path)
    return true
  } catch (error) {
    if (FeedError.is(error) && error.code === 'STATE_IO' && error.context.reason === 'ENOENT') return false
    throw error
  }
}

/** What processes left that died while they put their locks up. Whoever is just doing that is refused in any case. */
async function removeUnfinished(files: DurableFiles, folder: string): Promise<void> {
  for (const name of await files.list(folder)) {
    if (isLockName(name) && name.endsWith(UNFINISHED)) await files.remove(join(folder, name))
  }
}

/** Whoever else may have the folder, `unreadable` where a lock does not say who that is. Clears up behind processes that have ended. */
async function otherIn(
  files: DurableFiles,
  folder: string,
  own: ProcessIdentity,
  processes: Processes,
): Promise<ProcessIdentity | 'unreadable' | undefined> {
  for (const name of await files.list(folder)) {
    if (!isLockName(name) || name.endsWith(UNFINISHED) || name === PREFIX + own.holder) continue
    const bytes = await readWhole(files, join(folder, name))
    const holder = bytes && readIdentity(Buffer.from(bytes).toString())
    if (holder !== undefined && !processes.mayRun(holder)) await files.remove(join(folder, name))
    else if (bytes !== undefined) return holder ?? 'unreadable'
  }
  return undefined
}

function readIdentity(text: string): ProcessIdentity | undefined {
  try {
    const { pid, host, startedAt, holder } = JSON.parse(text) as Partial<ProcessIdentity>
    const isOne = typeof pid === 'number' && typeof host === 'string' && typeof startedAt === 'string' && typeof holder === 'string'
    return isOne ? { pid, host, startedAt, holder } : undefined
  } catch {
    return undefined
  }
}

function locked(path: string, other: ProcessIdentity | 'unreadable'): FeedError<'STATE_LOCKED'> {
  const who = other === 'unreadable' ? 'a process whose lock cannot be read' : `process ${other.pid} on ${other.host}`
  const context = { path, ...(other !== 'unreadable' && { pid: other.pid, host: other.host }) }
  return new FeedError('STATE_LOCKED', `${path} is in use by ${who}`, context)
}
