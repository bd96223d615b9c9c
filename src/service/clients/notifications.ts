// The client of notifications: it creates subscriptions (signing-keys-and-subscriptions.md, section
// 2.3).

import { is, type OptionTable, readOptions } from '../../engine/index'
import { sameOriginUrl } from '../http/http-transport'
import { decodedSegment } from '../identifiers'
import type { SubscriptionPayload, SubscriptionRequest } from '../json/bodies'
import { type JsonAnswer, type JsonRequest, responseInvalid } from '../json/json-client'
import type { TokenSource } from '../tokens/authorized-transport'
import type { RequestChecks } from './request-checks'
import { CALL_OPTIONS, type CallOptions, type ServiceCore } from './service-core'

const REQUEST = {
  topicId: is.any,
  status: is.any,
  destinationId: is.any,
  payload: checkedPayload,
} satisfies OptionTable<SubscriptionRequest>
const PAYLOAD = {
  deliveryProtocol: is.any,
  format: is.any,
  schemaVersion: is.any,
} satisfies OptionTable<SubscriptionPayload>

const OPTIONS = {
  ...CALL_OPTIONS,
  user: [is.callback],
  scopes: [is.texts, []],
} satisfies OptionTable<SubscriptionOptions>

export interface CreatedSubscription {
  /** The identifier of the new subscription. */
  readonly subscriptionId: string
  /** The address of the subscription. */
  readonly location: string
}

export interface SubscriptionOptions extends CallOptions {
  /**
   * The source of a user's token (authorization-code flow). The subscription then belongs to that
   * user. Default: the token of the application, which then owns the subscription.
   */
  readonly user?: TokenSource
  /**
   * The scopes that the topic needs beside that of the operation, after `{scopeBase}/`, such as
   * `buy.item.feed`. Default: none.
   */
  readonly scopes?: readonly string[]
}

export type Notifications = ReturnType<typeof notificationsOf>

export function notificationsOf(core: ServiceCore) {
  return {
    /**
     * Creates a subscription. A request whose answer is lost is not repeated, because the service
     * may have acted on it. Throws REQUEST_INVALID before anything is sent; HTTP_STATUS, with
     * `errorId` 195012 where the subscription exists already; and RESPONSE_INVALID or
     * HTTP_ORIGIN_REFUSED where it was created and the answer has no valid address.
     */
    async createSubscription(
      subscription: SubscriptionRequest,
      given: SubscriptionOptions = {},
    ): Promise<CreatedSubscription> {
      const { user, scopes, signal } = readOptions(given, OPTIONS)
      readOptions(subscription, REQUEST, 'subscription', '')
      check(core.checks('createSubscription'), subscription)
      const request = {
        ...core.request('createSubscription', {}, signal && { signal }, { user, scopes }),
        body: subscription,
      }
      return core.json.send(request, answer => created(answer, request))
    },
  }
}

/** What is no object is for the checks of the request to refuse. */
function checkedPayload(option: string, payload: SubscriptionPayload): SubscriptionPayload {
  if (typeof payload === 'object' && payload !== null) readOptions(payload, PAYLOAD, option)
  return payload
}

/** Checks that the fields are there. The service decides about topics, versions and formats. */
function check(
  checks: RequestChecks,
  { topicId, status, destinationId, payload }: SubscriptionRequest,
): void {
  checks.text('topicId', topicId)
  checks.oneOf('status', status, ['ENABLED', 'DISABLED'])
  checks.text('destinationId', destinationId)
  checks.text('payload.deliveryProtocol', payload?.deliveryProtocol)
  checks.text('payload.format', payload?.format)
  checks.text('payload.schemaVersion', payload?.schemaVersion)
}

function created(answer: JsonAnswer, request: JsonRequest): CreatedSubscription {
  const invalid = (reason: string) =>
    responseInvalid(request, 'Location', `${reason}; the subscription was created`)
  const location = answer.header('location')
  if (location === undefined) throw invalid('the header is missing')
  const url = sameOriginUrl(request.url, location)
  const subscriptionId = decodedSegment(url.pathname.split('/').at(-1) ?? '')
  if (subscriptionId === '') throw invalid('it names no subscription')
  return { subscriptionId, location: url.href }
}
