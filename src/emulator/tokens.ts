// OAuth access tokens: the client credentials and the authorization code grant (RFC 6749, sections
// 2.3.1, 4.1.3, 4.4, 5) and the reading of Bearer headers (RFC 6750). There is no page where a user
// consents: one fixed code stands for a user who has consented. A token is opaque to clients and
// carries its own proof (an HMAC under a key of this emulator), so none is stored. Where a token
// lasts for a number of requests, its requests are counted. The route of the token endpoint is here
// too.

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import {
  jsonResponse,
  type Route,
  repeatedName,
  type TokenClaims,
  type TokenRefusal,
} from './http/route'
import { schemaRef } from './openapi/schemas'
import schemas from './token-schemas.json'

export interface TokenIssuerOptions {
  readonly clientId: string
  readonly clientSecret: string
  /** The scopes that an application may request. A request without a scope gets the first one. */
  readonly scopes: readonly string[]
  /** The code of the authorization code grant. It can be used repeatedly. */
  readonly authorizationCode: string
  /** The scopes to which the user behind the code has consented. */
  readonly userScopes: readonly string[]
  readonly tokenLifetimeSeconds: number
  /** The number of requests that a token lasts. Undefined for no limit. */
  readonly tokenRequests?: number | undefined
  readonly now: () => Date
}

/** The error codes of RFC 6749, section 5.2, that these grants can meet. */
type TokenErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'unsupported_grant_type'
  | 'invalid_scope'

/** The longest piece of a request that a description repeats. */
const ECHO_CHARS = 80

/** The largest number of counted tokens. Past it, the oldest one starts from zero. */
const COUNTED_TOKENS = 10_000

const NO_STORE = { 'cache-control': 'no-store', pragma: 'no-cache' }

export class TokenIssuer {
  readonly #options: TokenIssuerOptions
  readonly #key = randomBytes(32)
  readonly #used = new Map<string, number>()

  constructor(options: TokenIssuerOptions) {
    this.#options = options
  }

  /** Answers a request to the token endpoint. */
  answer(headers: Headers, body: string): Response {
    const form = readForm(headers, body)
    if (typeof form === 'string') return refusal('invalid_request', form)
    const client = this.#checkClient(headers, form)
    if (client !== undefined) return client
    const grant = form.get('grant_type')
    if (grant === 'client_credentials') return this.#answerApplication(form)
    if (grant === 'authorization_code') return this.#answerUser(form)
    if (grant === null) return refusal('invalid_request', 'grant_type is missing')
    return refusal(
      'unsupported_grant_type',
      'grant_type must be client_credentials or authorization_code',
    )
  }

