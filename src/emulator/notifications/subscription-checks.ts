// The checks of a request for a subscription, as one table (signing-keys-and-subscriptions.md,
// sections 3.2 and 7): the first failing row gives the error. The checks look at the form of the
// request first, then at what it names, then at existing subscriptions.

import type { TokenClaims } from '../tokens/tokens'
import type { NotificationErrorId } from './notification-errors'
import type { Destination, Topic } from './topics'

/** The parts of the body. Null stands for a part that is missing or has another type. */
export interface AskedSubscription {
  /** False when the body has no payload object. */
  readonly configured: boolean
  readonly topicId: string | null
  readonly status: string | null
  readonly destinationId: string | null
  readonly deliveryProtocol: string | null
  readonly format: string | null
  readonly schemaVersion: string | null
}

export interface SubscriptionContext {
  readonly caller: TokenClaims
  /** The beginning of the scopes of the caller. */
  readonly scopeBase: string
  readonly topic: Topic | undefined
  readonly destination: Destination | undefined
  /** True when the application has a subscription to this topic and schema version. */
  readonly exists: boolean
}

interface Check {
  readonly code: NotificationErrorId
  refuses(asked: AskedSubscription, context: SubscriptionContext): boolean
}

const CHECKS: readonly Check[] = [
  { code: 195027, refuses: (_, { topic }) => topic === undefined },
  { code: 195006, refuses: ({ status }) => status !== 'ENABLED' && status !== 'DISABLED' },
  { code: 195007, refuses: (_, { destination }) => destination === undefined },
  { code: 195003, refuses: ({ configured }) => !configured },
  { code: 195010, refuses: ({ deliveryProtocol }) => deliveryProtocol !== 'HTTPS' },
  {
    code: 195008,
    refuses: ({ schemaVersion }, { topic }) => payloadOf(topic!, schemaVersion) === undefined,
  },
  {
    code: 195009,
    refuses: ({ format, schemaVersion }, { topic }) =>
      !payloadOf(topic!, schemaVersion)!.format.includes(format ?? ''),
  },
  { code: 195011, refuses: (_, context) => !isAuthorized(context) },
  { code: 195012, refuses: (_, { exists }) => exists },
  {
    code: 195015,
    refuses: ({ status }, { destination }) =>
      status === 'ENABLED' && destination!.status !== 'ENABLED',
  },
]

/**
 * Returns the error of the request. A request without a body gets the error of a missing
 * configuration.
 */
export function subscriptionRefusal(
  asked: AskedSubscription | undefined,
  context: SubscriptionContext,
): NotificationErrorId | undefined {
  return asked === undefined ? 195003 : CHECKS.find(check => check.refuses(asked, context))?.code
}

/** Reads a body. Returns undefined unless it is a JSON object. */
export function readSubscription(body: string): AskedSubscription | undefined {
  const value = fieldsOf(parsed(body))
  if (value === undefined) return undefined
  const payload = fieldsOf(value.payload)
  return {
    configured: payload !== undefined,
    topicId: text(value.topicId),
    status: text(value.status),
    destinationId: text(value.destinationId),
    deliveryProtocol: text(payload?.deliveryProtocol),
    format: text(payload?.format),
    schemaVersion: text(payload?.schemaVersion),
  }
}

function payloadOf(topic: Topic, schemaVersion: string | null) {
  return topic.supportedPayloads.find(payload => payload.schemaVersion === schemaVersion)
}

/**
 * A topic of a user takes the token of a user, and a topic of an application takes that of an
 * application. Both need the scopes of the topic.
 */
function isAuthorized({ caller, topic, scopeBase }: SubscriptionContext): boolean {
  const grant = topic!.context === 'USER' ? 'user' : 'application'
  return (
    caller.grant === grant &&
    topic!.scopes.every(scope => caller.scopes.includes(`${scopeBase}/${scope}`))
  )
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

function fieldsOf(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
