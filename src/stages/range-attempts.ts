// Counts the attempts for one range and waits between them. Any new byte starts the count again.

import { backoffDelayMs } from '../codec/range/backoff'
import { FeedError } from '../errors'
import type { RangeSettings } from './range-settings'
import { pause } from './wait'

export class RangeAttempts {
  readonly #settings: RangeSettings
  readonly #signal: AbortSignal
  #failures = 0

  constructor(settings: RangeSettings, signal: AbortSignal) {
    this.#settings = settings
    this.#signal = signal
  }

  /** New bytes arrived. */
  progressed(): void {
    this.#failures = 0
  }

  /** Waits until the next attempt may be made. Throws RANGE_RETRIES_EXHAUSTED when there is none left. */
  async failed(error: FeedError, byteOffset: number, retryAfterMs?: number): Promise<void> {
    const { attempts, backoff, random, printableUrl: url } = this.#settings
    this.#failures++
    if (this.#failures >= attempts) {
      const message = `no new bytes at ${byteOffset} in ${attempts} attempts: ${error.message}`
      throw new FeedError('RANGE_RETRIES_EXHAUSTED', message, { url, byteOffset, attempts }, { cause: error })
    }
    await pause(backoffDelayMs(this.#failures, retryAfterMs, backoff, random), this.#signal)
  }
}
