// The rules for every body of a download, held or streamed: its idle limit, the signature of the
// file, and the errors of a body that fails, ends early or is too long.

import { contradictsSignature, GZIP_SIGNATURE } from '../../codec/range/content-sniff'
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

  /** Returns the limits of a wait for bytes. The body starts at `byteOffset` of the file. */
  idleLimit(byteOffset: number): WaitLimits {
    const { idleMs: limitMs, url } = this.#settings
    return timeLimit('nextBytes', { url, signal: this.#signal, limitMs, byteOffset })
  }

  /**
   * Throws HTTP_CONTENT_TYPE where `bytes`, at `byteOffset` of the file, contradict its signature.
   */
  checkSignature(byteOffset: number, bytes: Uint8Array, response: RangeResponse): void {
    const { signature } = this.#settings
    if (signature === undefined || !contradictsSignature(byteOffset, bytes, signature)) return
    const contentType = excerpt(response.header('content-type') ?? '')
    const text = excerpt(new TextDecoder().decode(bytes.subarray(0, 80)))
    const context = { url: this.#settings.printableUrl, contentType, excerpt: text, byteOffset }
    throw new FeedError(
      'HTTP_CONTENT_TYPE',
      signature === GZIP_SIGNATURE
        ? 'the body is no gzip file: check the address, or leave Gunzip out for a file that is not compressed'
        : 'the body does not begin with the signature of the file: check the address',
      context,
    )
  }

  /** Returns a failure after which a repeat may help, and throws any other. */
  passing(error: unknown, byteOffset: number): FeedError {
    const failure = asTransportError(error, this.#settings.printableUrl, byteOffset)
    if (!mayPass(failure, this.#signal)) throw failure
    return failure
  }

  /** Returns the error of a body that ended before its range was complete. */
  shortBody(byteOffset: number): FeedError {
    return new FeedError('HTTP_TRANSPORT', `the body ended early at byte ${byteOffset}`, {
      url: this.#settings.printableUrl,
      byteOffset,
    })
  }

  /** Returns the error of a body with more bytes than its range. */
  tooLong(byteOffset: number, expectedBytes: number): FeedError {
    const context = { url: this.#settings.printableUrl, byteOffset, expectedBytes }
    return new FeedError(
      'RANGE_BODY_TOO_LONG',
      `the body has more than the ${expectedBytes} bytes of its range`,
      context,
    )
  }
}
