// The topics that can be subscribed to, and the destinations that notifications can be delivered to: seed data
// (identifiers from service-notes.md, "Keys and notifications"; shapes not shown in document 3).

import { createHash } from 'node:crypto'

export type SubscriptionStatus = 'ENABLED' | 'DISABLED'

export interface SupportedPayload {
  readonly deliveryProtocol: 'HTTPS'
  readonly format: readonly string[]
  readonly schemaVersion: string
  readonly deprecated: boolean
}

export interface Topic {
  readonly topicId: string
  readonly description: string
  /** Whose subscriptions it takes: an application's, or a user's. */
  readonly context: 'APPLICATION' | 'USER'
  /** Scopes that the token must have beside the one that opens the operation, without their base. */
  readonly scopes: readonly string[]
  readonly supportedPayloads: readonly SupportedPayload[]
}

export interface Destination {
  readonly destinationId: string
  readonly name: string
  readonly status: SubscriptionStatus
  readonly deliveryConfig: { readonly endpoint: string }
}

const version = (schemaVersion: string, deprecated = false): SupportedPayload => ({
  deliveryProtocol: 'HTTPS',
  format: ['JSON'],
  schemaVersion,
  deprecated,
})

export const DEFAULT_TOPICS: readonly Topic[] = [
  {
    topicId: 'MARKETPLACE_ACCOUNT_DELETION',
    description: 'A user had the account deleted.',
    context: 'APPLICATION',
    scopes: [],
    supportedPayloads: [version('1.0')],
  },
  {
    topicId: 'AUTHORIZATION_REVOCATION',
    description: 'A user revoked the consent given to the application.',
    context: 'APPLICATION',
    scopes: [],
    supportedPayloads: [version('1.0')],
  },
  {
    topicId: 'ITEM_AVAILABILITY',
    description: 'The quantity of a user’s item changed.',
    context: 'USER',
    scopes: [],
    supportedPayloads: [version('1.0')],
  },
  {
    topicId: 'ITEM_PRICE_REVISION',
    description: 'The price of a user’s item changed.',
    context: 'USER',
    scopes: [],
    supportedPayloads: [version('1.0')],
  },
  {
    topicId: 'PRIORITY_LISTING_REVISION',
    description: 'An item was added to or removed from a campaign.',
    context: 'APPLICATION',
    scopes: ['buy.item.feed'],
    supportedPayloads: [version('1.0', true), version('1.1')],
  },
]

/** One destination that is enabled and one that is not. */
export function defaultDestinations(worldSeed: number): readonly Destination[] {
  return (['ENABLED', 'DISABLED'] as const).map(status => ({
    destinationId: notificationId(`destination ${status}`, worldSeed),
    name: `The ${status.toLowerCase()} destination`,
    status,
    deliveryConfig: { endpoint: `https://receiver.example/${status.toLowerCase()}` },
  }))
}

/** The same in every process. */
export function notificationId(what: string, worldSeed: number): string {
  return createHash('sha256').update(`${what} ${worldSeed}`).digest('hex').slice(0, 24)
}
