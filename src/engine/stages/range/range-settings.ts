// The options of RangeFetcher, their checks and their defaults. Sizes are in bytes, times in
// milliseconds.

import type { ExpectedFile, FileIdentity } from '../../codec/range/file-identity'
import { WINDOW_BYTES } from '../../codec/range/reorder-buffer'
import {
  printableUrl,
  type RequestHeaders,
  requestUrl,
  sendableHeaders,
} from '../../codec/range/request'
import { Secrets } from '../../codec/secrets'
import {
  type Clock,
  is,
  type NoPromise,
  type OptionTable,
  optionInvalid,
  readOptions,
} from '../../options'
import type { RangeTransport } from './range-transport'
import { type RetryOptions, retryPolicy } from './retries'
import type { SendReason } from './send-request'

const CHUNK_BYTES = 4 * 1024 * 1024

/** Why headers are needed: for a request, or for its repetition after a 401. */
export type HeadersReason = SendReason

/** Returns the headers of a request. It is called for every request, so it can renew a token. */
export type HeadersProvider = (reason: HeadersReason) => RequestHeaders | Promise<RequestHeaders>

export interface RangeFetcherOptions {
  /** An http or https URL without user info. */
  readonly url: string | URL
  /** Sends the requests, for example a `NodeTransport`. */
  readonly transport: RangeTransport
  /**
   * Headers of every request. The fetcher sets `Range` and `Accept-Encoding` itself. Default none.
   */
  readonly headers?: RequestHeaders | HeadersProvider
  /**
   * The size of one range. Default 4 MiB, and at most `maxRangeBytes` and `windowBytes`. The first
   * ranges are smaller: 1, 1 and 2 MiB.
   */
  readonly chunkBytes?: number
  /** Ranges in flight. Default 4. */
  readonly concurrency?: number
  /**
   * The limit of the bytes held or in flight, counted from the lowest byte that is not handed out.
   * Default 16 MiB.
   */
  readonly windowBytes?: number
  /** The limit that the service sets for one range. Default 100 MB (item-feeds.md, section 6). */
  readonly maxRangeBytes?: number
  /**
   * The limit of the wait for `headers()`, and of the wait for the headers of a response. Default
   * 60,000.
   */
  readonly headersTimeoutMs?: number
  /**
   * The other origins to which the server may redirect, such as `['https://cdn.example.com']`;
   * `'public'` allows every public origin, and `[]` none. Another origin gets none of `headers`. Each
   * range asks the first address again, and all answers have to be of one file. HTTP_ORIGIN_REFUSED is
   * the error of a redirect to an origin that is not allowed, of one from https to http, and of one
   * from a public address to this machine or its network, unless its origin is named. Default
   * `'public'`.
   */
  readonly redirectOrigins?: 'public' | readonly string[]
  /** When failing requests are repeated. Default: the defaults of each option. */
  readonly retry?: RetryOptions
  /**
   * Continues an earlier download. Fails with RANGE_FILE_REPLACED where the file is another one now,
   * and where neither the identity nor `expected` proves that it is not. The SHA-256 of `expected` is
   * then for the caller to check, who has the first bytes. Default: the start of the file.
   */
  readonly resume?: RangeResume
  /**
   * The size and the SHA-256 of the file, which prove it whatever the server states: another file is
   * RANGE_FILE_REPLACED. The hash is checked at the end, so nothing is confirmed before. Default: none.
   */
  readonly expected?: ExpectedFile
  /**
   * Take a body with neither a Content-Length nor chunks as whole when it ends. Nobody can tell it
   * from one that was cut, and a `fetch` shows no chunks over HTTP/2. Default false, which refuses it
   * with HTTP_CONTENT_LENGTH.
   */
  readonly acceptUnknownEnd?: boolean
  /**
   * The limit of the wait for the next 1,024 bytes of a body, or for as large a part of a file below
   * 1 MiB. Time in which the reader is paused does not count. Default 30,000.
   */
  readonly idleMs?: number
  /**
   * The first bytes of the file; another body is HTTP_CONTENT_TYPE. null turns the check off.
   * Default: those of gzip in a pipeline with Gunzip behind the fetcher, else none.
   */
  readonly signature?: Uint8Array | null
  /**
   * `'table'` for a file whose label is wrong: bodies whose Content-Type is HTML, JSON, XML or
   * multipart, or whose Content-Encoding is Brotli, are then read too. Default: none.
   */
  readonly content?: 'table'
  /** The clock for Retry-After dates and for a Last-Modified in the future. Default the clock of the system. */
  readonly now?: Clock
  /**
   * Called with what the server states about the file: before the first piece, and at the end of an
   * empty file. Called once more, without validators, before the pieces of a body that goes on under
   * other ones: what was received until then is a beginning of the file, and only that can be resumed
   * by the identity of the first call. What it throws ends the download. Default: none.
   */
  readonly onInfo?: (info: RangeInfo) => NoPromise
  /**
   * @internal What no error shows, beside what the headers have. Default: the values of the address,
   * which is then the caller's.
   */
  readonly secrets?: Secrets
}

