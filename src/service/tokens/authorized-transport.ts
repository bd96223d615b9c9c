// A transport that adds an access token to each request, and requests another token once where the
// service answers with 401. No other part of the clients sees the tokens. A 401 to the other token
// as well may pass: the caller's policy of repeats decides about it.

import type { RangeResponse, ReportingTransport, Secrets } from '../../engine/index'
import {
  FeedError,
  printableUrl,
  readErrorText,
  readRefusal,
  sendRenewing,
  timeLimit,
  waitFor,
} from '../../engine/index'
import type { HttpRequest, HttpTransport } from '../http/http-transport'
import type { RequestSettings } from '../http/request-settings'

/** A request for a token. */
export interface TokenNeed {
  /** The full name of the scope; several are separated by spaces (RFC 6749, 3.3). */
  readonly scope: string
  /** The token that the service refused with a 401. The source has to give another one. */
  readonly refused?: string
  /** Fires when the request no longer waits for the token. */
  readonly signal: AbortSignal
}

/**
 * Gives an access token. It is called for every request, so it has to keep a token until the token
 * expires or is refused. For the authorization-code flow the application provides the function and
 * holds the refresh token of the user. An error of the function ends the request as TOKEN_REFUSED.
 * A FeedError is passed on, and the request is repeated where the error is retryable.
 */
export type TokenSource = (need: TokenNeed) => string | Promise<string>

export interface AuthorizedTransportOptions {
  /** The operation of the requests, for errors. */
  readonly operation: string
  readonly transport: HttpTransport
  readonly tokens: TokenSource
  readonly scope: string
  readonly secrets: Secrets
  readonly settings: RequestSettings
}

/**
 * A transport whose `send` throws what the transport below throws, and every FeedError of the token
 * source. Other errors of the token source, and values that are no token, are TOKEN_REFUSED. Where
 * the service refuses two different tokens, the error is an HTTP_STATUS. It is retryable, unless the
 * service states a code, as it does for an application that it does not know.
 */
export function authorizedTransport(
  options: AuthorizedTransportOptions,
): HttpTransport & ReportingTransport {
  return {
    // The transport below reports them.
    reportsRequests: true,
    async send(request) {
      const refused = new Set<string>()
      const response = await sendRenewing(async () => {
        const token = await tokenFor(options, request, [...refused][0])
        refused.add(token)
        const headers = { ...request.headers, Authorization: `Bearer ${token}` }
        return options.transport.send({ ...request, headers })
      })
      if (response.status === 401 && refused.size > 1)
        throw await refusalOf(options, request, response)
      return response
    },
  }
}

async function refusalOf(
  { operation, settings }: AuthorizedTransportOptions,
  { url, signal }: HttpRequest,
  response: RangeResponse,
): Promise<FeedError> {
  const text = await readErrorText(response, settings.bodyLimits(url, signal))
  const header = (name: string) => response.header(name)
  const where = { url: printableUrl(url), operation }
  const refused = { status: response.status, text, header }
  const { error, description } = readRefusal(refused, where, settings.now())
  const retryable = description.errorId === undefined
  return new FeedError('HTTP_STATUS', error.message, error.context, { retryable })
}

async function tokenFor(
  { tokens, scope, secrets, settings }: AuthorizedTransportOptions,
  { url, signal }: HttpRequest,
  refused?: string,
): Promise<string> {
  signal.throwIfAborted()
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

/** The message leaves out the text of the cause, which may contain a token. */
function noToken(reason: string, cause?: unknown): FeedError {
  return new FeedError(
    'TOKEN_REFUSED',
    `no access token was given: ${reason}`,
    { reason },
    { cause },
  )
}
