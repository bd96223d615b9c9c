// The topics that can be subscribed to, and the destinations that notifications can be delivered
// to: seed data (identifiers from service-notes.md, section 8; no interface states their shapes).

import { createHash } from 'node:crypto'
import topics from './topics.json'

export type SubscriptionStatus = 'ENABLED' | 'DISABLED'

export interface SupportedPayload {
  /** How the payload is delivered. */
  readonly deliveryProtocol: 'HTTPS'
  /** The formats in which the payload is sent. */
  readonly format: readonly string[]
  /** The version of the payload's schema. */
  readonly schemaVersion: string
  /** True for a version that the service will remove. */
  readonly deprecated: boolean
}

export interface Topic {
  /** The identifier of the topic. */
  readonly topicId: string
  /** The text that the service shows for the topic. */
  readonly description: string
  /** Whether applications or users subscribe to it. */
  readonly context: 'APPLICATION' | 'USER'
  /** Further scopes that the token must have, without their base. */
  readonly scopes: readonly string[]
  /** The payloads that a subscription may ask for. */
  readonly supportedPayloads: readonly SupportedPayload[]
}

export interface Destination {
  /** The identifier of the destination. */
  readonly destinationId: string
  /** The name of the destination. */
  readonly name: string
  /** Whether the destination takes notifications. */
  readonly status: SubscriptionStatus
  /** Where notifications are sent. */
  readonly deliveryConfig: { readonly endpoint: string }
}

export const TOPICS = topics as readonly Topic[]

/** Returns one destination that is enabled and one that is not. */
export function destinationsOf(worldSeed: number): readonly Destination[] {
  return (['ENABLED', 'DISABLED'] as const).map(status => ({
    destinationId: notificationId(`destination ${status}`, worldSeed),
    name: `The ${status.toLowerCase()} destination`,
    status,
    deliveryConfig: { endpoint: `https://receiver.example/${status.toLowerCase()}` },
  }))
}

/** Returns an identifier that is the same in every process. */
export function notificationId(what: string, worldSeed: number): string {
  return createHash('sha256').update(`${what} ${worldSeed}`).digest('hex').slice(0, 24)
}
