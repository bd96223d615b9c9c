// The attempts for one range, under the policy of repeats.

import { FeedError } from '../../errors'
import type { RangeSettings } from './range-settings'
import { Retries } from './retries'

/** New bytes reset the count of failures, unless they only drip. */
export class RangeAttempts extends Retries {
  readonly #printableUrl: string
  #bytes = 0

  constructor({ retry, printableUrl, secrets }: RangeSettings, signal: AbortSignal) {
    super(retry, signal, () => printableUrl, secrets)
    this.#printableUrl = printableUrl
  }

  /** Bytes are progress when there are `leastBytes` of them. */
  received(bytes: number, leastBytes: number): void {
    this.#bytes += bytes
    if (this.#bytes < leastBytes) return
    this.#bytes = 0
    this.progressed()
  }

  /** Waits until the next attempt. Throws RANGE_RETRIES_EXHAUSTED where none is left. */
  async failed(error: FeedError, byteOffset: number, retryAfterMs?: number): Promise<void> {
    if (await this.again(error, retryAfterMs)) return
    const { failures: attempts } = this
    const message = `no bytes came from byte ${byteOffset} on in ${attempts} attempts: ${error.message}`
    const context = { url: this.#printableUrl, byteOffset, attempts }
    throw new FeedError('RANGE_RETRIES_EXHAUSTED', message, context, { cause: error })
  }
}
