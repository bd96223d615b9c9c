// Fetches one file into its spool. The download continues where an earlier attempt or run ended, and
// is repeated where that may help. A file that proves damaged when its rows are read is dropped and
// fetched again. This file also knows what the refusals of the service mean.

import {
  asFeedError,
  type ErrorFamily,
  type ExpectedFile,
  FeedError,
  type FileIdentity,
  familyOf,
  fileReplaced,
  provesSame,
  type RangeInfo,
  Retries,
  type Retry,
  type RetryOptions,
  type RetryPolicy,
} from '../../engine/index'
import type { RangeTuning } from '../../service/index'
import { type FileId, fileIdKey, isBootstrap, readDate } from '../file-id'
import { isOfSource } from '../source/place-blocks'
import type { SyncSource } from '../source/sync-source'
import type { Spool } from './spool'

export interface FetchOptions {
  /** The policy for repeating a file that could not be fetched. Its ranges use the same policy. */
  readonly retry: RetryPolicy
  /** Counts how often the file proved damaged. */
  readonly spoilt: Retries
  readonly source: SyncSource
  readonly ranges: RangeTuning
  readonly now: () => number
  readonly signal: AbortSignal
  /** A bootstrap from this time or before counts as `missing`. */
  readonly newerThan?: Date | undefined
  /** A bootstrap from after this time counts as `missing`. */
  readonly until?: Date | undefined
  readonly onBytes?: ((bytes: number) => void) | undefined
}

/** A file whose bytes are all in its spool. Whether they are right is seen when they are read. */
export interface WholeFile {
  readonly id: FileId
  readonly identity: FileIdentity & { readonly totalBytes: number }
}

export type Fetched =
  | { readonly kind: 'whole'; readonly file: WholeFile }
  /** The service does not have the file yet. */
  | { readonly kind: 'missing' }
  /**
   * The file could not be fetched in the allowed attempts, or never can be: SYNC_FILE_FAILED.
   * `isAbsent` says that it may have left the service.
   */
  | { readonly kind: 'failed'; readonly error: FeedError; readonly isAbsent: boolean }

type FamilySet = ReadonlySet<ErrorFamily | undefined>

/**
 * Errors of a file that does not exist yet or any more (item-feeds.md, section 5;
 * feed-file-catalog.md, section 6).
 */
const NOT_THERE: ReadonlySet<number> = new Set([13005, 13007, 14004])
/** Requests for a file that the service says it does not have. */
const NOT_THERE_ATTEMPTS = 5
/** Errors of a damaged file, whose bytes are dropped. */
const SPOILT: FamilySet = new Set(['gzip', 'unpack', 'tsv'])
/** Errors of one file, which do not end the run. */
const OF_THE_FILE: FamilySet = new Set([...SPOILT, 'http', 'range', 'chunk', 'operation'])
/** Errors that no repetition helps: an invalid request, an incomplete answer. */
const LASTING = 'operation' satisfies ErrorFamily
/** HTTP statuses without permission, which no repetition helps either. */
const REFUSED: ReadonlySet<number> = new Set([401, 403])

/**
 * Assumed age of an empty bootstrap without a date: the largest latency of a bootstrap
 * (item-feeds.md, section 6). The snapshots since that time have all later items.
 */
const EMPTY_BOOTSTRAP_AGE_MS = 72 * 3_600_000

/** Tells whether an error of reading a file means that its bytes are damaged. */
export function isDamage({ code }: FeedError): boolean {
  return SPOILT.has(familyOf(code))
}

/**
 * @param damage the damage of the file in the spool
 * @param isSame true where the file was fetched again before for the same damage
 * @throws FeedError that ends the run, such as STATE_IO, TOKEN_REFUSED, ABORTED
 */
