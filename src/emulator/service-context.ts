// What the parts of the service share: its settings, its files, and the path of each operation from
// the root of the service: the twelve operations of the profile, the token endpoint, and the
// operations that bring subscriptions through their states (signing-keys-and-subscriptions.md,
// section 2.4).

import { OPERATIONS, type OperationName, type ServiceProfile } from '../service/index'
import type { EmulatorSettings } from './emulator-options'
import type { FileResponder } from './feeds/file-responder'

export interface ServiceContext extends EmulatorSettings {
  readonly files: FileResponder
  readonly paths: ServicePaths
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
