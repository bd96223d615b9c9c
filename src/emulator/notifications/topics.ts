// The topics that can be subscribed to, and the destinations that notifications can be delivered
// to: seed data (identifiers from service-notes.md, section 8; no interface states their shapes).

import { createHash } from 'node:crypto'
import {
  arrayOf,
  choice,
  filledText,
  flag,
  knownOptions,
  type OptionNames,
  texts,
} from '../../engine/index'
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

const PAYLOAD_OPTIONS: OptionNames<SupportedPayload> = {
  deliveryProtocol: true,
  format: true,
  schemaVersion: true,
  deprecated: true,
}
const TOPIC_OPTIONS: OptionNames<Topic> = {
  topicId: true,
  description: true,
  context: true,
  scopes: true,
  supportedPayloads: true,
}
const DESTINATION_OPTIONS: OptionNames<Destination> = {
  destinationId: true,
  name: true,
  status: true,
  deliveryConfig: true,
}

/** @throws FeedError OPTION_INVALID */
export function checkTopic(topic: Topic): Topic {
  const { topicId, context, scopes, supportedPayloads } = knownOptions(
    topic,
    TOPIC_OPTIONS,
    'topics[]',
  )
  filledText('topicId', topicId)
  choice('context', context, ['APPLICATION', 'USER'])
  texts('scopes', scopes)
  for (const payload of arrayOf('supportedPayloads', supportedPayloads)) {
    const { deliveryProtocol, format, schemaVersion, deprecated } = knownOptions(
      payload,
      PAYLOAD_OPTIONS,
      'supportedPayloads[]',
    )
    choice('deliveryProtocol', deliveryProtocol, ['HTTPS'])
    texts('format', format)
    filledText('schemaVersion', schemaVersion)
    flag('deprecated', deprecated)
  }
  return topic
}

/** @throws FeedError OPTION_INVALID */
export function checkDestination(destination: Destination): Destination {
  const { destinationId, status, deliveryConfig } = knownOptions(
    destination,
    DESTINATION_OPTIONS,
    'destinations[]',
  )
  filledText('destinationId', destinationId)
  choice('status', status, ['ENABLED', 'DISABLED'])
  filledText(
    'endpoint',
    knownOptions(deliveryConfig, { endpoint: true }, 'deliveryConfig').endpoint,
  )
  return destination
}

export const DEFAULT_TOPICS = topics as readonly Topic[]

/** Returns one destination that is enabled and one that is not. */
export function defaultDestinations(worldSeed: number): readonly Destination[] {
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
