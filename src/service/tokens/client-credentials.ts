// The tokens of the client-credentials flow. There is one for each scope. It is renewed before it
// expires, by one request that serves all waiting callers.

import type { Secrets } from '../../engine/index'
import {
  askedWaitMs,
  type DiagnosticsMessages,
  type FeedError,
  ofRun,
  tokenTopic,
} from '../../engine/index'
import type { HttpTransport } from '../http/http-transport'
import type { RequestSettings } from '../http/request-settings'
import type { TokenNeed } from './authorized-transport'
import type { ClientCredentials } from './token-grant'

export interface CredentialTokensOptions {
  readonly tokenUrl: string
  readonly credentials: ClientCredentials
  readonly transport: HttpTransport
  readonly secrets: Secrets
  readonly settings: RequestSettings
  /** Fires when the service is closed, and ends renewals with its reason. */
  readonly closed: AbortSignal
}

interface HeldToken {
  readonly token: string
  /** The time of its renewal, before it expires. */
  readonly renewAtMs: number
  readonly expiresAtMs: number
}

type RenewalReason = DiagnosticsMessages['feedmill:token']['reason']

/** How long before its expiry a token is renewed; a tenth of its lifetime where that is less. */
const RENEW_BEFORE_MS = 30_000

/**
 * Returns a token source. It ignores the signal of the caller, because one renewal serves all
 * waiting callers and has its own time limit. A grant that fails is repeated by the requests that
 * wait for it. Where a renewal fails before the old token expires, the old token stays in use.
 */
export function credentialTokens(
  options: CredentialTokensOptions,
): (need: TokenNeed) => Promise<string> {
  const { credentials, secrets, settings } = options
  const { now, retry } = settings
  const tokens = new Map<string, HeldToken>()
  const renewals = new Map<string, Promise<string>>()
  secrets.rememberForGood(credentials.clientSecret)
  secrets.rememberForGood(basicSecret(credentials))
  const renew = async (scope: string, reason: RenewalReason) => {
    try {
      const { token, lifetimeSeconds } = await grant(options, scope)
      secrets.remember(token)
      const lifetime = lifetimeSeconds === undefined ? {} : { lifetimeSeconds }
      if (tokenTopic.hasSubscribers) tokenTopic.publish({ ...ofRun(), scope, reason, ...lifetime })
      const lifetimeMs = (lifetimeSeconds ?? Number.POSITIVE_INFINITY) * 1000
      const expiresAtMs = now() + lifetimeMs
      const renewAtMs = expiresAtMs - Math.min(RENEW_BEFORE_MS, lifetimeMs / 10)
      tokens.set(scope, { token, expiresAtMs, renewAtMs })
      return token
    } finally {
      renewals.delete(scope)
    }
  }
  // The endpoint is not asked again before the time for which it asks to wait.
  const keep = (scope: string, held: HeldToken, error: FeedError) => {
    const waiting = { ...held, renewAtMs: now() + askedWaitMs(error, retry) }
    if (tokens.get(scope) === held) tokens.set(scope, waiting)
    return held.token
  }
  return async ({ scope, refused }) => {
    const nowMs = now()
    const held = tokens.get(scope)
    const isGood = held !== undefined && held.token !== refused && held.expiresAtMs > nowMs
    if (isGood && held.renewAtMs > nowMs) return held.token
    const renewing = renewals.get(scope) ?? renew(scope, reasonOf(held, refused))
    renewals.set(scope, renewing)
    return isGood ? renewing.catch(error => keep(scope, held, error)) : renewing
  }
}

async function grant(
  { tokenUrl, transport, credentials, settings, closed }: CredentialTokensOptions,
  scope: string,
) {
  // The grant's package is loaded with the first token: most imports never ask for one.
  const { grantToken } = await import('./token-grant')
  const limits = settings.bodyLimits(tokenUrl, closed)
  return grantToken({ tokenUrl, transport, limits, now: settings.now, ...credentials }, scope)
}

function reasonOf(held: HeldToken | undefined, refused: string | undefined): RenewalReason {
  if (held === undefined) return 'first'
  return held.token === refused ? 'refused' : 'expiring'
}

/** The credentials in the form in which they are sent (RFC 6749, 2.3.1). */
function basicSecret({ clientId, clientSecret }: ClientCredentials): string {
  const encode = (text: string) => new URLSearchParams({ v: text }).toString().slice(2)
  return Buffer.from(`${encode(clientId)}:${encode(clientSecret)}`).toString('base64')
}
