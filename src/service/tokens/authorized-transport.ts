// A transport that puts an access token on each request, and asks for another one, once, where the
// service answers 401. Downloads and JSON requests get their tokens here and nowhere else, so no
// other part ever holds one.

import type { Secrets } from '../../codec/secrets'
import { FeedError } from '../../errors'
import type { RangeResponse } from '../../stages/range/range-transport'
import { sendRenewing } from '../../stages/range/send-request'
import { timeLimit } from '../../stages/range/time-limits'
import { waitFor } from '../../stages/wait'
import type { HttpRequest, HttpTransport } from '../http/http-transport'
import type { RequestSettings } from '../http/request-settings'
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
    let refused: string | undefined
    return sendRenewing(async () => {
      const token = await this.#token(request, refused)
      refused = token
      return this.#sendWith(token, request)
    })
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
    const asking = (async () => tokens(need))().catch(error => {
      throw FeedError.is(error) ? error : noToken('the token source failed', error)
    })
    const limits = timeLimit('token', { url, signal, limitMs: settings.tokenTimeoutMs })
    const token: unknown = await waitFor(asking, limits)
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
