// What holds for every body of a download, held or streamed: its idle limit, the signature of the
// file, and how its failures are named.

import { contradictsSignature } from '../../codec/range/content-sniff'
import { excerpt, FeedError } from '../../errors'
import type { WaitLimits } from '../wait'
import type { RangeSettings } from './range-settings'
import type { RangeResponse } from './range-transport'
import { mayPass } from './retries'
import { timeLimit } from './time-limits'
import { asTransportError } from './transport-error'

export class BodyRules {
  readonly #settings: RangeSettings
  readonly #signal: AbortSignal

  constructor(settings: RangeSettings, signal: AbortSignal) {
    this.#settings = settings
    this.#signal = signal
  }

  /** For the wait for the next bytes of a body that began at `byteOffset`. */
  idleLimit(byteOffset: number): WaitLimits {
    const { idleMs: limitMs, url } = this.#settings
    return timeLimit('nextBytes', { url, signal: this.#signal, limitMs, byteOffset })
  }

  /**
   * Throws HTTP_CONTENT_TYPE when these bytes of the file, at `byteOffset`, are not what it must
   * begin with.
   */
  checkSignature(byteOffset: number, bytes: Uint8Array, response: RangeResponse): void {
    if (!contradictsSignature(byteOffset, bytes, this.#settings.signature)) return
    const contentType = excerpt(response.header('content-type') ?? '')
    const text = excerpt(new TextDecoder().decode(bytes.subarray(0, 80)))
    const context = { url: this.#settings.printableUrl, contentType, excerpt: text, byteOffset }
    throw new FeedError('HTTP_CONTENT_TYPE', 'the body does not begin as the file must', context)
  }

  /** A failure of a body that another request may mend; throws the others. */
  passing(error: unknown, byteOffset: number): FeedError {
    const failure = asTransportError(error, this.#settings.printableUrl, byteOffset)
    if (!mayPass(failure, this.#signal)) throw failure
    return failure
  }

  /** A clean end where more was due. */
  shortBody(byteOffset: number): FeedError {
    return new FeedError('HTTP_TRANSPORT', `the body ended early at byte ${byteOffset}`, {
      url: this.#settings.printableUrl,
      byteOffset,
    })
  }

  tooLong(byteOffset: number, expectedBytes: number): FeedError {
    const context = { url: this.#settings.printableUrl, byteOffset, expectedBytes }
    return new FeedError(
      'RANGE_BODY_TOO_LONG',
      `the body has more than the ${expectedBytes} bytes of its range`,
      context,
    )
  }
}
