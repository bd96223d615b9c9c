// A transport that adds an access token to each request, and requests another token once where the
// service answers with 401. No other part of the clients sees the tokens.

import type { Secrets } from '../../codec/secrets'
import { FeedError } from '../../errors'
import type { RangeResponse } from '../../stages/range/range-transport'
import { sendRenewing } from '../../stages/range/send-request'
import { timeLimit } from '../../stages/range/time-limits'
import type { ReportingTransport } from '../../stages/range/watched-request'
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

export class AuthorizedTransport implements HttpTransport, ReportingTransport {
  /** The transport below reports them. */
  readonly reportsRequests = true
  readonly #options: AuthorizedTransportOptions

  constructor(options: AuthorizedTransportOptions) {
    this.#options = options
  }

  /**
   * Throws what the transport throws, and every FeedError of the token source. Other errors of the
   * token source, and values that are no token, are TOKEN_REFUSED.
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

/** The message leaves out the text of the cause, which may contain a token. */
function noToken(reason: string, cause?: unknown): FeedError {
  return new FeedError(
    'TOKEN_REFUSED',
    `no access token was given: ${reason}`,
    { reason },
    { cause },
  )
}
