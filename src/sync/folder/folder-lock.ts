// The lock of a state folder: one writer at a time. It ends with its process or thread, also after
// SIGKILL, and holds between threads, processes and containers that share a volume. Node has no
// call for a lock of the kernel, so a socket (lock-socket.ts) shows that the holder lives.
//
//   lock/<id>.sock   the socket of a request, which listens
//   lock/<id>.json   its claim: the process, its host, and since when
//
// An id is a number above those in the folder, random digits and the digits of a kernel, and is never
// used again. To take the lock, a process makes its socket, puts up its claim, and then lists the
// folder and connects to every other socket. No clock has a part in it, because it may be wrong.
//
// Two holders are impossible. Of two claims one is put up last, and its process finds the other in
// its list. That claim's socket has listened since before the claim was there, so a refused
// connection proves that its process has ended. Three conditions make the proof hold:
//
// - The asker has the same kernel and sees the folder through the same mount, because the file of a
//   socket leads nowhere otherwise. So an id tells both. For another id, and where the system does
//   not tell its kernel, the asker watches the claim, to which its process gives another time, by
//   counting, again and again.
// - The file of a socket that listens is never removed. A process that is killed may leave a socket
//   that does not listen yet. An asker may remove it, because it has another name, and a process
//   that loses such a socket while it makes it makes another one.
// - The file system has sockets. A process connects to its own socket first.
//
// Several askers may find each other. The younger ones give way, and the oldest waits for the end of
// those that it has found. It lists the folder once: every later asker finds its claim.
//
// The folder may be moved under its holder, and a holder that was stopped may lose its claim to
// another kernel. So a holder looks for its claim before it changes a file.

import { createHash, randomBytes } from 'node:crypto'
import { mkdir, open, readFile, stat, utimes } from 'node:fs/promises'
import type { Server } from 'node:net'
import { hostname } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import {
  closing,
  createOwn,
  type DurableFiles,
  FeedError,
  machineFiles,
  onDisk,
  orUndo,
  readWhole,
  removeAtExit,
  removeNow,
  unless,
  unlessMissing,
  writeAll,
} from '../../engine/index'
import { answers, listen, NEW } from './lock-socket'

/** The name of the lock's folder in a state folder. */
export const LOCK_FOLDER = 'lock'

/** A lock that is held. */
export interface FolderLock {
  /** @throws FeedError STATE_LOCKED where the claim is gone; STATE_IO */
  check(): Promise<void>
  release(): Promise<void>
}

export interface LockTimes {
  /** How often the holder touches its claim. */
  readonly beatMs: number
  /** How long nobody touches the claim of a process that has ended. */
  readonly silenceMs: number
  /** The longest pause in which the oldest asker waits for younger ones. */
  readonly longestPauseMs: number
}

const TIMES: LockTimes = { beatMs: 5_000, silenceMs: 20_000, longestPauseMs: 2_560 }
const NAME = /^(\d{13}-[\da-f]{12}-[\da-f]*)\.(?:json|sock)$/
/** Ids of one number have any order: it only says who gives way. */
const MOST_NUMBER = 1e13 - 1
/** The pauses double. */
const FIRST_PAUSE_MS = 5

/** What the file of a claim says. A torn or missing file says nothing. */
interface Claim {
  readonly pid?: number
  readonly host?: string
  /** ISO 8601 text. */
  readonly since?: string
}

/**
 * @param folder the state folder, which must exist
 * @throws FeedError STATE_LOCKED, STATE_IO
 */
export function takeFolderLock(folder: string, times: LockTimes = TIMES): Promise<FolderLock> {
  const place = resolve(folder, LOCK_FOLDER)
  return onDisk(place, 'lock', async () => {
    await unless('EEXIST', mkdir(place))
    const kernel = await kernelOf(place)
    const numbers = idsIn(await machineFiles.list(place)).map(id => Number.parseInt(id, 10))
    const number = String(Math.min(Math.max(0, ...numbers) + 1, MOST_NUMBER)).padStart(13, '0')
    const id = `${number}-${randomBytes(6).toString('hex')}-${kernel}`
    const request = new LockRequest(folder, id, kernel, times)
    await orUndo(
      () => request.succeed(),
      () => request.end(),
    )
    return { check: () => request.check(), release: () => request.end() }
  })
}

/**
 * Returns the files of a locked folder. Nothing is made, renamed or removed in it once the lock is
 * lost: another writer may own what stands there.
 */
export function heldFiles(files: DurableFiles, lock: FolderLock): DurableFiles {
  const held = <T>(change: () => Promise<T>) => lock.check().then(change)
  return {
    makeFolder: path => held(() => files.makeFolder(path)),
    list: path => files.list(path),
    size: path => files.size(path),
    bytesUnder: path => files.bytesUnder(path),
    open: path => files.open(path),
    edit: path => held(() => files.edit(path)),
    create: path => held(() => files.create(path)),
    rename: (from, to) => held(() => files.rename(from, to)),
    remove: path => held(() => files.remove(path)),
    syncFolder: path => files.syncFolder(path),
  }
}

/** One request for the lock. */
class LockRequest {
  readonly #folder: string
  readonly #place: string
  readonly #kernel: string
  readonly #times: LockTimes
  readonly #since = new Date()
  readonly #id: string
  #server: Server | undefined
  #beats: NodeJS.Timeout | undefined

