// Sends one range request and turns whatever comes back into an answer: headers asked from the
// caller, one renewal on 401, the time limit for the response, the verdict, and the facts of the
// file pinned by each good response. It does not repeat a request that failed; RangeDownload does.

import { type ByteRange, rangeHeader } from '../../codec/range/byte-range'
import { type FileIdentity, mergeIdentity } from '../../codec/range/file-identity'
import { type RequestHeaders, sendableHeaders } from '../../codec/range/request-headers'
import { bodyIsText, judgeResponse, type Verdict } from '../../codec/range/response-verdict'
import { Secrets } from '../../codec/secrets'
import { FeedError } from '../../errors'
import { type WaitLimits, waitFor } from '../wait'
import type { HeadersReason, RangeSettings } from './range-settings'
import type { RangeResponse } from './range-transport'
import { readBodyText } from './response-body'
import { asTransportError } from './transport-error'

/** Enough for any error the service describes. */
const ERROR_TEXT_BYTES = 16 * 1024

type WithBody = Extract<Verdict, { kind: 'part' | 'whole' }>

/**
 * A verdict to act on; refusals are thrown. Only `part` and `whole` leave a body to be read or
 * discarded.
 */
export type RangeAnswer =
  | (WithBody & { readonly response: RangeResponse })
  | Extract<Verdict, { kind: 'empty' | 'total' | 'retry' }>

export class RangeRequester {
  readonly #settings: RangeSettings
  readonly #signal: AbortSignal
  #identity: FileIdentity
  /** What the caller's headers authorize with: servers repeat it in what they say of a refusal. */
  readonly #secrets = new Secrets()

  constructor(settings: RangeSettings, signal: AbortSignal) {
    this.#settings = settings
    this.#signal = signal
    this.#identity = settings.identity
  }

  /** What the responses so far have pinned. */
  get identity(): FileIdentity {
    return this.#identity
  }

  /**
   * Sends the request once. Failures that may pass come back as `retry`; the rest is thrown,
   * RANGE_FILE_REPLACED among them.
   */
  async ask(range: ByteRange): Promise<RangeAnswer> {
    let response: RangeResponse
    try {
      response = await this.#sendRenewing(range)
    } catch (error) {
      if (this.#signal.aborted || !FeedError.is(error) || !error.retryable) throw error
      return { kind: 'retry', error, retryAfterMs: undefined }
    }
    const answer = await this.#judge(range, response)
    if (answer.kind !== 'retry') this.#identity = mergeIdentity(this.#identity, answer.identity)
    return answer
  }

  async #judge(asked: ByteRange, response: RangeResponse): Promise<RangeAnswer> {
    const { printableUrl: url, sniffContentType, now } = this.#settings
    const isText = bodyIsText(response, sniffContentType)
    const text = isText
      ? await readBodyText(response, ERROR_TEXT_BYTES, this.#headersLimit(asked))
      : ''
    const facts = { status: response.status, header: (name: string) => response.header(name), text }
    const verdict = judgeResponse(
      { url, asked, pinned: this.#identity, sniffContentType, nowMs: now() },
      facts,
    )
    if (verdict.kind === 'part' || verdict.kind === 'whole') return { ...verdict, response }
    response.discard()
    if (verdict.kind === 'fatal' || verdict.kind === 'replaced')
      throw this.#secrets.covered(verdict.error)
    return verdict.kind === 'retry'
      ? { ...verdict, error: this.#secrets.covered(verdict.error) }
      : verdict
  }

  async #sendRenewing(range: ByteRange): Promise<RangeResponse> {
    const response = await this.#send(range, 'first')
    if (response.status !== 401 || typeof this.#settings.headers !== 'function') return response
    response.discard()
    return this.#send(range, 'unauthorized')
  }

  async #send(range: ByteRange, reason: HeadersReason): Promise<RangeResponse> {
    const limits = this.#headersLimit(range)
    const headers = withRange(sendableHeaders(await waitFor(this.#headers(reason), limits)), range)
    this.#remember(headers)
    const request = new AbortController()
    const sending = this.#transmit(headers, request.signal)
    try {
      return await waitFor(sending, limits)
    } catch (error) {
      request.abort(error)
      // A transport that does not listen to its signal may still answer.
      sending.then(
        late => late.discard(),
        () => {},
      )
      throw asTransportError(error, this.#settings.printableUrl, range.start)
    }
  }

  #remember(headers: RequestHeaders): void {
    for (const [name, value] of Object.entries(headers)) {
      if (name.toLowerCase() === 'authorization')
        this.#secrets.remember(value.replace(/^\S+\s+/, ''))
    }
  }

  /** Async, so that a transport that throws is one that rejects. */
  async #transmit(headers: RequestHeaders, signal: AbortSignal): Promise<RangeResponse> {
    const { transport, url } = this.#settings
    return transport.send({ url, headers, signal })
  }

  async #headers(reason: HeadersReason): Promise<RequestHeaders> {
    const { headers } = this.#settings
    return typeof headers === 'function' ? headers(reason) : headers
  }

  #headersLimit(range: ByteRange): WaitLimits {
    const { headersTimeoutMs: limitMs, printableUrl: url } = this.#settings
    const onLimit = () =>
      new FeedError('HTTP_TIMEOUT', `no response in ${limitMs} ms`, {
        url,
        phase: 'headers',
        limitMs,
        byteOffset: range.start,
      })
    return { signal: this.#signal, limitMs, onLimit }
  }
}

/**
 * The caller's headers with the two that are the fetcher's own: a file compressed on its way would
 * not be the file.
 */
function withRange(headers: RequestHeaders, range: ByteRange): RequestHeaders {
  const others = Object.entries(headers).filter(
    ([name]) => !/^(?:range|accept-encoding)$/i.test(name),
  )
  return { ...Object.fromEntries(others), Range: rangeHeader(range), 'Accept-Encoding': 'identity' }
}
