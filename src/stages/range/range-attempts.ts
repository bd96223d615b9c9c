// The attempts for one range: repeated by the policy of retries.ts until it gives up. Any new byte
// starts the count again.

import { FeedError } from '../../errors'
import type { RangeSettings } from './range-settings'
import { Retries } from './retries'

export class RangeAttempts {
  readonly #settings: RangeSettings
  readonly #retries: Retries

  constructor(settings: RangeSettings, signal: AbortSignal) {
    this.#settings = settings
    this.#retries = new Retries(settings.retry, signal)
  }

  /** New bytes arrived. */
  progressed(): void {
    this.#retries.progressed()
  }

  /**
   * Waits until the next attempt may be made. Throws RANGE_RETRIES_EXHAUSTED when there is none
   * left.
   */
  async failed(error: FeedError, byteOffset: number, retryAfterMs?: number): Promise<void> {
    if (await this.#retries.again(error, retryAfterMs)) return
    const { failures: attempts } = this.#retries
    const message = `no new bytes at ${byteOffset} in ${attempts} attempts: ${error.message}`
    const context = { url: this.#settings.printableUrl, byteOffset, attempts }
    throw new FeedError('RANGE_RETRIES_EXHAUSTED', message, context, { cause: error })
  }
}
