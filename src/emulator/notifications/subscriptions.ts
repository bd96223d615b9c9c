// The subscriptions of the calling application and their states (signing-keys-and-subscriptions.md,
// section 4): created ENABLED or DISABLED, DISABLED to ENABLED while the destination is enabled.
// There is one for each topic and schema version.

import type { Subscription } from '../../service/index'
import type { ErrorFamily } from '../http/error-family'
import type { Call } from '../http/route'
import type { NotificationErrorId } from './notification-errors'
import {
  type AskedSubscription,
  readSubscription,
  type SubscriptionContext,
  subscriptionRefusal,
} from './subscription-checks'
import { type Destination, notificationId, type Topic } from './topics'

export interface SubscriptionsOptions {
  readonly topics: readonly Topic[]
  readonly destinations: readonly Destination[]
  readonly errors: ErrorFamily<NotificationErrorId>
  readonly now: () => Date
  readonly worldSeed: number
  readonly scopeBase: string
  /** The path of a subscription, with `{subscription_id}` for its identifier. */
  readonly subscriptionPath: string
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
    const refusal = subscriptionRefusal(asked, this.#contextOf(asked, caller))
    if (refusal !== undefined) return this.#refuse(refusal, asked)
    const id = this.#store(asked as Complete<AskedSubscription>)
    const path = this.#options.subscriptionPath.replace('{subscription_id}', id)
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
    const { destinationId } = subscription
    const ready = destinations.some(
      known => known.destinationId === destinationId && known.status === 'ENABLED',
    )
    if (!ready)
      return errors.response(195015, {
        input: 'subscription_id',
        received: subscription.subscriptionId,
      })
    this.#byId.set(subscription.subscriptionId, { ...subscription, status: 'ENABLED' })
    return new Response(null, { status: 204 })
  }

  read({ path }: Call): Response {
    const subscription = this.#byId.get(path.subscription_id ?? '')
    return subscription === undefined ? notFound() : Response.json(subscription)
  }

  #contextOf(asked: AskedSubscription | undefined, caller: Call['caller']): SubscriptionContext {
    const { topics, destinations, scopeBase } = this.#options
    return {
      caller,
      scopeBase,
      topic: topics.find(topic => topic.topicId === asked?.topicId),
      destination: destinations.find(
        destination => destination.destinationId === asked?.destinationId,
      ),
      exists: [...this.#byId.values()].some(known => {
        return (
          known.topicId === asked?.topicId && known.payload.schemaVersion === asked.schemaVersion
        )
      }),
    }
  }

  #refuse(id: NotificationErrorId, asked: AskedSubscription | undefined): Response {
    const { errors } = this.#options
    const input = errors.rows[id].input
    const received = asked === undefined || input === undefined ? null : partNamed(asked, input)
    return errors.response(id, { received })
  }

  #store({
    topicId,
    destinationId,
    deliveryProtocol,
    format,
    schemaVersion,
    ...asked
  }: Complete<AskedSubscription>): string {
    const { now, worldSeed } = this.#options
    const subscriptionId = notificationId(`subscription ${topicId}/${schemaVersion}`, worldSeed)
    const payload = { deliveryProtocol, format, schemaVersion }
    // Every other value has failed the checks.
    const status = asked.status as Subscription['status']
    const creationDate = now().toISOString()
    this.#byId.set(subscriptionId, {
      subscriptionId,
      topicId,
      status,
      destinationId,
      payload,
      creationDate,
    })
    return subscriptionId
  }
}

/** The parts of a request that has passed every check. */
type Complete<T> = { [K in keyof T]: NonNullable<T[K]> }

function partNamed(asked: AskedSubscription, input: string): string | null {
  const value = (asked as unknown as Readonly<Record<string, unknown>>)[input]
  return typeof value === 'string' ? value : null
}

/** The documents give no code for an unknown identifier in the path. */
export function notFound(): Response {
  return new Response(null, { status: 404 })
}
