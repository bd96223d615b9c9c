// The parts of the service, and the routes of all of them.

import { USER_SUBSCRIPTION_SCOPE } from '../service/index'
import { catalogRoutes } from './catalog/catalog-routes'
import type { EmulatorSettings } from './emulator-options'
import { feedRoutes } from './feeds/feed-service'
import type { FileCache } from './feeds/file-cache'
import { FileResponder } from './feeds/file-responder'
import { notificationPart } from './notifications/notification-routes'
import { documentRoute } from './openapi/document'
import { type ServiceContext, servicePaths } from './service-context'
import { keyRoute, SigningKeys } from './signing-keys'
import { TokenIssuer, tokenRoute } from './tokens'

/** @throws FeedError OPTION_INVALID */
export function serviceParts(settings: EmulatorSettings, cache: FileCache) {
  const { world, profile } = settings
  const paths = servicePaths(profile)
  const tokens = tokensOf(settings)
  const files = new FileResponder({ ...settings, cache, maxRangeBytes: profile.maxRangeBytes })
  const keys = new SigningKeys(world.options.seed, world.start)
  const context: ServiceContext = { ...settings, files, paths }
  const { routes: notificationRoutes, ...notifications } = notificationPart(context)
  const operations = [
    tokenRoute(tokens, paths.getToken),
    ...catalogRoutes(context),
    ...feedRoutes(context),
    keyRoute(keys, context),
    ...notificationRoutes,
  ]
  return {
    routes: [documentRoute(operations, context), ...operations],
    paths,
    tokens,
    signingKeyIds: keys.ids,
    ...notifications,
  }
}

function tokensOf(settings: EmulatorSettings): TokenIssuer {
  const { scopes, scopeBase } = settings.profile
  const inFull = (names: readonly string[]) =>
    [...new Set(names)].map(name => `${scopeBase}/${name}`)
  return new TokenIssuer({
    ...settings,
    scopes: inFull(Object.values(scopes)),
    userScopes: inFull([scopes.createSubscription, USER_SUBSCRIPTION_SCOPE]),
  })
}
