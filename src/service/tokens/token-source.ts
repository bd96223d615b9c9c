// Where access tokens come from: the one interface behind which the flows of OAuth 2.0 stand.

/** A token that is needed. */
export interface TokenNeed {
  /** The full name of the scope. */
  readonly scope: string
  /** The token that the service has just refused with 401: another one is wanted. */
  readonly refused?: string
  /** Fires when nobody waits for the token any more. */
  readonly signal: AbortSignal
}

/**
 * Gives an access token. Called for every request, so it keeps what it has until it expires or is
 * refused. For the authorization-code flow this is the application's own function: it holds the
 * user's refresh token. What it throws ends the request as TOKEN_REFUSED; a FeedError stays itself,
 * and is tried again where it says that this may help.
 */
export type TokenSource = (need: TokenNeed) => string | Promise<string>

/** For the client-credentials flow. */
export interface ClientCredentials {
  readonly clientId: string
  readonly clientSecret: string
}
