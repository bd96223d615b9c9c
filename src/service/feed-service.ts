// The clients of one service. They share a transport, the limits of requests, and the tokens.

import { setMaxListeners } from 'node:events'
import {
  FeedError,
  is,
  type OptionTable,
  optionInvalid,
  rangeSettings,
  readOptions,
  Secrets,
} from '../engine/index'
import { type Catalog, catalogOf } from './clients/catalog'
import type { RangeTuning } from './clients/feed-download'
import { type Feeds, feedsOf } from './clients/feeds'
import { type Keys, keysOf } from './clients/keys'
import { type Notifications, notificationsOf } from './clients/notifications'
import type { CheckMode } from './clients/request-checks'
import { ServiceCore, type ServiceCoreParts } from './clients/service-core'
import { BoundedTransport } from './http/bounded-transport'
import type { HttpTransport } from './http/http-transport'
import { NodeTransport } from './http/node-transport'
import { REQUESTS, type RequestOptions, requestSettings } from './http/request-settings'
import type { ServiceProfile } from './profile'
import type { TokenSource } from './tokens/authorized-transport'
import { credentialTokens } from './tokens/client-credentials'
import type { ClientCredentials } from './tokens/token-grant'

export interface FeedServiceOptions extends RequestOptions {
  /** Default: a NodeTransport that the service closes. */
  readonly transport?: HttpTransport
  /** The checks of parameters before a request is sent. Default `all`. */
  readonly checks?: CheckMode
  /**
   * The options of fetching files. The options of a single reading override them. Default: the
   * defaults of each option.
   */
  readonly ranges?: RangeTuning
}

const OPTIONS = {
  transport: [is.withMethods<HttpTransport>('send')],
  checks: [is.choice('all', 'forms', 'none'), 'all'],
  ranges: [is.anObject, {}],
  ...REQUESTS,
} satisfies OptionTable<FeedServiceOptions>

export interface FeedService {
  /** The addresses, names and limits of the service. */
  readonly profile: ServiceProfile
  /** The feed file catalog (feed-file-catalog.md, section 2). */
  readonly catalog: Catalog
  /** The four feeds (item-feeds.md, section 3). */
  readonly feeds: Feeds
  /** Key management (signing-keys-and-subscriptions.md, section 2.2). */
  readonly keys: Keys
  /** Notifications (signing-keys-and-subscriptions.md, section 2.3). */
  readonly notifications: Notifications
  /**
   * Aborts token requests that are under way, and closes the connections of the default transport.
   * The readers of downloads end these themselves.
   */
  close(): Promise<void>
  /**
   * The clock of date windows, token expiry and Retry-After dates, in milliseconds since 1970.
   * @internal
   */
  readonly now: () => number
  /**
   * Returns the same clients with another clock. They share credentials, transport and limits. They
   * request their own tokens, because the clock decides about expiry. Closing them does nothing.
   * @internal
   */
  withClock(now: () => number): FeedService
}

/**
 * Returns the clients of one service. `credentials` are those of the client-credentials flow, or a
 * function that gives tokens. Errors, inspection and JSON never show tokens or the client's secret.
 * @throws FeedError OPTION_INVALID
 * @example
 * ```ts
 * import { createFeedService, defineProfile } from 'feedmill/service'
 * // given: baseUrl, tokenUrl, scopeBase, credentials
 *
 * const service = createFeedService(defineProfile({ baseUrl, tokenUrl, scopeBase }), credentials)
 * const query = { marketplace: 'MKT_US', categoryId: '220', scope: 'ALL_ACTIVE' } as const
 * const rows = await service.feeds.getItemFeed(query).rows().take(2).toArray()
 * console.log(rows.length)
 * await service.close()
 * // => 2
 * ```
 */
export function createFeedService(
  profile: ServiceProfile,
  credentials: ClientCredentials | TokenSource,
  options: FeedServiceOptions = {},
): FeedService {
  if (typeof profile !== 'object' || profile === null || typeof profile.paths !== 'object')
    throw optionInvalid('profile', 'what defineProfile() gives', profile)
  const { transport: given, checks, ranges, ...requests } = readOptions(options, OPTIONS)
  if (typeof credentials === 'function') is.callback('credentials', credentials)
  else checkedCredentials(credentials)
  const settings = requestSettings(requests)
  const own = given === undefined ? new NodeTransport() : undefined
  const secrets = new Secrets()
  const inner = given ?? (own as NodeTransport)
  const transport = new BoundedTransport(inner, settings, secrets)
  rangeSettings({ url: profile.baseUrl, transport, ...ranges })
  const closed = new AbortController()
  setMaxListeners(0, closed.signal)
  const close = async () => {
    closed.abort(new FeedError('ABORTED', 'the service was closed', { stage: 'token' }))
    await own?.close()
  }
  const base = {
    profile,
    transport,
    credentials,
    secrets,
    settings,
    checks,
    ranges,
    closed: closed.signal,
  }
  return serviceOf(base, close)
}

/** Checks the credentials. Other fields are allowed, such as the address that a server prints. */
function checkedCredentials(credentials: ClientCredentials): void {
  if (typeof credentials !== 'object' || credentials === null) {
    throw optionInvalid(
      'credentials',
      'an object with clientId and clientSecret, or a function that gives tokens',
      credentials,
    )
  }
  is.secretText('clientId', credentials.clientId)
  is.secretText('clientSecret', credentials.clientSecret)
}

interface ServiceBase extends Omit<ServiceCoreParts, 'tokens'> {
  readonly credentials: ClientCredentials | TokenSource
  /** Fires when the service is closed. */
  readonly closed: AbortSignal
}

function serviceOf(base: ServiceBase, close: () => Promise<void>): FeedService {
  const { profile, credentials, settings } = base
  const tokens =
    typeof credentials === 'function'
      ? credentials
      : credentialTokens({ ...base, tokenUrl: profile.tokenUrl, credentials })
  const core = new ServiceCore({ ...base, tokens })
  return {
    profile,
    catalog: catalogOf(core),
    feeds: feedsOf(core),
    keys: keysOf(core),
    notifications: notificationsOf(core),
    close,
    now: settings.now,
    withClock: now => serviceOf({ ...base, settings: { ...settings, now } }, async () => {}),
  }
}
