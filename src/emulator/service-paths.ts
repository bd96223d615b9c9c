// Where each operation is, from the root of the service: the twelve of the profile, and beside them
// the token endpoint and what a test needs to bring subscriptions through their states
// (signing-keys-and-subscriptions.md, section 2.4).

import { OPERATIONS, type OperationName } from '../service/operations'
import type { ServiceProfile } from '../service/profile'

/** Below the base of the notifications. */
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

/** The paths of a profile; of its addresses, only the paths count. */
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
