// The one policy by which a request that failed is repeated: how long to wait before each repeat,
// and when to give up. Ranges, JSON operations and the files of a synchronisation go by it. It
// knows nothing of what is repeated.

import { type BackoffLimits, backoffDelayMs } from '../../codec/range/backoff'
import { type AnyFeedError, FeedError } from '../../errors'
import { callback, durationMs } from '../../options'
import { pause } from '../wait'

/** Times are in milliseconds. */
export interface RetryOptions {
  /**
   * How long a request that fails is repeated without progress: the waits before its repeats, and
   * the time limits that ran out, add up to so much at the most. At least one repeat is made,
   * unless it is 0, which allows none. Waits that the server asks for by Retry-After are not
   * counted. Default 30,000: a server that is away for 20 seconds is waited for.
   */
  readonly patienceMs?: number
  /**
   * Delay before the first repeat, doubled for each further one; a part of it is drawn by chance.
   * Default 250.
   */
  readonly backoffBaseMs?: number
  /** The longest such delay. Default 30,000. */
  readonly backoffCapMs?: number
  /** The longest that a server's Retry-After is obeyed. Default 120,000. */
  readonly retryAfterCapMs?: number
  /** Told as soon as a request has failed and will be repeated. What it throws ends the work. */
  readonly onRetry?: ((retry: Retry) => void) | undefined
  /** In [0, 1), for the jitter. Default Math.random. */
  readonly random?: () => number
}

/** A request that failed and will be repeated. */
export interface Retry {
  readonly error: FeedError
  /** Failures without progress so far. */
  readonly failures: number
  /** Until the repeat, in milliseconds. */
  readonly delayMs: number
}

export type RetryPolicy = Required<RetryOptions>

/** @throws FeedError OPTION_INVALID */
export function retryPolicy(options: RetryOptions): RetryPolicy {
  const { onRetry, random = Math.random } = options
  return {
    patienceMs: durationMs('patienceMs', options.patienceMs ?? 30_000, 0),
    backoffBaseMs: durationMs('backoffBaseMs', options.backoffBaseMs ?? 250, 0),
    backoffCapMs: durationMs('backoffCapMs', options.backoffCapMs ?? 30_000, 0),
    retryAfterCapMs: durationMs('retryAfterCapMs', options.retryAfterCapMs ?? 120_000, 0),
    onRetry: onRetry && callback('onRetry', onRetry),
    random: callback('random', random),
  }
}

/** True where a repeat may help: the failure may pass, and `signal` has not ended the work. */
export function mayPass(error: unknown, signal: AbortSignal): error is AnyFeedError {
  return !signal.aborted && FeedError.is(error) && error.retryable
}

/** Counts the failures of one piece of work, and waits between its repeats. */
export class Retries {
  readonly #policy: RetryPolicy
  readonly #limits: BackoffLimits
  readonly #signal: AbortSignal
  #failures = 0
  #spentMs = 0

  constructor(policy: RetryPolicy, signal: AbortSignal) {
    const { backoffBaseMs: baseMs, backoffCapMs: capMs } = policy
    this.#policy = policy
    this.#limits = { baseMs, capMs }
    this.#signal = signal
  }

  /** Failures without progress. */
  get failures(): number {
    return this.#failures
  }

  /** Something new arrived: all of the patience is there again. */
  progressed(): void {
    this.#failures = 0
    this.#spentMs = 0
  }

  /**
   * Waits until the work may be repeated. False, without a wait, when it may not be. Rejects with
   * the signal's reason.
   */
  async again(error: FeedError, retryAfterMs?: number): Promise<boolean> {
    const { patienceMs, retryAfterCapMs, random, onRetry } = this.#policy
    this.#failures++
    this.#spentMs += limitOf(error)
    const leftMs = patienceMs - this.#spentMs
    if (patienceMs === 0 || (this.#failures > 1 && leftMs <= 0)) return false
    const ownMs = Math.min(
      Math.max(leftMs, 1),
      backoffDelayMs(this.#failures, this.#limits, random),
    )
    // Without a delay there would be no end.
    this.#spentMs += Math.max(1, ownMs)
    const delayMs = Math.max(ownMs, Math.min(retryAfterMs ?? 0, retryAfterCapMs))
    onRetry?.({ error, failures: this.#failures, delayMs })
    await pause(delayMs, this.#signal)
    return true
  }
}

/** The time that an attempt took which ended by its time limit. */
function limitOf(error: FeedError): number {
  return FeedError.is(error) && error.code === 'HTTP_TIMEOUT' ? error.context.limitMs : 0
}
