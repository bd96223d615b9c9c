// The lock of a state folder: one process at a time changes a folder. A reader holds the lock only
// while it takes its snapshot (read/reader-place.ts), and other processes wait for it. The kernel
// holds the lock (state/level/kernel-lock.ts), so it ends with its process. Each process also
// writes a claim, a file with its identity, for two reasons: the error of a refused process names
// the holder, and two threads of one process do not both ask for the kernel's lock, which would
// free it.
//
//   lock/LOCK …          the kernel's lock, and the empty database that it belongs to
//   lock/<process>.json a claim: made before the kernel's lock is asked for, removed after it is
//   free

import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { DurableFiles } from '../../engine/index'
import { FeedError, readWhole, withFile } from '../../engine/index'
import type { Environment, Processes, ProcessIdentity } from './environment'

const FOLDER = 'lock'
const CLAIM = /\.json$/
/**
 * Number of attempts for a folder that a reader holds, and the pause between two: five seconds
 * together.
 */
const ATTEMPTS = 250
const PAUSE_MS = 20

/** The content of a claim. */
interface Claim extends ProcessIdentity {
  /** The time of the claim as ISO 8601 text. */
  readonly since: string
  /** True where the process takes a snapshot and will release the lock soon. */
  readonly reading?: true
}

/** A claim that was found. `claim` is undefined for an empty or torn file. */
interface FoundClaim {
  readonly path: string
  readonly claim: Claim | undefined
}

export type LockEnvironment = Pick<Environment, 'files' | 'processes' | 'lockFolder'>

/** The use of a lock. Other processes wait for the end of `read`, which takes a snapshot. */
export type LockUse = 'read' | 'write'

/** A lock that this process holds. */
export interface StateLock {
  /** Releases the lock and removes the claim. */
  release(): Promise<void>
}

/** @throws FeedError STATE_LOCKED, STATE_IO, DEPENDENCY_MISSING */
export async function takeStateLock(
  environment: LockEnvironment,
  folder: string,
  use: LockUse = 'write',
): Promise<StateLock> {
  for (let attempt = 1; ; attempt++) {
    const taken = await tryTake(environment, folder, use)
    if (taken !== undefined && 'release' in taken) return taken
    if (taken !== undefined && !taken.claim?.reading) throw locked(folder, taken)
    if (attempt === ATTEMPTS) throw locked(folder, taken)
    await delay(PAUSE_MS)
  }
}

/**
 * Checks that no process of this machine holds the lock of a folder that cannot be written, where
 * the lock cannot be taken.
 * @throws FeedError STATE_LOCKED, STATE_IO
 */
export async function expectFree(
  { files, processes }: LockEnvironment,
  folder: string,
): Promise<void> {
  const { host } = processes.own()
  const holder = (await claimsIn(files, join(folder, FOLDER))).find(
    ({ claim }) => claim?.host === host && processes.mayRun(claim),
  )
  if (holder !== undefined) throw locked(folder, holder)
}

/** @returns the lock, or the claim of its holder where there is one */
async function tryTake(
  { files, processes, lockFolder }: LockEnvironment,
  folder: string,
  use: LockUse,
): Promise<StateLock | FoundClaim | undefined> {
  const place = join(folder, FOLDER)
  await files.makeFolder(place)
  const own = processes.own()
  const path = join(place, `${processName(own)}.json`)
  if (!(await putUp(files, path, own, use))) {
    const found = await foundAt(files, path)
    // The claim is being written, or was removed meanwhile.
    return found.claim && found
  }
  try {
    const kernel = await lockFolder(place)
    await removeOthers(files, place, path, processes).catch(async error => {
      await kernel.release()
      throw error
    })
    return { release: () => kernel.release().finally(() => files.remove(path)) }
  } catch (error) {
    const holder = isLocked(error) ? await holderIn(files, place, path, processes) : undefined
    await files.remove(path)
    if (isLocked(error)) return holder
    throw error
  }
}