  constructor(folder: string, id: string, kernel: string, times: LockTimes) {
    this.#folder = folder
    this.#place = resolve(folder, LOCK_FOLDER)
    this.#id = id
    this.#kernel = kernel
    this.#times = times
  }

  /** Waits for the end of all requests that were there before. Gives way to an older one. */
  async succeed(): Promise<void> {
    this.#server = await listen(this.#socket())
    await this.#putUpClaim()
    const names = await machineFiles.list(this.#place)
    for (const name of names.filter(found => found.endsWith(NEW))) await this.#clear(name)
    const ids = new Set(idsIn(names))
    ids.delete(this.#id)
    for (const id of ids) await this.#outlast(id)
  }

  async check(): Promise<void> {
    if ((await machineFiles.size(this.#claim())) === undefined)
      throw lost(this.#folder, this.#claim())
  }

  /** Removes the claim, and then the socket. */
  async end(): Promise<void> {
    clearInterval(this.#beats)
    try {
      await onDisk(this.#place, 'unlock', () => removeNow(this.#claim()))
    } finally {
      this.#server?.close()
      await machineFiles.remove(this.#socket())
    }
  }

  #claim(id = this.#id): string {
    return join(this.#place, `${id}.json`)
  }

  #socket(id = this.#id): string {
    return join(this.#place, `${id}.sock`)
  }

  async #putUpClaim(): Promise<void> {
    const claim: Claim = {
      pid: process.pid,
      host: hostname(),
      since: this.#since.toISOString(),
    }
    const path = this.#claim()
    const file = await createOwn(path)
    removeAtExit(path)
    await closing(file, () => writeAll(file, Buffer.from(`${JSON.stringify(claim)}\n`)))
    let beats = 0
    const touch = () => utimes(path, ++beats, beats).catch(() => {})
    this.#beats = setInterval(touch, this.#times.beatMs).unref()
  }

  /** Removes a socket that its process has left before it listened. */
  async #clear(name: string): Promise<void> {
    const path = join(this.#place, name)
    if (!(await answers(path))) await machineFiles.remove(path)
  }

  async #outlast(id: string): Promise<void> {
    for (let pauseMs = FIRST_PAUSE_MS; !(await this.#isOver(id)); pauseMs *= 2) {
      if (id < this.#id || pauseMs > this.#times.longestPauseMs)
        throw locked(this.#folder, this.#claim(id), await readClaim(this.#claim(id)))
      await delay(pauseMs)
    }
  }

  /** Returns true where the process of another request has ended, and removes what it left. */
  async #isOver(id: string): Promise<boolean> {
    if (await answers(this.#socket(id))) return false
    const isProof = this.#kernel !== '' && id.endsWith(`-${this.#kernel}`)
    if (!isProof && !(await this.#isSilent(id))) return false
    await machineFiles.remove(this.#socket(id))
    await machineFiles.remove(this.#claim(id))
    return true
  }

  /** Returns true for a request whose claim nobody touches or puts up, or that has ended. */
  async #isSilent(id: string): Promise<boolean> {
    const { beatMs, silenceMs } = this.#times
    const first = await timeOf(this.#claim(id))
    // The loop counts pauses, because a clock runs on while this process is stopped.
    const pauseMs = beatMs / 5
    for (let left = silenceMs / pauseMs; left > 0; left--) {
      await delay(pauseMs)
      const time = await timeOf(this.#claim(id))
      if (time !== first) return time === undefined
      if (time === undefined && (await machineFiles.size(this.#socket(id))) === undefined) break
    }
    return true
  }
}

function idsIn(names: readonly string[]): string[] {
  return names.flatMap(name => NAME.exec(name)?.[1] ?? [])
}

async function readClaim(path: string): Promise<Claim> {
  const bytes = await readWhole(machineFiles, path)
  try {
    const { pid, host, since } = Object(JSON.parse(String(bytes)))
    return {
      ...(typeof pid === 'number' && { pid }),
      ...(typeof host === 'string' && { host }),
      ...(typeof since === 'string' && { since }),
    }
  } catch {
    return {}
  }
}

/**
 * Returns digits that two processes have in common only where they have the same kernel and see the
 * folder through the same mount: of the id of the boot, which containers share, and the device. Only
 * Linux tells the id; elsewhere there are no digits.
 */
async function kernelOf(place: string): Promise<string> {
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'latin1').catch(() => '')
  if (boot === '') return ''
  const { dev } = await stat(place)
  return createHash('sha256').update(`${boot}/${dev}`).digest('hex').slice(0, 16)
}

/** Opens the file, because a network file system then asks its server for the time. */
async function timeOf(path: string): Promise<number | undefined> {
  const file = await unlessMissing(open(path))
  return file && closing(file, async () => (await file.stat()).mtimeMs)
}

function locked(folder: string, file: string, claim: Claim): FeedError<'STATE_LOCKED'> {
  const { pid, host, since } = claim
  const who =
    pid === undefined
      ? `another process (${file} is its claim)`
      : `process ${pid} on ${host}, since ${since} (${file} says so)`
  const message = `${folder} is in use by ${who}: wait until that process has ended, or end it; the lock ends with the process, so remove no file`
  return new FeedError('STATE_LOCKED', message, { path: folder, ...claim, file })
}

function lost(folder: string, file: string): FeedError<'STATE_LOCKED'> {
  const message = `${folder} is not this process's any more: it was moved or replaced, or another process has taken it over, because ${file} is gone; the state is as it was: begin another run where the folder is now`
  return new FeedError('STATE_LOCKED', message, { path: folder, file })
}
