// A transport that puts an access token on each request, and asks for another one, once, where the
// service answers 401. Downloads and JSON requests get their tokens here and nowhere else, so no
// other part ever holds one.

import type { Secrets } from '../../codec/secrets'
import { FeedError } from '../../errors'
import type { RangeResponse } from '../../stages/range/range-transport'
import { waitFor } from '../../stages/wait'
import type { HttpRequest, HttpTransport } from '../http/http-transport'
import { type RequestSettings, timeoutError } from '../http/request-settings'
import type { TokenSource } from './token-source'

export interface AuthorizedTransportOptions {
  readonly transport: HttpTransport
  readonly tokens: TokenSource
  readonly scope: string
  readonly secrets: Secrets
  readonly settings: RequestSettings
}

export class AuthorizedTransport implements HttpTransport {
  readonly #options: AuthorizedTransportOptions

  constructor(options: AuthorizedTransportOptions) {
    this.#options = options
  }

  /**
   * Throws what the transport throws, and every FeedError of the token source; whatever else it
   * throws, or gives as a token, is TOKEN_REFUSED.
   */
  async send(request: HttpRequest): Promise<RangeResponse> {
    const token = await this.#token(request)
    const response = await this.#sendWith(token, request)
    if (response.status !== 401) return response
    response.discard()
    return this.#sendWith(await this.#token(request, token), request)
  }

  #sendWith(token: string, request: HttpRequest): Promise<RangeResponse> {
    return this.#options.transport.send({
      ...request,
      headers: { ...request.headers, Authorization: `Bearer ${token}` },
    })
  }

  async #token({ url, signal }: HttpRequest, refused?: string): Promise<string> {
    signal.throwIfAborted()
    const { tokens, scope, secrets, settings } = this.#options
    const need = { scope, signal, ...(refused === undefined ? {} : { refused }) }
    const limitMs = settings.headersTimeoutMs
    const asking = (async () => tokens(need))().catch(error => {
      throw FeedError.is(error) ? error : noToken('the token source failed', error)
    })
    const token: unknown = await waitFor(asking, {
      signal,
      limitMs,
      onLimit: () => timeoutError('token', url, limitMs),
    })
    if (typeof token !== 'string' || token === '') throw noToken('the token source gave no text')
    secrets.remember(token)
    return token
  }
}

/**
 * Without a word of the cause's own: what a token source throws may name a token that is not known
 * here.
 */
function noToken(reason: string, cause?: unknown): FeedError {
  return new FeedError('TOKEN_REFUSED', `no access token: ${reason}`, { reason }, { cause })
}
