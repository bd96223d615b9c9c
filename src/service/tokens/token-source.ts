// The interface to the source of access tokens. All flows of OAuth 2.0 implement it.

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

/** The credentials of the client-credentials flow. */
export interface ClientCredentials {
  readonly clientId: string
  readonly clientSecret: string
}
