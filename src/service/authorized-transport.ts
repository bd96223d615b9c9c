// A transport that puts an access token on each request, and asks for another one, once, where the service answers 401.
// Downloads and JSON requests get their tokens here and nowhere else, so no other part ever holds one.

import { FeedError } from '../errors'
import type { RangeResponse } from '../stages/range-transport'
import { waitFor } from '../stages/wait'
import type { HttpRequest, HttpTransport } from './http-transport'
import { type RequestSettings, timeoutError } from './request-settings'
import type { Secrets } from './secrets'
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

  /** Throws what the token source and the transport throw, and TOKEN_REFUSED where the source gave no token. */
  async send(request: HttpRequest): Promise<RangeResponse> {
    const token = await this.#token(request)
    const response = await this.#sendWith(token, request)
    if (response.status !== 401) return response
    response.discard()
    return this.#sendWith(await this.#token(request, token), request)
  }

  #sendWith(token: string, request: HttpRequest): Promise<RangeResponse> {
    return this.#options.transport.send({ ...request, headers: { ...request.headers, Authorization: `Bearer ${token}` } })
  }

  async #token({ url, signal }: HttpRequest, refused?: string): Promise<string> {
    const { tokens, scope, secrets, settings } = this.#options
    const need = { scope, signal, ...(refused === undefined ? {} : { refused }) }
    const limitMs = settings.headersTimeoutMs
    const asking = (async () => tokens(need))()
    const token: unknown = await waitFor(asking, { signal, limitMs, onLimit: () => timeoutError('token', url, limitMs) })
    if (typeof token !== 'string' || token === '') {
      const reason = 'the token source gave no text'
      throw new FeedError('TOKEN_REFUSED', `no access token: ${reason}`, { reason })
    }
    secrets.remember(token)
    return token
  }
}
