// A RangeFetcher over a scripted transport, for the tests of the answers that a service can give.

import { expect } from 'vitest'
import { GZIP_SIGNATURE } from '../../../../src/engine/codec/range/file-identity'
import type { ErrorCode, FeedError } from '../../../../src/engine/errors'
import { ChunkReassembler } from '../../../../src/engine/stages/chunk-reassembler'
import { RangeFetcher } from '../../../../src/engine/stages/range/range-fetcher'
import type { RangeFetcherOptions } from '../../../../src/engine/stages/range/range-settings'
import {
  DATED,
  type Reply,
  type Script,
  type ScriptedTransport,
  sampleFile,
} from '../scripted-transport'

export const URL_ = 'http://feed.test/file?date=20240101'
/** The same in errors. */
export const SHOWN_URL = URL_.replace(/=.*/, '=…')

export function fetcherOver(
  transport: ScriptedTransport,
  options: Partial<RangeFetcherOptions> = {},
): RangeFetcher {
  return new RangeFetcher({
    url: URL_,
    transport,
    chunkBytes: 20,
    concurrency: 3,
    windowBytes: 60,
    signature: GZIP_SIGNATURE,
    ...options,
    // A wait of 0 ms counts as one millisecond, which gives five attempts.
    retry: {
      patienceMs: 4,
      backoffBaseMs: 0,
      backoffCapMs: 1,
      retryAfterCapMs: 5,
      ...options.retry,
    },
  })
}

/** Reads the file through RangeFetcher and ChunkReassembler. */
export async function bytesOf(fetcher: RangeFetcher, windowBytes = 60): Promise<Uint8Array> {
  const ordered = new ChunkReassembler({ windowBytes })
  fetcher.on('error', error => ordered.destroy(error))
  const parts: Uint8Array[] = []
  for await (const part of fetcher.pipe(ordered)) parts.push(part)
  return Uint8Array.from(Buffer.concat(parts))
}

export async function failureOf(fetcher: RangeFetcher, code: ErrorCode): Promise<FeedError> {
  const failure = (await bytesOf(fetcher).then(
    () => expect.unreachable('it succeeded'),
    error => error,
  )) as FeedError
  expect(failure.code).toBe(code)
  return failure
}

/** Answers request `index` with `reply`, and the others with the requested range. */
export const at =
  (index: number, reply: (asked: { start: number; end: number }) => Reply | Error): Script =>
  asked =>
    asked.index === index ? reply(asked) : undefined

export const file = sampleFile(100)
export const part = (
  start: number,
  end: number,
  contentRange: string,
  extra: Record<string, string> = {},
): Reply => ({
  status: 206,
  headers: { 'content-range': contentRange, ...DATED, ...extra },
  body: [file.slice(start, end)],
})
