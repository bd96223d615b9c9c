// One file of the service into the spool, proven whole: fetched from where an earlier attempt or
// run ended, tried again where that may help, and dropped and fetched anew where what came is not
// one good file. What the service's refusals mean stands here as well.

import { asFeedError, type ErrorFamily, FeedError, familyOf } from '../../errors'
import type { RangeTuning } from '../../service/clients/feed-download'
import type { FeedService } from '../../service/feed-service'
import type { RangeInfo } from '../../stages/range/range-fetcher'
import { Retries, type Retry, type RetryPolicy } from '../../stages/range/retries'
import { downloadOf, isBootstrap, readDate, schemaOfFile } from '../feed-files'
import { type FileId, fileIdKey } from '../file-id'
import type { ProvenFile } from './finish-file'
import type { Spool } from './spool'
import { verifyFile } from './verify-file'

export interface FetchOptions {
  /**
   * By which a file is tried again that could not be had, and one that was fetched and found bad.
   * Its ranges go by the same.
   */
  readonly retry: RetryPolicy
  readonly service: FeedService
  readonly ranges: RangeTuning
  readonly now: () => number
  readonly signal: AbortSignal
  /** A bootstrap that was made at this time or before is no help, and `missing`. */
  readonly newerThan?: Date | undefined
  /** A bootstrap that was made later says more than is wanted, and is `missing`. */
  readonly until?: Date | undefined
  readonly onBytes?: ((bytes: number) => void) | undefined
}

export type Fetched =
  | { readonly kind: 'proven'; readonly file: ProvenFile }
  /** The service does not have it yet. */
  | { readonly kind: 'missing' }
  /** Not in the allowed attempts, or not at all: SYNC_FILE_FAILED. */
  | { readonly kind: 'failed'; readonly error: FeedError }

type FamilySet = ReadonlySet<ErrorFamily | undefined>

/**
 * There is no such file: not yet, or no longer (item-feeds.md, section 5; feed-file-catalog.md,
 * section 6).
 */
const NOT_THERE: ReadonlySet<number> = new Set([13005, 13007, 14004])
/** Times that a file is asked for which the service says not to have. */
const NOT_THERE_ATTEMPTS = 5
/** The bytes that came are not a file: none of them is worth keeping. */
const SPOILT: FamilySet = new Set(['gzip', 'tsv'])
/** Faults of this file alone: the others may be had all the same. */
const OF_THE_FILE: FamilySet = new Set(['http', 'range', 'chunk', 'gzip', 'tsv', 'operation'])
/**
 * Those that no other attempt gets over: a request that may not be sent, an answer that says too
 * little.
 */
const LASTING = 'operation' satisfies ErrorFamily
/** And no permission. */
const REFUSED: ReadonlySet<number> = new Set([401, 403])

/**
 * What an empty bootstrap without a date is taken to be made: as long ago as the service says that
 * a bootstrap is late at the most (item-feeds.md, section 6). The snapshots since then say what has
 * come.
 */
const EMPTY_BOOTSTRAP_AGE_MS = 72 * 3_600_000

/**
 * @throws FeedError of what no attempt can help: STATE_IO, TOKEN_REFUSED, REQUEST_INVALID, ABORTED
 * and the like
 */
export async function fetchFile(id: FileId, spool: Spool, given: FetchOptions): Promise<Fetched> {
  const options = {
    ...given,
    ranges: { ...given.ranges, onRetry: givingUpOnMissing(given.ranges.onRetry) },
  }
  const { retry, signal } = options
  const stuck = new Retries(retry, signal)
  const spoilt = new Retries(retry, signal)
  for (;;) {
    const before = spool.length
    try {
      const file = await fetchOnce(id, spool, options)
      return file === undefined ? { kind: 'missing' } : { kind: 'proven', file }
    } catch (cause) {
      signal.throwIfAborted()
      const error = asFeedError(cause, 'sync')
      if (isNotThere(error)) return { kind: 'missing' }
      const family = familyOf(error.code)
      if (!OF_THE_FILE.has(family)) throw error
      const isSpoilt = SPOILT.has(family) || error.code === 'RANGE_FILE_REPLACED'
      if (isSpoilt) await spool.empty()
      else await spool.flush()
      if (spool.length > before) stuck.progressed()
      const retries = isSpoilt ? spoilt : stuck
      const goesOn = !isLasting(error) && !hasBeenRepeated(error) && (await retries.again(error))
      if (!goesOn)
        return {
          kind: 'failed',
          error: failed(id, Math.max(1, stuck.failures + spoilt.failures), error),
        }
    }
  }
}

/**
 * A file that is not there is asked for again when the calendar says so: all of the patience would
 * hold up the others.
 */
function givingUpOnMissing(onRetry: RangeTuning['onRetry']): (retry: Retry) => void {
  return retry => {
    if (retry.failures >= NOT_THERE_ATTEMPTS && isNotThere(retry.error)) throw retry.error
    onRetry?.(retry)
  }
}

/** Undefined where the file is no help. */
async function fetchOnce(
  id: FileId,
  spool: Spool,
  options: FetchOptions,
): Promise<ProvenFile | undefined> {
  const isBounded = isBootstrap(id) && (options.newerThan ?? options.until) !== undefined
  if (isBounded && !isAllHere(spool) && !isWanted(await latestDate(id, options), options))
    return undefined
  const file = await proven(id, spool, options)
  if (!isBootstrap(file.id) || isWanted(readDate(file.id.generation), options)) return file
  await spool.empty()
  return undefined
}

