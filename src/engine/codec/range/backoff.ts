// How long to wait before the next attempt: exponential backoff with jitter, and what a Retry-After
// header asks for. The caller passes in the clock and the source of randomness.

/** Times are in milliseconds. */
export interface BackoffLimits {
  /** Delay before the first repeat, doubled for each further one. */
  readonly baseMs: number
  /** The longest delay. */
  readonly capMs: number
}

/**
 * Returns the delay after the `failures`-th failure in a row (from 1). `random` gives a number in
 * [0, 1). Half of the delay is fixed and half is random, so that many clients do not repeat at the
 * same time, and none repeats at once.
 */
export function backoffDelayMs(
  failures: number,
  limits: BackoffLimits,
  random: () => number,
): number {
  const fullMs = Math.min(limits.capMs, limits.baseMs * 2 ** (failures - 1))
  return Math.round(fullMs / 2 + (random() * fullMs) / 2)
}

/** HTTP dates end in GMT (RFC 9110, 5.6.7); Date.parse alone would also read `1` as a year. */
const HTTP_DATE = /^[A-Za-z]+, .+ GMT$/

/**
 * Returns the milliseconds from `nowMs` that a Retry-After header asks for; undefined where the
 * header is absent or malformed.
 */
export function readRetryAfter(header: string | undefined, nowMs: number): number | undefined {
  const text = header?.trim()
  if (!text) return undefined
  if (/^\d+$/.test(text)) return Number(text) * 1000
  const at = HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs)
}
