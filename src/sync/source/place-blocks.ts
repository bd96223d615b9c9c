// The bytes of a file of a feed of one's own, from a disk or over HTTP. A file of a disk that changes
// while it is read, or between two runs, is RANGE_FILE_REPLACED, as one over HTTP is.

import { stat } from 'node:fs/promises'
import {
  ChunkReassembler,
  type DurableFile,
  excerpt,
  FeedError,
  identityOfStats,
  machineFiles,
  pipeline,
  RangeFetcher,
  type RangeFetcherOptions,
  refuseChange,
} from '../../engine/index'
import type { CompressedOptions } from '../../service/index'

export type PlaceOptions = Pick<CompressedOptions, 'ranges' | 'signal' | 'resume' | 'onInfo'>

/** Blocks of this size go to the spool, which copies them. */
const BLOCK_BYTES = 1 << 20
const STAGE = 'source'

/** Returns the error of a function of the caller, or of a file on a disk, which fails that file. */
export function sourceFailed(message: string, cause: unknown, retryable: boolean): FeedError {
  const text = cause instanceof Error ? `${message}: ${cause.message}` : message
  return new FeedError('STAGE_FAILED', excerpt(text, 300), { stage: STAGE }, { cause, retryable })
}

export function isOfSource(error: unknown): error is FeedError<'STAGE_FAILED'> {
  return FeedError.is(error) && error.code === 'STAGE_FAILED' && error.context.stage === STAGE
}

export async function* remoteBlocks(
  file: Pick<
    RangeFetcherOptions,
    'url' | 'headers' | 'transport' | 'expected' | 'content' | 'secrets'
  >,
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
    const identity = await identityOf(path)
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
    refuseChange(path, at, identity, await identityOf(path))
  } catch (cause) {
    if (FeedError.is(cause) && cause.code !== 'STATE_IO') throw cause
    throw sourceFailed(`${path} cannot be read`, cause, false)
  } finally {
    await file?.close()
  }
}

async function identityOf(path: string) {
  const found = await stat(path, { bigint: true })
  if (!found.isFile()) throw sourceFailed(`${path} is no file`, undefined, false)
  return identityOfStats(found)
}
