// The options of RangeFetcher, checked and completed with their defaults. Sizes are in bytes, times
// in milliseconds.

import { GZIP_SIGNATURE } from '../../codec/range/content-sniff'
import type { FileIdentity } from '../../codec/range/file-identity'
import { printableUrl } from '../../codec/range/printable-url'
import { WINDOW_BYTES } from '../../codec/range/reorder-buffer'
import { type RequestHeaders, sendableHeaders } from '../../codec/range/request-headers'
import { requestUrl } from '../../codec/range/request-url'
import {
  anObject,
  type Clock,
  clockMs,
  durationMs,
  knownOptions,
  type OptionNames,
  wholeNumber,
  withMethods,
} from '../../options'
import type { RangeTransport } from './range-transport'
import { type RetryOptions, type RetryPolicy, retryPolicy } from './retries'
import type { SendReason } from './send-request'

const CHUNK_BYTES = 8 * 1024 * 1024

/** Why headers are asked for: for a request, or once more because that request was answered 401. */
export type HeadersReason = SendReason

/** Called for every request, so that a token can be renewed. Times out with the request. */
export type HeadersProvider = (reason: HeadersReason) => RequestHeaders | Promise<RequestHeaders>

export interface RangeFetcherOptions extends RetryOptions {
  /** http or https, without user info. */
  readonly url: string | URL
  readonly transport: RangeTransport
  /**
   * Sent with every request. `Range` and `Accept-Encoding` are set by the fetcher. Default none.
   */
  readonly headers?: RequestHeaders | HeadersProvider
  /**
   * Size of one range. Default 8 MiB; cut to `maxRangeBytes` and `windowBytes`. The first ranges
   * are smaller: 1, 1, 2, 4 MiB.
   */
  readonly chunkBytes?: number
  /** Ranges in flight. Default 4. */
  readonly concurrency?: number
  /**
   * Hard cap on the bytes held or in flight, counted from the lowest byte not handed out. Default
   * 32 MiB.
   */
  readonly windowBytes?: number
  /** The service's maximum for one range. Default 100 MB (item-feeds.md, section 6). */
  readonly maxRangeBytes?: number
  /** For a response's headers, or a caller's `headers()`. Default 60,000. */
  readonly headersTimeoutMs?: number
  /**
   * Goes on behind bytes that the caller has, of the file that was then there; another one there
   * now is RANGE_FILE_REPLACED.
   */
  readonly resume?: RangeResume
  /**
   * For the next bytes of a body, counted only while the fetcher waits for them, not while its
   * reader is paused. Default 30,000.
   */
  readonly idleMs?: number
  /** What the file must begin with. Default gzip's `1f 8b`; null turns the check off. */
  readonly signature?: Uint8Array | null
  /** Refuse bodies whose Content-Type is HTML, JSON, XML or multipart. Default true. */
  readonly sniffContentType?: boolean
  /** The clock for Retry-After dates. Default the system's. */
  readonly now?: Clock
}

/** Where an earlier download of a file ended. */
export interface RangeResume {
  /** Bytes that the caller has, from the file's start. */
  readonly offset: number
  /** What the service said of the file then. */
  readonly identity: FileIdentity
}

/** The options with every default in place. */
export interface RangeSettings {
  readonly startOffset: number
  /** What is pinned of the file from the start. */
  readonly identity: FileIdentity
  readonly url: string
  /** The URL as errors may show it. */
  readonly printableUrl: string
  readonly transport: RangeTransport
  readonly headers: RequestHeaders | HeadersProvider
  readonly chunkBytes: number
  readonly concurrency: number
  readonly windowBytes: number
  readonly maxRangeBytes: number
  readonly retry: RetryPolicy
  readonly headersTimeoutMs: number
  readonly idleMs: number
  readonly signature: Uint8Array
  readonly sniffContentType: boolean
  readonly now: () => number
}

const OPTION_NAMES: OptionNames<RangeFetcherOptions> = {
  url: true,
  transport: true,
  headers: true,
  chunkBytes: true,
  concurrency: true,
  windowBytes: true,
  maxRangeBytes: true,
  patienceMs: true,
  backoffBaseMs: true,
  backoffCapMs: true,
  retryAfterCapMs: true,
  onRetry: true,
  random: true,
  headersTimeoutMs: true,
  resume: true,
  idleMs: true,
  signature: true,
  sniffContentType: true,
  now: true,
}

const RESUME_NAMES: OptionNames<RangeResume> = { offset: true, identity: true }
const FROM_THE_START: RangeResume = { offset: 0, identity: {} }

/** Throws OPTION_INVALID, HTTP_HEADER_INVALID. */
export function rangeSettings(options: RangeFetcherOptions): RangeSettings {
  const { headers = {}, transport, resume = FROM_THE_START } = knownOptions(options, OPTION_NAMES)
  const { offset, identity } = knownOptions(resume, RESUME_NAMES, 'resume')
  return {
    startOffset: wholeNumber('resume.offset', offset, 0),
    identity: anObject('resume.identity', identity),
    url: requestUrl(options.url).href,
    printableUrl: printableUrl(options.url),
    transport: withMethods('transport', transport, ['send']),
    headers: typeof headers === 'function' ? headers : sendableHeaders(headers),
    chunkBytes: wholeNumber('chunkBytes', options.chunkBytes ?? CHUNK_BYTES),
    concurrency: wholeNumber('concurrency', options.concurrency ?? 4),
    windowBytes: wholeNumber('windowBytes', options.windowBytes ?? WINDOW_BYTES),
    maxRangeBytes: wholeNumber('maxRangeBytes', options.maxRangeBytes ?? 100_000_000),
    retry: retryPolicy(options),
    headersTimeoutMs: durationMs('headersTimeoutMs', options.headersTimeoutMs ?? 60_000, 1),
    idleMs: durationMs('idleMs', options.idleMs ?? 30_000, 1),
    signature:
      options.signature === null ? new Uint8Array() : (options.signature ?? GZIP_SIGNATURE),
    sniffContentType: options.sniffContentType ?? true,
    now: clockMs('now', options.now),
  }
}
