// The service as one value: its parts, over one transport, one set of limits and one set of tokens.

import { rangeSettings } from '../stages/range-settings'
import { BoundedTransport } from './bounded-transport'
import { type Catalog, catalogOf } from './catalog'
import { CredentialTokens } from './client-credentials'
import type { RangeTuning } from './feed-download'
import { type Feeds, feedsOf } from './feeds'
import type { HttpTransport } from './http-transport'
import { type Keys, keysOf } from './keys'
import { NodeTransport } from './node-transport'
import { type Notifications, notificationsOf } from './notifications'
import type { ServiceProfile } from './profile'
import type { CheckMode } from './request-checks'
import { type RequestOptions, requestSettings } from './request-settings'
import { Secrets } from './secrets'
import { ServiceCore } from './service-core'
import type { ClientCredentials, TokenSource } from './token-source'

export interface FeedServiceOptions extends RequestOptions {
  /** Default: a NodeTransport of the service's own. */
  readonly transport?: HttpTransport
  /** What is checked before a request is sent. Default `all`. */
  readonly checks?: CheckMode
  /** How files are fetched, unless a reading says otherwise. */
  readonly ranges?: RangeTuning
}

export interface FeedService {
  readonly profile: ServiceProfile
  /** Document 1. */
  readonly catalog: Catalog
  /** Document 2. */
  readonly feeds: Feeds
  /** Document 3, key management. */
  readonly keys: Keys
  /** Document 3, notifications. */
  readonly notifications: Notifications
  /** Ends a token request under way, and the connections unless the transport is the caller's. Downloads are ended by their readers. */
  close(): Promise<void>
}

/**
 * The clients of one service. `credentials` are those of the client-credentials flow, or a function that gives tokens.
 * Tokens and the client's secret are held in private fields and never shown: not by errors, not by inspection, not in JSON.
 * Throws OPTION_INVALID.
 */
export function createFeedService(
  profile: ServiceProfile,
  credentials: ClientCredentials | TokenSource,
  options: FeedServiceOptions = {},
): FeedService {
  const settings = requestSettings(options)
  const secrets = new Secrets()
  const own = options.transport === undefined ? new NodeTransport() : undefined
  const transport = new BoundedTransport(options.transport ?? (own as NodeTransport), settings)
  const granted =
    typeof credentials === 'function'
      ? undefined
      : new CredentialTokens({ tokenUrl: profile.tokenUrl, credentials, transport, secrets, settings })
  const tokens = granted?.source ?? (credentials as TokenSource)
  const { checks = 'all', ranges = {} } = options
  // Each download checks them again; a mistake in them is to show here.
  rangeSettings({ url: profile.baseUrl, transport, ...ranges })
  const core = new ServiceCore({ profile, transport, tokens, secrets, settings, checks, ranges })
  return {
    profile,
    catalog: catalogOf(core),
    feeds: feedsOf(core),
    keys: keysOf(core),
    notifications: notificationsOf(core),
    close: async () => {
      granted?.close()
      await own?.close()
    },
  }
}
