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

export class CredentialTokens {
  readonly #options: CredentialTokensOptions
  readonly #held = new Map<string, HeldToken>()
  readonly #renewing = new Map<string, Promise<string>>()

  constructor(options: CredentialTokensOptions) {
    const { clientSecret } = options.credentials
    this.#options = options
    options.secrets.rememberForGood(clientSecret)
    options.secrets.rememberForGood(basicSecret(options.credentials))
  }

  /**
   * The token source. It ignores the signal of the caller, because one renewal serves all waiting
   * callers and has its own time limit. A grant that fails is repeated by the requests that wait
   * for it. Where a renewal fails before the old token expires, the old token stays in use.
   */
  readonly source = ({ scope, refused }: TokenNeed): Promise<string> => {
    const nowMs = this.#options.settings.now()
    const held = this.#held.get(scope)
    const isGood = held !== undefined && held.token !== refused && held.expiresAtMs > nowMs
    if (isGood && held.renewAtMs > nowMs) return Promise.resolve(held.token)
    const renewing = this.#renewing.get(scope) ?? this.#renew(scope, reasonOf(held, refused))
    this.#renewing.set(scope, renewing)
    return isGood ? renewing.catch(error => this.#keep(scope, held, error)) : renewing
  }

  /** The endpoint is not asked again before the time for which it asks to wait. */
  #keep(scope: string, held: HeldToken, error: FeedError): string {
    const { retry, now } = this.#options.settings
    const waiting = { ...held, renewAtMs: now() + askedWaitMs(error, retry) }
    if (this.#held.get(scope) === held) this.#held.set(scope, waiting)
    return held.token
  }

  async #renew(scope: string, reason: RenewalReason): Promise<string> {
    try {
      const { token, lifetimeSeconds } = await this.#grant(scope)
      const { secrets, settings } = this.#options
      secrets.remember(token)
      const lifetime = lifetimeSeconds === undefined ? {} : { lifetimeSeconds }
      if (tokenTopic.hasSubscribers) tokenTopic.publish({ ...ofRun(), scope, reason, ...lifetime })
      const lifetimeMs = (lifetimeSeconds ?? Number.POSITIVE_INFINITY) * 1000
      const expiresAtMs = settings.now() + lifetimeMs
      this.#held.set(scope, {
        token,
        expiresAtMs,
        renewAtMs: expiresAtMs - Math.min(RENEW_BEFORE_MS, lifetimeMs / 10),
      })
      return token
    } finally {
      this.#renewing.delete(scope)
    }
  }

  async #grant(scope: string) {
    // The grant's package is loaded with the first token: most imports never ask for one.
    const { grantToken } = await import('./token-grant')
    const { tokenUrl, transport, credentials, settings, closed } = this.#options
    const limits = settings.bodyLimits(tokenUrl, closed)
    const { now } = settings
    return grantToken({ tokenUrl, transport, limits, now, ...credentials }, scope)
  }
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