/**
 * When the latest bootstrap was made, by one small request: all of it would be much to fetch for
 * that.
 */
async function latestDate(
  id: FileId,
  { service, ranges, signal, now }: FetchOptions,
): Promise<Date | undefined> {
  const { lastModified, empty } = await downloadOf(service, id).info({ signal, ranges })
  return lastModified ?? (empty ? dateOfEmpty(now) : undefined)
}

function dateOfEmpty(now: () => number): Date {
  return new Date(now() - EMPTY_BOOTSTRAP_AGE_MS)
}

/** A bootstrap whose date is not known yet is wanted unless it has to be newer than another. */
function isWanted(made: Date | undefined, { newerThan, until }: FetchOptions): boolean {
  if (newerThan !== undefined && !(made !== undefined && made > newerThan)) return false
  return until === undefined || made === undefined || made <= until
}

async function proven(id: FileId, spool: Spool, options: FetchOptions): Promise<ProvenFile> {
  const empty = isAllHere(spool) ? undefined : await download(id, spool, options)
  if (empty !== undefined) return provenOf(id, { ...empty, totalBytes: 0 }, 0, options.now)
  const identity = { ...spool.file, totalBytes: spool.length }
  if (spool.rawBytes !== undefined) return provenOf(id, identity, spool.rawBytes, options.now)
  const rawBytes = await verifyFile({
    file: spool.data,
    schema: schemaOfFile(id),
    signal: options.signal,
  })
  await spool.markVerified(rawBytes)
  return provenOf(id, identity, rawBytes, options.now)
}

function isAllHere({ file, length }: Spool): boolean {
  return file?.totalBytes !== undefined && file.totalBytes === length
}

/** Fetches what the spool does not have. @returns what is known of the file where it is empty */
async function download(
  id: FileId,
  spool: Spool,
  { service, ranges, signal, onBytes }: FetchOptions,
): Promise<RangeInfo | undefined> {
  let info: RangeInfo | undefined
  const resume = resumeOf(spool)
  if (resume === undefined && spool.file !== undefined) await spool.empty()
  const onInfo = (told: RangeInfo) => {
    info = told
  }
  const bytes = downloadOf(service, id).compressed({
    ranges,
    signal,
    onInfo,
    ...(resume && { resume }),
  })
  for await (const block of bytes.batches()) {
    if (spool.file === undefined) await spool.begin(identityOf(info))
    await spool.append(block)
    onBytes?.(block.length)
  }
  await spool.flush()
  if (spool.file !== undefined) return undefined
  // A download without a byte ends well only where the service proved that there are none.
  if (info?.empty !== true)
    throw new FeedError('HTTP_TRANSPORT', `no byte of ${fileIdKey(id)} came`, { url: '' })
  return info
}

/** Only what shows that it is the same file can be gone on with. */
function resumeOf({ file, length }: Spool) {
  if (
    file === undefined ||
    length === 0 ||
    (file.lastModified === undefined && file.etag === undefined)
  )
    return undefined
  const { key: _, ...identity } = file
  return { offset: length, identity: identityOf(identity) }
}

function identityOf({ totalBytes, lastModified, etag }: Partial<RangeInfo> = {}) {
  return {
    ...(totalBytes !== undefined && { totalBytes }),
    ...(lastModified !== undefined && { lastModified }),
    ...(etag !== undefined && { etag }),
  }
}

function provenOf(
  id: FileId,
  info: Partial<RangeInfo> & { readonly totalBytes: number },
  rawBytes: number,
  now: () => number,
): ProvenFile {
  const identity = { ...identityOf(info), totalBytes: info.totalBytes }
  if (!isBootstrap(id)) return { id, identity, rawBytes }
  const made = readDate(info.lastModified) ?? (rawBytes === 0 ? dateOfEmpty(now) : undefined)
  if (made === undefined) throw undated(id)
  return { id: { ...id, generation: made.toISOString() }, identity, rawBytes }
}

function isNotThere(error: FeedError): boolean {
  return (
    FeedError.is(error) && error.code === 'HTTP_STATUS' && NOT_THERE.has(error.context.errorId ?? 0)
  )
}

/** The ranges of the download have used up the patience already. */
function hasBeenRepeated(error: FeedError): boolean {
  const codes = [error, error.cause].map(one => (FeedError.is(one) ? one.code : undefined))
  return codes.includes('RANGE_RETRIES_EXHAUSTED')
}

function isLasting(error: FeedError): boolean {
  if (!FeedError.is(error)) return false
  // A certificate that is not accepted.
  if (error.code === 'HTTP_TRANSPORT') return !error.retryable
  return (
    familyOf(error.code) === LASTING ||
    (error.code === 'HTTP_STATUS' && REFUSED.has(error.context.status))
  )
}

function failed(id: FileId, attempts: number, cause: FeedError): FeedError {
  const file = fileIdKey(id)
  const context = { file, attempts }
  return new FeedError(
    'SYNC_FILE_FAILED',
    `${file} could not be fetched: ${cause.message}`,
    context,
    { cause, retryable: cause.retryable },
  )
}

/** Nobody could say which rows are newer than it. */
function undated(id: FileId): FeedError {
  const context = {
    operation: id.feed,
    url: '',
    path: 'Last-Modified',
    reason: 'a bootstrap must have a date that can be read',
  }
  return new FeedError(
    'RESPONSE_INVALID',
    `${fileIdKey(id)} has no date: ${context.reason}`,
    context,
  )
}