export async function fetchFile(
  id: FileId,
  spool: Spool,
  given: FetchOptions,
  damage?: FeedError,
  isSame = false,
): Promise<Fetched> {
  const options = {
    ...given,
    ranges: {
      ...given.ranges,
      retry: { ...given.ranges.retry, onRetry: givingUpOnMissing(given.ranges.retry?.onRetry) },
    },
  }
  const { retry, signal, spoilt } = options
  const stuck = new Retries(retry, signal)
  for (let found = damage; ; found = undefined) {
    const before = spool.length
    try {
      if (found !== undefined) throw found
      const file = await fetchOnce(id, spool, options)
      return file === undefined ? { kind: 'missing' } : { kind: 'whole', file }
    } catch (cause) {
      signal.throwIfAborted()
      const error = coveredBy(options.source, id, asFeedError(cause, 'sync'))
      if (isNotThere(error)) return { kind: 'missing' }
      if (!OF_THE_FILE.has(familyOf(error.code)) && !isOfSource(error)) throw error
      const isSpoilt = isDamage(error) || error.code === 'RANGE_FILE_REPLACED'
      if (isSpoilt) await spool.empty()
      else await spool.flush()
      if (spool.length > before) stuck.progressed()
      const retries = isSpoilt ? spoilt : stuck
      const isLast =
        (found !== undefined && isSame) ||
        isLasting(error, options.source.renewsAddress?.(id) === true)
      const goesOn = !isLast && !hasBeenRepeated(error) && (await retries.again(error))
      if (goesOn) continue
      const attempts = Math.max(1, stuck.failures + spoilt.failures)
      const name = options.source.nameOf(id)
      return { kind: 'failed', error: failed(name, attempts, error), isAbsent: isAbsent(error) }
    }
  }
}

/**
 * Ends the repetitions for a missing file early. The calendar asks for it again later; waiting
 * would delay the other files.
 */
function givingUpOnMissing(onRetry: RetryOptions['onRetry']): (retry: Retry) => void {
  return retry => {
    if (retry.failures >= NOT_THERE_ATTEMPTS && isNotThere(retry.error)) throw retry.error
    onRetry?.(retry)
  }
}

/** A file that may not be asked for, because it has left the service, was told no secret. */
function coveredBy(source: SyncSource, id: FileId, error: FeedError): FeedError {
  try {
    return source.download(id).covered(error)
  } catch {
    return error
  }
}

/** Returns undefined for a bootstrap that is too old or too new. */
async function fetchOnce(
  id: FileId,
  spool: Spool,
  options: FetchOptions,
): Promise<WholeFile | undefined> {
  const isBounded = isBootstrap(id) && (options.newerThan ?? options.until) !== undefined
  if (isBounded && !isAllHere(spool) && !isWanted(await latestDate(id, options), options))
    return undefined
  const file = await whole(id, spool, options)
  if (!isBootstrap(file.id) || isWanted(readDate(file.id.generation), options)) return file
  await spool.empty()
  return undefined
}

/** Returns the time of the latest bootstrap by one small request, in place of a whole download. */
async function latestDate(
  id: FileId,
  { source, ranges, signal, now }: FetchOptions,
): Promise<Date | undefined> {
  const { lastModified, empty } = await source.download(id).info!({ signal, ranges })
  return lastModified ?? (empty ? dateOfEmpty(now) : undefined)
}

function dateOfEmpty(now: () => number): Date {
  return new Date(now() - EMPTY_BOOTSTRAP_AGE_MS)
}

/** A bootstrap of unknown date is wanted, unless it must be newer than another one. */
function isWanted(made: Date | undefined, { newerThan, until }: FetchOptions): boolean {
  if (newerThan !== undefined && !(made !== undefined && made > newerThan)) return false
  return until === undefined || made === undefined || made <= until
}

async function whole(id: FileId, spool: Spool, options: FetchOptions): Promise<WholeFile> {
  const empty = isAllHere(spool) ? undefined : await download(id, spool, options)
  await checkHash(id, spool, options.source.expected?.(id))
  const identity =
    empty === undefined ? { ...spool.file, totalBytes: spool.length } : { ...empty, totalBytes: 0 }
  return wholeOf(id, identity, options.now)
}

function isAllHere({ file, length }: Spool): boolean {
  return file?.totalBytes !== undefined && file.totalBytes === length
}

/**
 * Fetches the bytes that the spool lacks.
 * @returns the information about an empty file; undefined for any other
 */
