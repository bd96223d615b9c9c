// One request to the token endpoint: the client-credentials grant (RFC 6749, 4.4). This file is the
// adapter of oauth4webapi. The errors of that package contain the response and so the token; none
// of them is passed on.

import {
  allowInsecureRequests,
  ClientSecretBasic,
  type CustomFetchOptions,
  clientCredentialsGrantRequest,
  customFetch,
  processClientCredentialsResponse,
  ResponseBodyError,
} from 'oauth4webapi'
import type { WaitLimits } from '../../engine/index'
import { askingToWait, excerpt, FeedError, printableUrl, readRefusal } from '../../engine/index'
import type { HttpTransport } from '../http/http-transport'
import { readWholeBody } from '../http/whole-body'

/** The limit of a response, which is enough for any token and for any refusal. */
const ANSWER_BYTES = 64 * 1024

/** The credentials of the client-credentials flow. */
export interface ClientCredentials {
  readonly clientId: string
  readonly clientSecret: string
}

export interface GrantOptions extends ClientCredentials {
  readonly tokenUrl: string
  readonly transport: HttpTransport
  /** The limits of reading the body of the response. */
  readonly limits: WaitLimits
  /** The clock for a Retry-After date. */
  readonly now: () => number
}

/**
 * Requests a token for `scope`. Throws HTTP_STATUS for a failure that may pass, TOKEN_REFUSED for
 * other refusals, and what the transport throws.
 */
export async function grantToken(options: GrantOptions, scope: string) {
  const { tokenUrl, clientId, clientSecret, limits, now } = options
  const server = { issuer: new URL(tokenUrl).origin, token_endpoint: tokenUrl }
  const client = { client_id: clientId }
  const response = await clientCredentialsGrantRequest(
    server,
    client,
    ClientSecretBasic(clientSecret),
    { scope },
    {
      [customFetch]: (url, init) => sendForm(options, url, init),
      // defineProfile() has decided whether plain http is allowed.
      [allowInsecureRequests]: true,
      signal: limits.signal,
    },
  )
  const header = (name: string) => response.headers.get(name) ?? undefined
  const { status } = response
  const where = { url: printableUrl(tokenUrl), operation: 'token' }
  const { error, retryAfterMs } = readRefusal({ status, header }, where, now())
  if (error.retryable) throw askingToWait(error, retryAfterMs)
  const refused = (why: Refusal) => refusal(tokenUrl, status, why)
  const {
    access_token: token,
    token_type: type,
    expires_in: lifetimeSeconds,
  } = await processClientCredentialsResponse(server, client, response).catch(cause => {
    throw refused(causeOf(cause, status, header('content-type')))
  })
  if (type !== 'bearer') throw refused({ reason: 'the token is not a Bearer token' })
  // Undefined where the endpoint does not state the lifetime.
  return { token, lifetimeSeconds }
}

async function sendForm(
  options: GrantOptions,
  url: string,
  init: CustomFetchOptions<'POST', URLSearchParams>,
): Promise<Response> {
  const { transport, limits } = options
  const request = {
    url,
    method: 'POST',
    headers: init.headers,
    body: init.body.toString(),
    signal: limits.signal,
  } as const
  const response = await transport.send(request)
  const tooLong = () =>
    refusal(url, response.status, { reason: `the answer is longer than ${ANSWER_BYTES} bytes` })
  const text = await readWholeBody(response, ANSWER_BYTES, limits, tooLong)
  // The header WWW-Authenticate of a 401 is left out: the body says more (RFC 6749, 5.2).
  const headers = {
    'content-type': response.header('content-type') ?? '',
    'retry-after': response.header('retry-after') ?? '',
  }
  const bodyless = response.status === 204 || response.status === 205 || response.status === 304
  return new Response(bodyless ? null : text, { status: response.status, headers })
}

interface Refusal {
  readonly error?: string
  readonly reason: string
}

function causeOf(cause: unknown, status: number, type = ''): Refusal {
  if (cause instanceof ResponseBodyError) {
    const reason = excerpt(cause.error_description ?? cause.error, 200)
    return { error: excerpt(cause.error), reason }
  }
  const isRedirect = status >= 300 && status < 400
  const body = type === '' ? '' : ` with ${excerpt(type.replace(/;.*/s, ''), 60)}`
  const answer = `status ${status}${isRedirect ? ', a redirect,' : body}`
  return { reason: `${answer} is not what RFC 6749 describes: check the address of the endpoint` }
}

function refusal(tokenUrl: string, status: number, why: Refusal): FeedError {
  const context = { url: printableUrl(tokenUrl), status, ...why }
  return new FeedError('TOKEN_REFUSED', `no access token was granted: ${why.reason}`, context)
}
