// The attempts for one range. The policy of retries.ts decides about each repeat; new bytes reset
// its count.

import { FeedError } from '../../errors'
import type { RangeSettings } from './range-settings'
import { Retries } from './retries'

export class RangeAttempts {
  readonly #settings: RangeSettings
  readonly #retries: Retries

  constructor(settings: RangeSettings, signal: AbortSignal) {
    this.#settings = settings
    this.#retries = new Retries(settings.retry, signal, () => settings.printableUrl)
  }

  /** Failures since the last progress. */
  get failures(): number {
    return this.#retries.failures
  }

  /** Resets the count of failures, because new bytes arrived. */
  progressed(): void {
    this.#retries.progressed()
  }

  /** Waits until the next attempt. Throws RANGE_RETRIES_EXHAUSTED where none is left. */
  async failed(error: FeedError, byteOffset: number, retryAfterMs?: number): Promise<void> {
    if (await this.#retries.again(error, retryAfterMs)) return
    const { failures: attempts } = this.#retries
    const message = `no bytes came from byte ${byteOffset} on in ${attempts} attempts: ${error.message}`
    const context = { url: this.#settings.printableUrl, byteOffset, attempts }
    throw new FeedError('RANGE_RETRIES_EXHAUSTED', message, context, { cause: error })
  }
}