/** Returns true for the name of the lock's folder in a state folder. */
export function isLockName(name: string): boolean {
  return name === FOLDER
}

/**
 * Returns a name that all threads of a process share and no other process ever has, also after the
 * process was killed.
 */
export function processName({ pid, host, startedAt }: ProcessIdentity): string {
  const hash = createHash('sha256').update(`${host}\n${startedAt}`).digest('hex')
  return `${pid}-${hash.slice(0, 16)}`
}

/**
 * Writes the claim of this process.
 * @returns false where this process has a claim already
 */
async function putUp(
  files: DurableFiles,
  path: string,
  own: ProcessIdentity,
  use: LockUse,
): Promise<boolean> {
  const file = await files.create(path)
  if (file === undefined) return false
  const claim: Claim = {
    ...own,
    since: new Date().toISOString(),
    ...(use === 'read' && { reading: true }),
  }
  try {
    await withFile(file, () => file.write(0, Buffer.from(`${JSON.stringify(claim)}\n`)))
    return true
  } catch (error) {
    await files.remove(path).catch(() => {})
    throw error
  }
}

/**
 * Removes the claims of other processes. The holder of the kernel's lock knows that they have ended
 * or are asking for the lock; claims of the latter stay.
 */
async function removeOthers(
  files: DurableFiles,
  place: string,
  own: string,
  processes: Processes,
): Promise<void> {
  for (const { path, claim } of await claimsIn(files, place)) {
    const isAsking =
      claim !== undefined && claim.host === processes.own().host && processes.mayRun(claim)
    if (path !== own && !isAsking) await files.remove(path)
  }
}

/**
 * Returns the oldest claim of another process that may run. That process holds the lock, because
 * the holder has removed all earlier claims.
 */
async function holderIn(
  files: DurableFiles,
  place: string,
  own: string,
  processes: Processes,
): Promise<FoundClaim | undefined> {
  const others = (await claimsIn(files, place)).filter(
    ({ path, claim }) => path !== own && claim !== undefined && processes.mayRun(claim),
  )
  return others.sort((a, b) => (a.claim!.since < b.claim!.since ? -1 : 1))[0]
}

async function claimsIn(files: DurableFiles, place: string): Promise<FoundClaim[]> {
  const found: FoundClaim[] = []
  for (const name of await files.list(place)) {
    if (!CLAIM.test(name)) continue
    found.push(await foundAt(files, join(place, name)))
  }
  return found
}

async function foundAt(files: DurableFiles, path: string): Promise<FoundClaim> {
  const bytes = await readWhole(files, path)
  return { path, claim: bytes && readClaim(Buffer.from(bytes).toString()) }
}

function readClaim(text: string): Claim | undefined {
  try {
    const { pid, host, startedAt, since, reading } = JSON.parse(text) as Partial<Claim>
    const isOne =
      typeof pid === 'number' &&
      typeof host === 'string' &&
      typeof startedAt === 'string' &&
      typeof since === 'string'
    return isOne ? { pid, host, startedAt, since, ...(reading === true && { reading }) } : undefined
  } catch {
    return undefined
  }
}

function isLocked(error: unknown): boolean {
  return FeedError.is(error) && error.code === 'STATE_LOCKED'
}

function locked(path: string, holder: FoundClaim | undefined): FeedError<'STATE_LOCKED'> {
  const { pid, host, since } = holder?.claim ?? {}
  const who =
    pid === undefined
      ? 'another process'
      : `process ${pid} on ${host}, since ${since} (${holder?.path} says so)`
  const message = `${path} is in use by ${who}: wait until that process has ended, or end it; the lock ends with the process, so remove no file`
  return new FeedError('STATE_LOCKED', message, {
    path,
    ...(pid !== undefined && { pid }),
    ...(host !== undefined && { host }),
    ...(since !== undefined && { since }),
    ...(holder !== undefined && { file: holder.path }),
  })
}
