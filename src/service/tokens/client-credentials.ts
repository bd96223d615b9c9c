// The tokens of the client-credentials flow: one for each scope, renewed early, by one request
// however many wait for it.

import type { Secrets } from '../../codec/secrets'
import { FeedError } from '../../errors'
import type { HttpTransport } from '../http/http-transport'
import type { RequestSettings } from '../http/request-settings'
import type { GrantedToken } from './token-grant'
import type { ClientCredentials, TokenNeed } from './token-source'

export interface CredentialTokensOptions {
  readonly tokenUrl: string
  readonly credentials: ClientCredentials
  readonly transport: HttpTransport
  readonly secrets: Secrets
  readonly settings: RequestSettings
  /** Fires when the service is closed: a renewal under way ends with the signal's reason. */
  readonly closed: AbortSignal
}

interface HeldToken {
  readonly token: string
  /** When it is renewed: before it expires. */
  readonly renewAtMs: number
  readonly expiresAtMs: number
}

/** Renewed this long before the end, or a tenth of the lifetime where that is less. */
const RENEW_BEFORE_MS = 30_000

export class CredentialTokens {
  readonly #options: CredentialTokensOptions
  readonly #held = new Map<string, HeldToken>()
  readonly #renewing = new Map<string, Promise<string>>()

  /** Throws OPTION_INVALID. */
  constructor(options: CredentialTokensOptions) {
    const { clientId, clientSecret } = options.credentials
    for (const [option, value] of Object.entries({ clientId, clientSecret })) {
      if (typeof value === 'string' && value !== '') continue
      const expected = 'a text that is not empty'
      throw new FeedError('OPTION_INVALID', `${option} must be ${expected}`, {
        option,
        expected,
        received: typeof value,
      })
    }
    this.#options = options
    options.secrets.rememberForGood(clientSecret)
    options.secrets.rememberForGood(basicSecret(options.credentials))
  }

  /**
   * A token source. It ignores the asker's signal: the one renewal serves everybody who waits, and
   * has a limit of its own. A grant that fails is not repeated here: the requests that wait for it
   * repeat it, by their own policy. A renewal that fails before the end of the token it was to
   * replace leaves that one in use.
   */
  readonly source = ({ scope, refused }: TokenNeed): Promise<string> => {
    const nowMs = this.#options.settings.now()
    const held = this.#held.get(scope)
    const isGood = held !== undefined && held.token !== refused && held.expiresAtMs > nowMs
    if (isGood && held.renewAtMs > nowMs) return Promise.resolve(held.token)
    const renewing = this.#renewing.get(scope) ?? this.#renew(scope)
    this.#renewing.set(scope, renewing)
    return isGood ? renewing.catch(() => held.token) : renewing
  }

  async #renew(scope: string): Promise<string> {
    try {
      const { token, lifetimeSeconds } = await this.#grant(scope)
      const { secrets, settings } = this.#options
      secrets.remember(token)
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

  async #grant(scope: string): Promise<GrantedToken> {
    // The grant's package is loaded with the first token: most imports never ask for one.
    const { grantToken } = await import('./token-grant')
    const { tokenUrl, transport, credentials, settings, closed } = this.#options
    const limits = settings.bodyLimits(tokenUrl, closed)
    return grantToken({ tokenUrl, transport, limits, ...credentials }, scope)
  }
}

/** The form in which both go over the wire (RFC 6749, 2.3.1). */
function basicSecret({ clientId, clientSecret }: ClientCredentials): string {
  const encode = (text: string) => new URLSearchParams({ v: text }).toString().slice(2)
  return Buffer.from(`${encode(clientId)}:${encode(clientSecret)}`).toString('base64')
}