/** What the server states about the file. */
export interface RangeInfo {
  /** The size of the file; undefined where the server does not state it. */
  readonly totalBytes?: number
  /**
   * The header as it was sent. Of a time that is later than the Date of the answer or than `now`, by
   * at most 5 minutes, 5 minutes are taken off; one that is still later is left out.
   */
  readonly lastModified?: string
  /** True where that date is a strong validator: the Date of its answer is at least 60 s later. */
  readonly isDateStrong?: boolean
  /** The entity tag, where it is a strong one. */
  readonly etag?: string
  /** The entity tag, where it is a weak one or no tag by its form. It proves nothing. */
  readonly weakEtag?: string
  /**
   * True where the server proved that the file is empty: by a 204, or by a Content-range with a
   * total of 0.
   */
  readonly empty: boolean
}

/** The end of an earlier download of the file. */
export interface RangeResume {
  /** The number of bytes that the caller has, from the start of the file. */
  readonly offset: number
  /** The identity that the service stated then. */
  readonly identity: FileIdentity
}

/** The checked options with their defaults. */
export type RangeSettings = ReturnType<typeof rangeSettings>

const RANGES = {
  url: requestUrl,
  transport: is.withMethods<RangeTransport>('send'),
  headers: [headersOf, {}],
  chunkBytes: [is.wholeNumber(), CHUNK_BYTES],
  concurrency: [is.wholeNumber(), 4],
  windowBytes: [is.wholeNumber(), WINDOW_BYTES],
  maxRangeBytes: [is.wholeNumber(), 100_000_000],
  headersTimeoutMs: [is.durationMs(), 60_000],
  redirectOrigins: [originsOf, 'public'],
  retry: retryPolicy,
  resume: [resumeOf, { offset: 0, identity: {} }],
  expected: [expectedFile],
  acceptUnknownEnd: [is.flag, false],
  idleMs: [is.durationMs(), 30_000],
  signature: is.any,
  content: [is.choice('table')],
  now: is.clockMs,
  onInfo: [is.callback],
  secrets: [is.any, undefined, 'internal'],
} satisfies OptionTable<RangeFetcherOptions>

const EXPECTED = {
  totalBytes: is.wholeNumber(0),
  sha256: sha256Text,
} satisfies OptionTable<ExpectedFile>

const RESUME = {
  offset: is.wholeNumber(0),
  identity: is.anObject,
} satisfies OptionTable<RangeResume>

const NO_SIGNATURE = new Uint8Array()

/** Throws OPTION_INVALID, HTTP_HEADER_INVALID. */
export function rangeSettings(options: RangeFetcherOptions) {
  const { url, resume, signature, content, secrets, ...settings } = readOptions(options, RANGES)
  const { expected } = settings
  return {
    ...settings,
    url: url.href,
    printableUrl: printableUrl(url),
    secrets: secrets ?? secretsOf(options.url),
    startOffset: resume.offset,
    identity: {
      ...resume.identity,
      ...(expected && { totalBytes: expected.totalBytes }),
    } as FileIdentity,
    ...(signature !== undefined && { signature: signature ?? NO_SIGNATURE }),
    sniffContentType: content === undefined,
  }
}

function secretsOf(url: string | URL): Secrets {
  const secrets = new Secrets()
  secrets.rememberUrl(url)
  return secrets
}

type Headers = RequestHeaders | HeadersProvider

function headersOf(_option: string, headers: Headers): Headers {
  return typeof headers === 'function' ? headers : sendableHeaders(headers)
}

type Origins = 'public' | readonly string[]

function originsOf(option: string, given: Origins): Origins {
  const isOrigin = (text: unknown) => URL.canParse(`${text}`) && new URL(`${text}`).origin === text
  if (given === 'public' || (Array.isArray(given) && given.every(isOrigin))) return given
  const expected = "'public' or a list of origins such as https://cdn.example.com"
  throw optionInvalid(option, expected, given)
}

function resumeOf(option: string, resume: RangeResume): RangeResume {
  return readOptions(resume, RESUME, option)
}

/** @throws FeedError OPTION_INVALID */
export function expectedFile(option: string, given: ExpectedFile): ExpectedFile {
  return readOptions(given, EXPECTED, option)
}

function sha256Text(option: string, text: string): string {
  if (/^[0-9a-f]{64}$/i.test(is.anyText(option, text))) return text.toLowerCase()
  throw optionInvalid(option, '64 hexadecimal digits', text)
}
