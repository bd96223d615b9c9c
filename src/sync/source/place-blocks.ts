// The bytes of a file of a feed of one's own, from a disk, over HTTP, or from what the caller opens. A
// file of a disk that changes while it is read, or between two runs, is RANGE_FILE_REPLACED, as one
// over HTTP is, and so is one that the caller opens again.

import { stat } from 'node:fs/promises'
import {
  ChunkReassembler,
  type DurableFile,
  excerpt,
  FeedError,
  fileReplaced,
  identityChange,
  identityOf,
  identityOfStats,
  is,
  machineFiles,
  type OptionTable,
  optionInvalid,
  pipeline,
  RangeFetcher,
  type RangeFetcherOptions,
  readOptions,
  refuseChange,
  systemCode,
  type WaitLimits,
  waitFor,
} from '../../engine/index'
import type { CompressedOptions } from '../../service/index'

export type PlaceOptions = Pick<CompressedOptions, 'ranges' | 'signal' | 'resume' | 'onInfo'>

/** Blocks of this size go to the spool, which copies them. */
const BLOCK_BYTES = 1 << 20
const STAGE = 'source'
/** The limit of the wait for an answer of the caller, or for the next bytes that it has opened. */
const ANSWER_MS = 60_000

/** A file that neither a path nor an address names, such as one of SFTP, from an offset on. */
export interface OpenedFile {
  /**
   * The bytes from the offset on, as a Readable gives them. They are copied before the next ones are
   * asked for. A file that ends early, or fails, is opened again behind what has come.
   */
  readonly bytes: AsyncIterable<Uint8Array>
  /** The size of the whole file in bytes. */
  readonly totalBytes: number
  /**
   * A text that is another one whenever the bytes of the file are others, such as an entity tag. It
   * proves that a file that is opened again is the same; `W/` before it says that it does not.
   * Default: none.
   */
  readonly etag?: string
  /**
   * When the file was last changed. It proves the same where it is at least 60 s ago and there is no
   * `etag`. A file without either begins at byte 0 whenever it is opened. Default: none.
   */
  readonly lastModified?: Date
}

const OPENED = {
  bytes: is.any,
  totalBytes: is.wholeNumber(0),
  etag: [is.filledText],
  lastModified: [is.validDate],
} satisfies OptionTable<OpenedFile>

/** Returns the error of a function of the caller, or of a file on a disk, which fails that file. */
export function sourceFailed(message: string, cause: unknown, retryable: boolean): FeedError {
  const text = cause instanceof Error ? `${message}: ${cause.message}` : message
  return new FeedError('STAGE_FAILED', excerpt(text, 300), { stage: STAGE }, { cause, retryable })
}

export function isOfSource(error: unknown): error is FeedError<'STAGE_FAILED'> {
  return FeedError.is(error) && error.code === 'STAGE_FAILED' && error.context.stage === STAGE
}

export type RemoteFile = Pick<
  RangeFetcherOptions,
  'url' | 'headers' | 'transport' | 'expected' | 'content' | 'secrets'
>

export async function* remoteBlocks(
  file: RemoteFile,
  { ranges, signal, resume, onInfo }: PlaceOptions,
): AsyncGenerator<Uint8Array, void, void> {
  const fetcher = new RangeFetcher({
    ...file,
    ...ranges,
    ...(resume && { resume }),
    ...(onInfo && { onInfo }),
  })
  const windowBytes = ranges?.windowBytes
  const ordered = new ChunkReassembler({
    ...(windowBytes !== undefined && { windowBytes }),
    ...(resume && { startOffset: resume.offset }),
  })
  yield* pipeline(fetcher, { ...(signal && { signal }) })
    .to(ordered)
    .batches()
}

