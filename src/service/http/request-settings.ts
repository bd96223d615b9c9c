// The options of all requests of the clients, with their checks and defaults: limits of time, size
// and repeats. Sizes are in bytes, times in milliseconds.

import type { WaitLimits } from '../../engine/index'
import {
  type Clock,
  callback,
  clockMs,
  MOST_SENDS,
  optionInvalid,
  type RetryOptions,
  type RetryPolicy,
  retryPolicy,
  timeLimit,
  wholeNumber,
} from '../../engine/index'

export interface RequestOptions {
  /**
   * When failing JSON requests and downloads are repeated; the option `ranges` overrides it for
   * downloads. Default: the defaults of each option.
   */
  readonly retry?: RetryOptions
  /**
   * The limit of requests to one host at a time. A request counts until its body is read. Default
   * no limit.
   */
  readonly concurrencyPerHost?: number
  /**
   * The limit of requests to one host per second, at even distances. Default no limit. Bounds: more
   * than 0, at least one request a day.
   */
  readonly requestsPerSecond?: number
  /**
   * Waits for the turn of a request at a limit that this process shares with others, after the two
   * limits above. It rejects where the request must not be sent. Default no such limit.
   */
  readonly sharedTurn?: SharedTurn
  /** The limit of the wait that these limits cause for one request. Default 600,000. */
  readonly queueTimeoutMs?: number
  /**
   * The limit of the wait for the headers of a response, and of the wait for the token source.
   * Default 60,000.
   */
  readonly headersTimeoutMs?: number
  /** The limit of the wait for the whole body of a JSON response. Default 60,000. */
  readonly bodyTimeoutMs?: number
  /** The size limit of the body of a JSON response. Default 8 MiB. */
  readonly maxResponseBytes?: number
  /**
   * The clock for date windows, token expiry and Retry-After dates. Default the clock of the
   * system.
   */
  readonly now?: Clock
}

/**
 * Waits until a request may be sent. A wait that would be longer than `limitMs` is not begun: the
 * function then resolves to false at once.
 */
export type SharedTurn = (limits: {
  readonly signal: AbortSignal
  readonly limitMs: number
}) => Promise<boolean>

export interface RequestSettings {
  readonly concurrencyPerHost: number
  /** The least time between the starts of two requests to one host; 0 for no limit. */
  readonly intervalMs: number
  readonly sharedTurn: SharedTurn | undefined
  /** The limit of the wait for the token source. It has the value of `headersTimeoutMs`. */
  readonly tokenTimeoutMs: number
  /** The limit of the wait that the limits of the host cause. */
  readonly queueTimeoutMs: number
  /** The limit of the wait for the headers of a response. It begins when the request starts. */
  readonly headersTimeoutMs: number
  /**
   * The limit from the call to the headers of the response: the sum of the three limits above, for
   * each time that the request is sent. Each of the three is exceeded earlier, and its error names
   * the phase.
   */
  readonly responseTimeoutMs: number
  readonly maxResponseBytes: number
  readonly retry: RetryPolicy
  /** The clock, in milliseconds since 1970. */
  readonly now: () => number
  /** Returns the limits of reading one JSON body. */
  bodyLimits(url: string, signal: AbortSignal): WaitLimits
}

/**
 * The longest limit that an option may set: one day. The sum of several limits is then within the
 * longest delay of a timer.
 */
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
    sharedTurn:
      options.sharedTurn === undefined ? undefined : callback('sharedTurn', options.sharedTurn),
    tokenTimeoutMs,
    queueTimeoutMs,
    headersTimeoutMs,
    responseTimeoutMs: MOST_SENDS * (tokenTimeoutMs + queueTimeoutMs + headersTimeoutMs),
    maxResponseBytes: wholeNumber('maxResponseBytes', options.maxResponseBytes ?? 8 * 1024 * 1024),
    retry: retryPolicy(options.retry),
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
