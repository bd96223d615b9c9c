// The options of all requests of the clients, with their checks and defaults: limits of time, size
// and repeats. Sizes are in bytes, times in milliseconds.

import {
  type Clock,
  is,
  MOST_SENDS,
  type OptionTable,
  optionInvalid,
  type Read,
  type RetryOptions,
  retryPolicy,
  timeLimit,
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

/** The options with their defaults, as the transports and the JSON client take them. */
export type RequestSettings = Readonly<ReturnType<typeof requestSettings>>

/**
 * The longest limit that an option may set: one day. The sum of several limits is then within the
 * longest delay of a timer.
 */
const LONGEST_MS = 86_400_000

const LIMIT = is.wholeNumber(1, LONGEST_MS)

export const REQUESTS = {
  concurrencyPerHost: [is.wholeNumber(), Number.MAX_SAFE_INTEGER],
  requestsPerSecond: intervalMs,
  sharedTurn: [is.callback],
  queueTimeoutMs: [LIMIT, 600_000],
  headersTimeoutMs: [LIMIT, 60_000],
  bodyTimeoutMs: [LIMIT, 60_000],
  maxResponseBytes: [is.wholeNumber(), 8 * 1024 * 1024],
  now: is.clockMs,
  retry: retryPolicy,
} satisfies OptionTable<RequestOptions>

export function requestSettings(options: Read<RequestOptions, typeof REQUESTS>) {
  const { requestsPerSecond, bodyTimeoutMs, ...settings } = options
  const { headersTimeoutMs, queueTimeoutMs } = settings
  return {
    ...settings,
    intervalMs: requestsPerSecond,
    tokenTimeoutMs: headersTimeoutMs,
    responseTimeoutMs: MOST_SENDS * (2 * headersTimeoutMs + queueTimeoutMs),
    bodyLimits: (url: string, signal: AbortSignal) =>
      timeLimit('wholeBody', { url, signal, limitMs: bodyTimeoutMs }),
  }
}

function intervalMs(option: string, requestsPerSecond: number | undefined): number {
  if (requestsPerSecond === undefined) return 0
  if (requestsPerSecond > 0 && 1000 / requestsPerSecond <= LONGEST_MS)
    return 1000 / requestsPerSecond
  throw optionInvalid(option, 'a number above 0, at least one request a day', requestsPerSecond)
}