export async function* localBlocks(
  path: string,
  { resume, onInfo }: PlaceOptions,
): AsyncGenerator<Uint8Array, void, void> {
  let file: DurableFile | undefined
  let at = resume?.offset ?? 0
  try {
    const identity = await identityOfPath(path)
    const { totalBytes } = identity
    if (resume !== undefined) refuseChange(path, at, resume.identity, identity)
    onInfo?.({ ...identity, empty: totalBytes === 0 })
    file = await machineFiles.open(path)
    while (file !== undefined && at < totalBytes) {
      const block = await file.read(at, Math.min(BLOCK_BYTES, totalBytes - at))
      if (block.length === 0) break
      at += block.length
      yield block
    }
    refuseChange(path, at, identity, await identityOfPath(path))
  } catch (cause) {
    if (FeedError.is(cause) && cause.code !== 'STATE_IO') throw cause
    throw sourceFailed(`${path} cannot be read`, cause, false)
  } finally {
    await file?.close()
  }
}

export async function* openedBlocks(
  opened: OpenedFile,
  file: string,
  { resume, onInfo, signal = new AbortController().signal }: PlaceOptions,
): AsyncGenerator<Uint8Array, void, void> {
  const option = 'source.files[].from()'
  const { bytes, totalBytes, etag, lastModified } = readOptions(opened, OPENED, option)
  if (typeof bytes?.[Symbol.asyncIterator] !== 'function')
    throw optionInvalid(`${option}.bytes`, 'an async iterable of bytes', bytes)
  const tag = etag && (etag.startsWith('W/') || /^".*"$/.test(etag) ? etag : `"${etag}"`)
  const now = new Date().toUTCString()
  const identity = identityOf(totalBytes, lastModified?.toUTCString(), tag, now)
  let at = resume?.offset ?? 0
  const change = resume && identityChange(resume.identity, identity)
  if (change) throw fileReplaced({ url: file, byteOffset: at, ...change })
  onInfo?.({ ...identity, empty: totalBytes === 0 })
  const onLimit = () => sourceFailed(`${file} gave no bytes in ${ANSWER_MS} ms`, undefined, true)
  const limits: WaitLimits = { signal, limitMs: ANSWER_MS, onLimit }
  const blocks = bytes[Symbol.asyncIterator]()
  try {
    for (;;) {
      const { done, value } = await waitFor(blocks.next(), limits)
      if (done) break
      if (!(value instanceof Uint8Array))
        throw optionInvalid(`${option}.bytes`, 'an async iterable of Uint8Arrays', value)
      at += value.length
      if (at > totalBytes)
        throw sourceFailed(`${file} has more than its ${totalBytes} bytes`, undefined, false)
      yield value
    }
    if (at < totalBytes)
      throw sourceFailed(`${file} ended after ${at} of ${totalBytes} bytes`, undefined, true)
  } catch (cause) {
    signal.throwIfAborted()
    if (FeedError.is(cause)) throw cause
    throw sourceFailed(`${file} cannot be read`, cause, true)
  } finally {
    // A call that hangs would keep the run.
    blocks.return?.().catch(() => {})
  }
}

export async function identityOfPath(path: string) {
  const found = await stat(path, { bigint: true })
  if (!found.isFile()) throw sourceFailed(`${path} is no file`, undefined, false)
  return identityOfStats(found)
}

/** What the system says of a place that waiting does not mend. */
const LASTING: ReadonlySet<string> = new Set([
  'ENOENT',
  'ENOTDIR',
  'EACCES',
  'EPERM',
  'ELOOP',
  'ENAMETOOLONG',
])

/** Calls a function of the caller, whose failure is one of the source. */
export async function answerOf<T>(
  what: 'files' | 'from' | 'accept',
  ask: () => T | Promise<T>,
  signal: AbortSignal | undefined = new AbortController().signal,
  limitMs = ANSWER_MS,
): Promise<T> {
  const onLimit = () => sourceFailed(`${what}() gave nothing in ${limitMs} ms`, undefined, true)
  try {
    return await waitFor((async () => ask())(), { signal, limitMs, onLimit })
  } catch (cause) {
    signal.throwIfAborted()
    if (isOfSource(cause) || (FeedError.is(cause) && cause.code === 'OPTION_INVALID')) throw cause
    const mayPass = FeedError.is(cause) ? cause.retryable : !LASTING.has(systemCode(cause) ?? '')
    throw sourceFailed(`${what}() failed`, cause, mayPass)
  }
}
