// The parts of the service, the routes of all of them, and the path of each operation from the root
// of the service: the twelve operations of the profile, the token endpoint, and the operations that
// bring subscriptions through their states (signing-keys-and-subscriptions.md, section 2.4).

import {
  OPERATIONS,
  type OperationName,
  type ServiceProfile,
  USER_SUBSCRIPTION_SCOPE,
} from '../service/index'
import { catalogRoutes } from './catalog/catalog-routes'
import type { EmulatorSettings } from './emulator-options'
import { feedRoutes } from './feeds/feed-service'
import type { FileCache } from './feeds/file-cache'
import { FileResponder } from './feeds/file-responder'
import { notificationPart } from './notifications/notification-routes'
import { documentRoute } from './openapi/document'
import { keyRoute, SigningKeys } from './signing-keys'
import { TokenIssuer, tokenRoute } from './tokens'

/** What the parts of the service share. */
export interface ServiceContext extends EmulatorSettings {
  readonly files: FileResponder
  readonly paths: ServicePaths
}

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

/** Paths relative to the base path of the notifications. */
const COMPANIONS = {
  getSubscription: '/subscription/{subscription_id}',
  enableSubscription: '/subscription/{subscription_id}/enable',
  getTopics: '/topic',
  getTopic: '/topic/{topic_id}',
  getDestinations: '/destination',
  getDestination: '/destination/{destination_id}',
} as const

/** Paths with their variables in braces. */
export type ServicePaths = Readonly<
  Record<OperationName | keyof typeof COMPANIONS | 'getToken', string>
>

/** Returns the paths of a profile. It ignores the hosts of the addresses. */
export function servicePaths(profile: ServiceProfile): ServicePaths {
  const operations = Object.entries(OPERATIONS).map(([name, { base }]) => [
    name,
    pathOf(profile[base]) + profile.paths[name as OperationName],
  ])
  const companions = Object.entries(COMPANIONS).map(([name, path]) => [
    name,
    pathOf(profile.notificationsBaseUrl) + path,
  ])
  return Object.fromEntries([
    ...operations,
    ...companions,
    ['getToken', pathOf(profile.tokenUrl)],
  ]) as ServicePaths
}

function pathOf(address: string): string {
  return new URL(address).pathname.replace(/\/$/, '')
}
