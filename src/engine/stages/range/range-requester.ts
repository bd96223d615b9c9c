// Sends one range request and decides about its response: it takes the headers from the caller,
// renews them once after a 401, limits the wait, and records the identity of the file that each
// good response states. RangeDownload repeats requests that failed.

import { type Compared, type FileIdentity, mergeIdentity } from '../../codec/range/file-identity'
import { type ByteRange, rangeHeader } from '../../codec/range/range-plan'
import { printableUrl, type RequestHeaders, sendableHeaders } from '../../codec/range/request'
import {
  bodyIsText,
  judgeResponse,
  type Verdict,
  WHOLE_END,
} from '../../codec/range/response-verdict'
import { type WaitLimits, waitFor } from '../wait'
import { readErrorText } from './body-rules'
import type { RangeSettings } from './range-settings'
import type { RangeResponse, RangeTransport } from './range-transport'
import { asTransportError, watchedTransport } from './range-transport'
import { mayPass } from './retries'
import { type SendReason, sendInTime, sendRenewing, timeLimit } from './send-request'

type WithBody = Extract<Verdict, { kind: 'part' | 'whole' }>

/**
 * The decision about a response. The caller has to read or discard the body of `part` and `whole`;
 * the others have none. An error that no later request can mend is thrown.
 */
export type RangeAnswer =
  | (WithBody & { readonly response: RangeResponse })
  | Extract<Verdict, { kind: 'empty' | 'total' | 'retry' }>

/** The bytes that a request without a range asks for. */
const WHOLE: ByteRange = { start: 0, end: WHOLE_END }

export class RangeRequester {
  readonly #settings: RangeSettings
  readonly #signal: AbortSignal
  readonly #transport: RangeTransport
  /** The identity of the file that the responses so far have stated. */
  identity: FileIdentity
  /** True until an answer with bytes has stated the validators of the file. */
  #isFirst = true

  constructor(settings: RangeSettings, signal: AbortSignal) {
    this.#settings = settings
    this.#signal = signal
    this.#transport = watchedTransport(settings.transport, settings.secrets)
    this.identity = settings.identity
  }

  /**
   * Sends the request once, and once more after a 401. Returns `retry` for a failure that may pass,
   * and throws the others, RANGE_FILE_REPLACED among them.
   * @param range undefined for the whole file, without the header Range
   * @param attempt number of this attempt since the last progress
   */
  async ask(range: ByteRange | undefined, attempt = 1): Promise<RangeAnswer> {
    let response: RangeResponse
    try {
      response = await this.#sendRenewing(range, attempt)
    } catch (error) {
      if (!mayPass(error, this.#signal)) throw error
      return { kind: 'retry', error, retryAfterMs: undefined }
    }
    const answer = await this.#judge(range, response)
    if (answer.kind !== 'retry') this.#learn(answer)
    return answer
  }

  /** The next answer may be of another file. */
  forget(): void {
    this.identity = this.#settings.identity
    this.#isFirst = true
  }

  #learn({ kind, identity }: Exclude<RangeAnswer, { kind: 'retry' }>): void {
    const hasBytes = kind === 'part' || kind === 'whole'
    this.identity =
      hasBytes && this.#isFirst
        ? mergeIdentity(identity, this.identity)
        : mergeIdentity(this.identity, identity)
    if (hasBytes) this.#isFirst = false
  }

  #compared(range: ByteRange | undefined): Compared {
    if (range === undefined || this.#settings.expected) return 'unproven'
    return this.#isFirst ? 'given' : 'all'
  }

  async #judge(range: ByteRange | undefined, response: RangeResponse): Promise<RangeAnswer> {
    const { sniffContentType, expected, now } = this.#settings
    const url = response.url ? printableUrl(response.url) : this.#settings.printableUrl
    const asked = range ?? WHOLE
    const isText = bodyIsText(response, sniffContentType)
    const text = isText ? await readErrorText(response, this.#headersLimit(asked)) : ''
    const header = (name: string) => this.#header(response, name)
    const facts = { status: response.status, header, text }
    const verdict = judgeResponse(
      {
        url,
        asked,
        pinned: expected ? { totalBytes: expected.totalBytes } : this.identity,
        compared: this.#compared(range),
        sniffContentType,
        nowMs: now(),
      },
      facts,
    )
    if (verdict.kind === 'part' || verdict.kind === 'whole') return { ...verdict, response }
    response.discard()
    if (verdict.kind === 'fatal' || verdict.kind === 'replaced') throw verdict.error
    return verdict
  }

  /** A validator is kept with the state, so that one that repeats a secret counts as none. */
  #header(response: RangeResponse, name: string): string | undefined {
    const value = response.header(name)
    const isKept = value !== undefined && /^(?:etag|last-modified)$/.test(name)
    return isKept && this.#settings.secrets.cover(value) !== value ? undefined : value
  }

  async #sendRenewing(range: ByteRange | undefined, attempt: number): Promise<RangeResponse> {
    const send = (reason: SendReason) => this.#send(range, reason, attempt)
    return typeof this.#settings.headers === 'function' ? sendRenewing(send) : send('first')
  }

  async #send(
    range: ByteRange | undefined,
    reason: SendReason,
    attempt: number,
  ): Promise<RangeResponse> {
    const limits = this.#headersLimit(range)
    const headers = withRange(sendableHeaders(await waitFor(this.#headers(reason), limits)), range)
    const { url, printableUrl: shown, redirectOrigins, secrets } = this.#settings
    secrets.rememberHeaders(headers)
    const { etag } = this.#compared(range) === 'unproven' ? {} : this.identity
    const proof = etag !== undefined && { etag }
    const sending = { redirectOrigins, signal: this.#signal, attempt, secrets }
    const request = { url, headers, ...sending, ...proof }
    try {
      const response = await sendInTime(this.#transport, request, limits)
      if (response.url) secrets.rememberUrl(response.url)
      return response
    } catch (error) {
      throw asTransportError(error, shown, (range ?? WHOLE).start)
    }
  }

  async #headers(reason: SendReason): Promise<RequestHeaders> {
    const { headers } = this.#settings
    return typeof headers === 'function' ? headers(reason) : headers
  }

  #headersLimit({ start: byteOffset }: ByteRange = WHOLE): WaitLimits {
    const { headersTimeoutMs: limitMs, url } = this.#settings
    const wait = { url, signal: this.#signal, limitMs, byteOffset }
    return timeLimit('response', wait)
  }
}

/**
 * Replaces the two headers that the fetcher owns. A content coding would change the bytes of the
 * file, so Accept-Encoding forbids it.
 */
function withRange(headers: RequestHeaders, range: ByteRange | undefined): RequestHeaders {
  const others = Object.entries(headers).filter(
    ([name]) => !/^(?:range|accept-encoding)$/i.test(name),
  )
  return {
    ...Object.fromEntries(others),
    ...(range && { Range: rangeHeader(range) }),
    'Accept-Encoding': 'identity',
  }
}
