// The subscriptions of the calling application and their states (signing-keys-and-subscriptions.md,
// section 4): created ENABLED or DISABLED, DISABLED to ENABLED while the destination is enabled.
// There is one for each topic and schema version. The first failing check of a request gives the
// error (signing-keys-and-subscriptions.md, sections 3.2 and 7).

import type { Subscription } from '../../service/index'
import type { ErrorFamily, ErrorId } from '../http/error-family'
import { type Call, type Check, refusalOf, type TokenClaims } from '../http/route'
import type { ServiceContext } from '../service-context'
import { type Destination, notificationId, type Topic } from './topics'

type NotificationErrorId = ErrorId<'notifications'>

export interface SubscriptionsOptions extends ServiceContext {
  readonly topics: readonly Topic[]
  readonly destinations: readonly Destination[]
  readonly errors: ErrorFamily<NotificationErrorId>
}

export class Subscriptions {
  readonly #options: SubscriptionsOptions
  readonly #byId = new Map<string, Subscription>()

  constructor(options: SubscriptionsOptions) {
    this.#options = options
  }

  /** Answers 201 with the address of the new subscription, or the error of the request. */
  create({ request, body, caller }: Call): Response {
    const isJson = /^application\/json\s*(;|$)/i.test(request.headers.get('content-type') ?? '')
    const asked = isJson ? readSubscription(body) : undefined
    // A request without a body gets the error of a missing configuration.
    const refusal =
      asked === undefined ? 195003 : refusalOf(CHECKS, asked, this.#contextOf(asked, caller))
    if (refusal !== undefined) return this.#refuse(refusal, asked)
    const id = this.#store(asked as Complete<AskedSubscription>)
    const path = this.#options.paths.getSubscription.replace('{subscription_id}', id)
    return new Response(null, {
      status: 201,
      headers: { location: new URL(path, request.url).href },
    })
  }

  /** Answers 204 when the subscription is enabled, also when it was enabled before. */
  enable({ path }: Call): Response {
    const subscription = this.#byId.get(path.subscription_id ?? '')
    if (subscription === undefined) return notFound()
    const { destinations, errors } = this.#options
    const { destinationId, subscriptionId } = subscription
    const destination = destinations.find(known => known.destinationId === destinationId)
    if (destination?.status !== 'ENABLED')
      return errors.response(195015, { input: 'subscription_id', received: subscriptionId })
    this.#byId.set(subscriptionId, { ...subscription, status: 'ENABLED' })
    return new Response(null, { status: 204 })
  }

  read({ path }: Call): Response {
    const subscription = this.#byId.get(path.subscription_id ?? '')
    return subscription === undefined ? notFound() : Response.json(subscription)
  }

  #contextOf(asked: AskedSubscription, caller: Call['caller']): SubscriptionContext {
    const { topics, destinations, profile } = this.#options
    return {
      caller,
      scopeBase: profile.scopeBase,
      topic: topics.find(topic => topic.topicId === asked.topicId),
      destination: destinations.find(known => known.destinationId === asked.destinationId),
      exists: [...this.#byId.values()].some(
        ({ topicId, payload }) =>
          topicId === asked.topicId && payload.schemaVersion === asked.schemaVersion,
      ),
    }
  }

  #refuse(id: NotificationErrorId, asked: AskedSubscription | undefined): Response {
    const { errors } = this.#options
    const input = errors.rows[id].input
    const parts: Readonly<Record<string, unknown>> = { ...asked }
    return errors.response(id, { received: text(parts[input ?? '']) })
  }

  #store(asked: Complete<AskedSubscription>): string {
    const { topicId, destinationId, deliveryProtocol, format, schemaVersion } = asked
    const { now, world } = this.#options
    const what = `subscription ${topicId}/${schemaVersion}`
    const subscriptionId = notificationId(what, world.options.seed)
    this.#byId.set(subscriptionId, {
      subscriptionId,
      topicId,
      // Every other value has failed the checks.
      status: asked.status as Subscription['status'],
      destinationId,
      payload: { deliveryProtocol, format, schemaVersion },
      creationDate: now().toISOString(),
    })
    return subscriptionId
  }
}

/** The parts of a request that has passed every check. */
type Complete<T> = { [K in keyof T]: NonNullable<T[K]> }

/** The documents give no code for an unknown identifier in the path. */
export function notFound(): Response {
  return new Response(null, { status: 404 })
}

/** The parts of the body. Null stands for a part that is missing or has another type. */
type AskedSubscription = NonNullable<ReturnType<typeof readSubscription>>

interface SubscriptionContext {
  readonly caller: TokenClaims
  /** The beginning of the scopes of the caller. */
  readonly scopeBase: string
  readonly topic: Topic | undefined
  readonly destination: Destination | undefined
  /** True when the application has a subscription to this topic and schema version. */
  readonly exists: boolean
}

type SubscriptionCheck = Check<NotificationErrorId, AskedSubscription, SubscriptionContext>

/**
 * The checks look at the form of the request first, then at what it names, then at existing
 * subscriptions.
 */
const CHECKS: readonly SubscriptionCheck[] = [
  [195027, (_, { topic }) => topic === undefined],
  [195006, ({ status }) => status !== 'ENABLED' && status !== 'DISABLED'],
  [195007, (_, { destination }) => destination === undefined],
  [195003, ({ configured }) => !configured],
  [195010, ({ deliveryProtocol }) => deliveryProtocol !== 'HTTPS'],
  [195008, ({ schemaVersion }, { topic }) => payloadOf(topic!, schemaVersion) === undefined],
  [
    195009,
    ({ format, schemaVersion }, { topic }) =>
      !payloadOf(topic!, schemaVersion)!.format.includes(format ?? ''),
  ],
  [195011, (_, context) => !isAuthorized(context)],
  [195012, (_, { exists }) => exists],
  [
    195015,
    ({ status }, { destination }) => status === 'ENABLED' && destination!.status !== 'ENABLED',
  ],
]

/** Reads a body. Returns undefined unless it is a JSON object. */
function readSubscription(body: string) {
  const value = fieldsOf(parsed(body))
  if (value === undefined) return undefined
  const payload = fieldsOf(value.payload)
  return {
    /** False when the body has no payload object. */
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
