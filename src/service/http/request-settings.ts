// The options that every request of the clients obeys, checked and completed: limits of time, size
// and repetition. Sizes are in bytes, times in milliseconds.

import { type Clock, clockMs, optionInvalid, wholeNumber } from '../../options'
import { type RetryOptions, type RetryPolicy, retryPolicy } from '../../stages/range/retries'
import { MOST_SENDS } from '../../stages/range/send-request'
import { timeLimit } from '../../stages/range/time-limits'
import type { WaitLimits } from '../../stages/wait'

/**
 * The retries are those of JSON requests and of downloads, unless `ranges` says otherwise for
 * these.
 */
export interface RequestOptions extends RetryOptions {
  /**
   * Requests on their way to one host, its bodies being read included. Default no limit of its own.
   */
  readonly concurrencyPerHost?: number
  /** Requests started for one host in a second, evenly spread. Default no limit. */
  readonly requestsPerSecond?: number
  /** The longest wait for a turn under these two limits. Default 600,000. */
  readonly queueTimeoutMs?: number
  /** For a response's headers, and for a token source. Default 60,000. */
  readonly headersTimeoutMs?: number
  /** For the whole body of a JSON response. Default 60,000. */
  readonly bodyTimeoutMs?: number
  /** Cap on the body of a JSON response. Default 8 MiB. */
  readonly maxResponseBytes?: number
  /** Cap on the pages of one list. Default 10,000. */
  readonly maxPages?: number
  /**
   * The clock for windows of dates, expiry of tokens and Retry-After dates. Default the system's.
   */
  readonly now?: Clock
}

export interface RequestSettings {
  readonly concurrencyPerHost: number
  /** Between the starts of two requests to one host. */
  readonly intervalMs: number
  /** For a token source: the option `headersTimeoutMs`. */
  readonly tokenTimeoutMs: number
  /** For a turn under the limits of the host. */
  readonly queueTimeoutMs: number
  /** For the response's headers, counted from the turn. */
  readonly headersTimeoutMs: number
  /**
   * From the call to the response's headers: the sum of the three above, for each time that the
   * request is sent. Each of the three ends earlier, with an error that names its phase.
   */
  readonly responseTimeoutMs: number
  readonly maxResponseBytes: number
  readonly maxPages: number
  readonly retry: RetryPolicy
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** The limits of reading one JSON body. */
  bodyLimits(url: string, signal: AbortSignal): WaitLimits
}

/** A day: the longest limit that an option sets. A sum of limits is still one that a timer can wait. */
const LONGEST_MS = 86_400_000

/** Throws OPTION_INVALID. */
export function requestSettings(options: RequestOptions): RequestSettings {
  const queueTimeoutMs = durationMs('queueTimeoutMs', options.queueTimeoutMs ?? 600_000)
  const headersTimeoutMs = durationMs('headersTimeoutMs', options.headersTimeoutMs ?? 60_000)
  const tokenTimeoutMs = headersTimeoutMs
  const bodyTimeoutMs = durationMs('bodyTimeoutMs', options.bodyTimeoutMs ?? 60_000)
  return {
    concurrencyPerHost: wholeNumber(
      'concurrencyPerHost',
      options.concurrencyPerHost ?? Number.MAX_SAFE_INTEGER,
    ),
    intervalMs: intervalMs(options.requestsPerSecond),
    tokenTimeoutMs,
    queueTimeoutMs,
    headersTimeoutMs,
    responseTimeoutMs: MOST_SENDS * (tokenTimeoutMs + queueTimeoutMs + headersTimeoutMs),
    maxResponseBytes: wholeNumber('maxResponseBytes', options.maxResponseBytes ?? 8 * 1024 * 1024),
    maxPages: wholeNumber('maxPages', options.maxPages ?? 10_000),
    retry: retryPolicy(options),
    now: clockMs('now', options.now),
    bodyLimits: (url, signal) => timeLimit('wholeBody', { url, signal, limitMs: bodyTimeoutMs }),
  }
}

function durationMs(option: string, value: number, least = 1): number {
  return wholeNumber(option, value, least, LONGEST_MS)
}

function intervalMs(requestsPerSecond: number | undefined): number {
  if (requestsPerSecond === undefined) return 0
  if (requestsPerSecond > 0 && 1000 / requestsPerSecond <= LONGEST_MS)
    return 1000 / requestsPerSecond
  const expected = 'a number above 0, at least one request a day'
  throw optionInvalid('requestsPerSecond', expected, requestsPerSecond)
}