async function download(
  id: FileId,
  spool: Spool,
  { source, ranges, signal, onBytes }: FetchOptions,
): Promise<RangeInfo | undefined> {
  let info: RangeInfo | undefined
  let spooled: RangeInfo | undefined
  const expected = source.expected?.(id)
  const resume = resumeOf(spool, expected)
  if (resume === undefined && spool.file !== undefined) await spool.empty()
  const onInfo = (told: RangeInfo) => void (info = told)
  const bytes = source.download(id).compressed({
    ranges,
    signal,
    onInfo,
    ...(resume && { resume }),
  })
  for await (const block of bytes.batches()) {
    if (spool.file === undefined || info !== spooled) {
      const { empty: _, ...identity } = { ...info }
      if (spool.file === undefined) await spool.begin(identity)
      else if (!canResume(identity, expected)) await spool.goOnUnproven(identity)
      spooled = info
    }
    await spool.append(block)
    onBytes?.(block.length)
  }
  await spool.flush()
  if (spool.file !== undefined) return undefined
  // A download without a byte ends well only where the service proved that there are none.
  if (info?.empty !== true)
    throw new FeedError('HTTP_TRANSPORT', `no byte of ${fileIdKey(id)} was received`, { url: '' })
  return info
}

/** Only what proves that it is the same file can be gone on with. */
function resumeOf({ file, length }: Spool, expected: ExpectedFile | undefined) {
  if (file === undefined || length === 0 || !canResume(file, expected)) return undefined
  const { key: _, ...identity } = file
  return { offset: length, identity }
}

function canResume(identity: FileIdentity, expected: ExpectedFile | undefined): boolean {
  return expected !== undefined || provesSame(identity, identity)
}

/** Checks the hash of a file whose size and hash the list names. */
async function checkHash(id: FileId, spool: Spool, expected?: ExpectedFile): Promise<void> {
  if (expected === undefined) return
  const [before, after] = [expected.sha256, await spool.sha256()]
  if (before === after) return
  const { length: byteOffset } = spool
  throw fileReplaced({ url: fileIdKey(id), byteOffset, what: 'sha256', before, after })
}

function identityOf({ totalBytes, lastModified, etag }: Partial<RangeInfo> = {}) {
  return {
    ...(totalBytes !== undefined && { totalBytes }),
    ...(lastModified !== undefined && { lastModified }),
    ...(etag !== undefined && { etag }),
  }
}

function wholeOf(
  id: FileId,
  info: Partial<RangeInfo> & { readonly totalBytes: number },
  now: () => number,
): WholeFile {
  const { totalBytes } = info
  const identity = { ...identityOf(info), totalBytes }
  if (!isBootstrap(id)) return { id, identity }
  const made = readDate(info.lastModified) ?? (totalBytes === 0 ? dateOfEmpty(now) : undefined)
  if (made === undefined) throw undated(id)
  return { id: { ...id, generation: made.toISOString() }, identity }
}

function isNotThere(error: FeedError): boolean {
  return (
    FeedError.is(error) && error.code === 'HTTP_STATUS' && NOT_THERE.has(error.context.errorId ?? 0)
  )
}

/** The checks of requests refuse a file that is too old, and servers say so in other ways too. */
function isAbsent(error: FeedError): boolean {
  if (!FeedError.is(error)) return false
  if (error.code !== 'HTTP_STATUS') return error.code === 'REQUEST_INVALID'
  return error.context.status === 404 || error.context.status === 410
}

/** Returns true where the ranges of the download have used all repetitions. */
function hasBeenRepeated(error: FeedError): boolean {
  const codes = [error, error.cause].map(one => (FeedError.is(one) ? one.code : undefined))
  return codes.includes('RANGE_RETRIES_EXHAUSTED')
}

/** @param isRenewed true where the next request has another address, which may not be refused */
function isLasting(error: FeedError, isRenewed: boolean): boolean {
  if (!FeedError.is(error)) return false
  // Only a certificate that the client refuses lasts, and a file that cannot be opened.
  if (error.code === 'HTTP_TRANSPORT' || isOfSource(error)) return !error.retryable
  return (
    familyOf(error.code) === LASTING ||
    (error.code === 'HTTP_STATUS' && !isRenewed && REFUSED.has(error.context.status))
  )
}

function failed(file: string, attempts: number, cause: FeedError): FeedError {
  const { message, retryable } = cause
  const text = `${file} could not be fetched: ${message}`
  return new FeedError('SYNC_FILE_FAILED', text, { file, attempts }, { cause, retryable })
}

/** Returns the error of a bootstrap without a date, which cannot be ordered among other files. */
function undated(id: FileId): FeedError {
  const reason =
    'a bootstrap must have a Last-Modified that can be read and is not later than the Date of its answer and the time here by more than 5 minutes, so check the clocks'
  const context = { operation: id.feed, url: '', path: 'Last-Modified', reason }
  return new FeedError('RESPONSE_INVALID', `${fileIdKey(id)} has no date: ${reason}`, context)
}
