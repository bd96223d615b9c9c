// The policy of repeats: how long to wait before each repeat of a failed request, and when to give
// up. Ranges, JSON operations and the files of a synchronisation follow it.

import type { Secrets } from '../../codec/secrets'
import { retryTopic } from '../../diagnostics/channels'
import { ofRun } from '../../diagnostics/run-watch'
import { type AnyFeedError, FeedError } from '../../errors'
import { is, type NoPromise, noPromise, type OptionTable, readOptions } from '../../options'
import { pause } from '../wait'

/** Times are in milliseconds. */
export interface RetryOptions {
  /**
   * How long a failing request is repeated without progress. The waits before repeats and the time
   * limits that were exceeded count; a wait that the server requests by Retry-After does not. At
   * least one repeat is made, unless the value is 0, which allows none. Default 30,000, which
   * bridges an outage of 20 seconds. Bounds: 0 or more.
   */
  readonly patienceMs?: number
  /**
   * The delay before the first repeat. It doubles for each further repeat, and half of it is
   * random. Default 250. Bounds: 0 or more.
   */
  readonly backoffBaseMs?: number
  /** The limit of that delay. Default 30,000. Bounds: 0 or more. */
  readonly backoffCapMs?: number
  /** The limit of a wait that the server requests by Retry-After. Default 120,000. Bounds: 0 or more. */
  readonly retryAfterCapMs?: number
  /**
   * Called before each repeat, when the request has failed. What it throws ends the work. Default:
   * none.
   */
  readonly onRetry?: ((retry: Retry) => NoPromise) | undefined
  /** @internal Returns a number in [0, 1) for the jitter. Default Math.random. */
  readonly random?: () => number
}

/** A request that failed and will be repeated. */
export interface Retry {
  /** The failure that leads to the repeat. */
  readonly error: FeedError
  /** Failures since the last progress. */
  readonly failures: number
  /** The wait before the repeat, in milliseconds. */
  readonly delayMs: number
}

export type RetryPolicy = ReturnType<typeof retryPolicy>

const RETRY = {
  patienceMs: [is.durationMs(0), 30_000],
  backoffBaseMs: [is.durationMs(0), 250],
  backoffCapMs: [is.durationMs(0), 30_000],
  retryAfterCapMs: [is.durationMs(0), 120_000],
  onRetry: [is.callback],
  random: [is.callback, Math.random, 'internal'],
} satisfies OptionTable<RetryOptions>

/** Returns the policy of an option `retry`. @throws FeedError OPTION_INVALID */
export function retryPolicy(option: string, retry: RetryOptions = {}) {
  return readOptions(retry, RETRY, option)
}

/** True where a repeat may help: the failure may pass, and `signal` has not ended the work. */
export function mayPass(error: unknown, signal: AbortSignal): error is AnyFeedError {
  return !signal.aborted && FeedError.is(error) && error.retryable
}

/** The waits that servers asked for in refusals that are thrown. */
const ASKED_MS = new WeakMap<object, number>()

/** Returns `error`, before whose repeat a server asks to wait for so long. */
export function askingToWait<E extends FeedError>(error: E, retryAfterMs: number | undefined): E {
  if (retryAfterMs !== undefined) ASKED_MS.set(error, retryAfterMs)
  return error
}

/** Returns for how long a server asks to wait, in milliseconds; 0 where it does not ask. */
export function askedWaitMs(error: FeedError, { retryAfterCapMs }: RetryPolicy): number {
  return Math.min(ASKED_MS.get(error) ?? 0, retryAfterCapMs)
}

/** Counts the failures of one job, and waits before its repeats. */
export class Retries {
  readonly #policy: RetryPolicy
  readonly #signal: AbortSignal
  readonly #url: (() => string) | undefined
  readonly #secrets: Secrets | undefined
  /** Failures since the last progress. */
  failures = 0
  #spentMs = 0

  /**
   * @param url returns the address that is repeated, in printable form
   * @param secrets what the reports of repeats do not show
   */
  constructor(policy: RetryPolicy, signal: AbortSignal, url?: () => string, secrets?: Secrets) {
    this.#policy = policy
    this.#signal = signal
    this.#url = url
    this.#secrets = secrets
  }

  /** Resets the count of failures and the time spent, because the job made progress. */
  progressed(): void {
    this.failures = 0
    this.#spentMs = 0
  }

  /**
   * Waits until the job may be repeated and returns true, or returns false at once where it may
   * not. Rejects with the signal's reason.
   */
  async again(failure: FeedError, retryAfterMs?: number): Promise<boolean> {
    const { patienceMs, retryAfterCapMs, onRetry } = this.#policy
    this.failures++
    this.#spentMs += limitOf(failure)
    const leftMs = patienceMs - this.#spentMs
    if (patienceMs === 0 || (this.failures > 1 && leftMs <= 0)) return false
    const ownMs = Math.min(Math.max(leftMs, 1), backoffDelayMs(this.failures, this.#policy))
    // A delay of 0 counts as 1 ms, so that the repeats end.
    this.#spentMs += Math.max(1, ownMs)
    const askedMs = Math.min(retryAfterMs ?? 0, retryAfterCapMs)
    const delayMs = Math.max(ownMs, askedMs, askedWaitMs(failure, this.#policy))
    const error = this.#secrets?.covered(failure) ?? failure
    noPromise('onRetry', onRetry?.({ error, failures: this.failures, delayMs }))
    if (retryTopic.hasSubscribers) this.#tell(error, delayMs)
    await pause(delayMs, this.#signal)
    return true
  }

  #tell(error: FeedError, delayMs: number): void {
    const shown = this.#url?.()
    const url = shown && (this.#secrets?.cover(shown) ?? shown)
    retryTopic.publish({
      ...ofRun(),
      ...(url !== undefined && { url }),
      code: error.code,
      ...(FeedError.is(error) && error.code === 'HTTP_STATUS' && { status: error.context.status }),
      failures: this.failures,
      delayMs,
    })
  }
}

/** Returns the time limit that ended an attempt; 0 for an attempt that failed otherwise. */
function limitOf(error: FeedError): number {
  return FeedError.is(error) && error.code === 'HTTP_TIMEOUT' ? error.context.limitMs : 0
}

// How long to wait before the next attempt: exponential backoff with jitter, and what a Retry-After
// header asks for. The caller passes in the clock and the source of randomness.

type Backoff = Pick<RetryPolicy, 'backoffBaseMs' | 'backoffCapMs' | 'random'>

/**
 * Returns the delay after the `failures`-th failure in a row (from 1). `random` gives a number in
 * [0, 1). Half of the delay is fixed and half is random, so that many clients do not repeat at the
 * same time, and none repeats at once.
 */
export function backoffDelayMs(
  failures: number,
  { backoffBaseMs, backoffCapMs, random }: Backoff,
): number {
  const fullMs = Math.min(backoffCapMs, backoffBaseMs * 2 ** (failures - 1))
  return Math.round(fullMs / 2 + (random() * fullMs) / 2)
}
