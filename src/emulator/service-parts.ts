// The parts of the service, and the routes of all of them.

import { USER_SUBSCRIPTION_SCOPE } from '../service/index'
import { catalogPart } from './catalog/catalog-part'
import type { EmulatorSettings } from './emulator-options'
import { feedRoutes } from './feeds/feed-routes'
import { FeedService } from './feeds/feed-service'
import type { FileCache } from './feeds/file-cache'
import { FileResponder } from './feeds/file-responder'
import type { Route } from './http/route'
import { keyRoutes } from './keys/key-routes'
import { SigningKeys } from './keys/signing-keys'
import { notificationPart } from './notifications/notification-routes'
import type { Destination, Topic } from './notifications/topics'
import { documentRoute } from './openapi/document'
import { type ServicePaths, servicePaths } from './service-paths'
import { tokenRoute } from './tokens/token-route'
import { TokenIssuer } from './tokens/tokens'

export interface ServiceParts {
  readonly routes: readonly Route[]
  readonly paths: ServicePaths
  readonly tokens: TokenIssuer
  readonly signingKeyIds: readonly string[]
  readonly topics: readonly Topic[]
  readonly destinations: readonly Destination[]
}

/** @throws FeedError OPTION_INVALID */
export function serviceParts(settings: EmulatorSettings, cache: FileCache): ServiceParts {
  const { world, profile, headerForm, wrapErrors, keyTokenErrorStatus } = settings
  const { scopeBase } = profile
  const paths = servicePaths(profile)
  const tokens = tokensOf(settings)
  const files = new FileResponder({ ...settings, cache, maxRangeBytes: profile.maxRangeBytes })
  const feeds = new FeedService({ ...settings, files })
  const keys = new SigningKeys(world.options.seed, settings.signingKeys)
  const { routes: notificationRoutes, ...notifications } = notificationPart(
    { ...settings, paths },
    settings.notifications,
  )
  const operations = [
    tokenRoute(tokens, paths),
    ...catalogPart({ ...settings, files, paths }, settings.catalog),
    ...feedRoutes({ feeds, paths, profile, headerForm }),
    ...keyRoutes({ keys, paths, profile, tokenErrorStatus: keyTokenErrorStatus }),
    ...notificationRoutes,
  ]
  const description = documentRoute({
    routes: operations,
    scopeBase,
    tokenPath: paths.getToken,
    wrapErrors,
  })
  return {
    routes: [description, ...operations],
    paths,
    tokens,
    signingKeyIds: keys.ids,
    ...notifications,
  }
}

function tokensOf({
  profile,
  tokenLifetimeSeconds,
  tokenRequests,
  ...settings
}: EmulatorSettings): TokenIssuer {
  const inFull = (scopes: readonly string[]) =>
    [...new Set(scopes)].map(scope => `${profile.scopeBase}/${scope}`)
  return new TokenIssuer({
    ...settings,
    scopes: inFull(Object.values(profile.scopes)),
    userScopes: inFull([profile.scopes.createSubscription, USER_SUBSCRIPTION_SCOPE]),
    lifetimeSeconds: tokenLifetimeSeconds,
    requests: tokenRequests,
  })
}