  /**
   * Reads `Authorization: Bearer …`, and counts a request of this token. Returns undefined without
   * a valid token.
   */
  read(authorization: string | null): TokenClaims | undefined {
    const token = /^Bearer ([\w-]+\.[\w-]+)$/i.exec(authorization ?? '')?.[1]
    if (token === undefined) return undefined
    const [payload, proof] = token.split('.') as [string, string]
    if (!equalText(proof, this.#prove(payload))) return undefined
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as TokenClaims
    const lasts = claims.expiresMs > this.#options.now().getTime() && !this.#isUsedUp(token)
    return lasts ? claims : undefined
  }

  #isUsedUp(token: string): boolean {
    const { tokenRequests } = this.#options
    if (tokenRequests === undefined) return false
    const before = this.#used.get(token) ?? 0
    this.#used.set(token, before + 1)
    if (this.#used.size > COUNTED_TOKENS) this.#used.delete(this.#used.keys().next().value!)
    return before >= tokenRequests
  }

  #answerApplication(form: URLSearchParams): Response {
    const known = this.#options.scopes
    const asked = form
      .get('scope')
      ?.split(' ')
      .filter(scope => scope !== '')
    const unknown = asked?.filter(scope => !known.includes(scope)) ?? []
    const hint = `the scopes are ${known.join(' ')}`
    if (unknown.length > 0)
      return refusal(
        'invalid_scope',
        `unknown scope ${unknown.join(' ').slice(0, ECHO_CHARS)}: ${hint}`,
      )
    if (asked?.length === 0) return refusal('invalid_scope', `scope is empty: ${hint}`)
    return this.#grant('application', asked ?? known.slice(0, 1))
  }

  /**
   * The standard requires the address to which the code was sent. The emulator does not compare it,
   * because it never sent a code.
   */
  #answerUser(form: URLSearchParams): Response {
    const code = form.get('code')
    if (code === null || form.get('redirect_uri') === null)
      return refusal('invalid_request', 'code or redirect_uri is missing')
    if (!equalText(code, this.#options.authorizationCode))
      return refusal('invalid_grant', 'the code was not given to anybody')
    return this.#grant('user', this.#options.userScopes)
  }

  #checkClient(headers: Headers, form: URLSearchParams): Response | undefined {
    const authorization = headers.get('authorization')
    const inBody = form.has('client_id') || form.has('client_secret')
    if (authorization !== null && inBody)
      return refusal('invalid_request', 'the client is named in the header and in the body')
    const [id, secret] =
      authorization === null
        ? [form.get('client_id') ?? '', form.get('client_secret') ?? '']
        : readBasic(authorization)
    const known =
      equalText(id, this.#options.clientId) && equalText(secret, this.#options.clientSecret)
    return known
      ? undefined
      : refusal('invalid_client', 'the client identifier or its secret is not known')
  }

  #grant(grant: TokenClaims['grant'], scopes: readonly string[]): Response {
    const { tokenLifetimeSeconds, now } = this.#options
    const claims: TokenClaims = {
      grant,
      scopes,
      expiresMs: now().getTime() + tokenLifetimeSeconds * 1000,
    }
    const payload = Buffer.from(
      JSON.stringify({ ...claims, nonce: randomBytes(6).toString('base64url') }),
    ).toString('base64url')
    const body = {
      access_token: `${payload}.${this.#prove(payload)}`,
      token_type: 'Bearer',
      expires_in: tokenLifetimeSeconds,
      scope: scopes.join(' '),
    }
    return Response.json(body, { headers: NO_STORE })
  }

  #prove(payload: string): string {
    return createHmac('sha256', this.#key).update(payload).digest('base64url')
  }
}

/** The challenge (RFC 6750, section 3). For a request without a token it has no error. */
export function challenge(refusal: TokenRefusal, authorization: string | null): string {
  return authorization === null ? 'Bearer' : `Bearer error="${refusal}"`
}

/**
 * An error of RFC 6749, section 5.2. Its description has no character that the section excludes.
 */
function refusal(error: TokenErrorCode, description: string): Response {
  const body = { error, error_description: description.replaceAll(/[^ !#-[\]-~]/g, '?') }
  if (error !== 'invalid_client') return Response.json(body, { status: 400, headers: NO_STORE })
  return Response.json(body, {
    status: 401,
    headers: { ...NO_STORE, 'www-authenticate': 'Basic realm="token"' },
  })
}

/** Returns the form in the body, or its error. */
function readForm(headers: Headers, body: string): URLSearchParams | string {
  const isForm = /^application\/x-www-form-urlencoded\s*(;|$)/i.test(
    headers.get('content-type') ?? '',
  )
  if (!isForm) return 'the body is not application/x-www-form-urlencoded'
  const form = new URLSearchParams(body)
  const repeated = repeatedName(form)
  return repeated === undefined ? form : `${repeated.slice(0, ECHO_CHARS)} comes more than once`
}

/** The two parts are form-encoded before they are joined (RFC 6749, section 2.3.1). */
function readBasic(authorization: string): [id: string, secret: string] {
  const encoded = /^Basic ([A-Za-z0-9+/=]+)$/i.exec(authorization)?.[1]
  const text = Buffer.from(encoded ?? '', 'base64').toString('utf8')
  const colon = text.indexOf(':')
  return colon < 0
    ? ['', '']
    : [formDecode(text.slice(0, colon)), formDecode(text.slice(colon + 1))]
}

function formDecode(text: string): string {
  return new URLSearchParams(`v=${text.replaceAll('&', '%26')}`).get('v') ?? ''
}

function equalText(a: string, b: string): boolean {
  const left = Buffer.from(a)
  const right = Buffer.from(b)
  return left.length === right.length && timingSafeEqual(left, right)
}

export function tokenRoute(tokens: TokenIssuer, path: string): Route {
  return {
    method: 'post',
    path,
    operationId: 'getToken',
    tag: 'tokens',
    summary: 'An access token, for client credentials or an authorization code',
    admissions: [],
    parameters: [],
    body: { mediaType: 'application/x-www-form-urlencoded', schema: schemas.form },
    responses: {
      200: jsonResponse('The token.', schemaRef('TokenResponse')),
      400: jsonResponse('The request is refused.', schemas.refusal),
      401: {
        ...jsonResponse('The client is not known.', schemas.refusal),
        headers: { 'WWW-Authenticate': { description: 'The challenge.' } },
      },
    },
    answer: ({ request, body }) => tokens.answer(request.headers, body),
  }
}
