// The routes of notifications: createSubscription (signing-keys-and-subscriptions.md, section 2.3),
// and the operations that bring a subscription through its states.

import { type OperationName, USER_SUBSCRIPTION_SCOPE } from '../../service/index'
import { documentedFamily, errorIds } from '../http/error-family'
import { jsonResponse, pathParameter, type ResponseDescription, type Route } from '../http/route'
import { schemaRef } from '../openapi/schemas'
import type { ServiceContext, ServicePaths } from '../service-context'
import { notFound, Subscriptions } from './subscriptions'
import { destinationsOf, TOPICS } from './topics'

export function notificationPart(service: ServiceContext) {
  const { world, profile, paths, conflictStatus } = service
  const destinations = destinationsOf(world.options.seed)
  const statuses = { 195003: conflictStatus, 195015: conflictStatus }
  const errors = documentedFamily('notifications', ['createSubscription'], {
    wrapped: true,
    statuses,
  })
  const subscriptions = new Subscriptions({ ...service, topics: TOPICS, destinations, errors })
  const admissions: Route['admissions'] = [
    { grant: 'application', scope: profile.scopes.createSubscription },
    { grant: 'user', scope: USER_SUBSCRIPTION_SCOPE },
  ]
  const open: OpenRoute = (operationId, rest) => ({
    path: paths[operationId],
    operationId,
    tag: 'notifications',
    admissions,
    errors: { family: errors, ids: [195000], internal: 195000 },
    ...rest,
  })
  const routes = [
    open('createSubscription', {
      method: 'post',
      summary: 'A new subscription to a topic',
      parameters: [],
      body: { mediaType: 'application/json', schema: schemaRef('SubscriptionRequest') },
      responses: {
        201: {
          description: 'Created.',
          headers: { Location: { description: 'The address of the subscription.' } },
        },
      },
      errors: {
        family: errors,
        ids: errorIds('createSubscription'),
        internal: 195000,
        denied: { insufficient_scope: { id: 195011, status: 403 } },
      },
      answer: call => subscriptions.create(call),
    }),
    open('enableSubscription', {
      method: 'post',
      summary: 'Enables a subscription that is disabled',
      parameters: [SUBSCRIPTION_ID],
      responses: { 204: { description: 'The subscription is enabled.' }, 404: NOT_FOUND },
      errors: { family: errors, ids: [195000, 195015], internal: 195000 },
      answer: call => subscriptions.enable(call),
    }),
    open('getSubscription', {
      method: 'get',
      summary: 'One subscription',
      parameters: [SUBSCRIPTION_ID],
      responses: {
        200: jsonResponse('The subscription.', schemaRef('Subscription')),
        404: NOT_FOUND,
      },
      answer: call => subscriptions.read(call),
    }),
    ...listRoutes(open, 'Topic', TOPICS),
    ...listRoutes(open, 'Destination', destinations),
  ]
  return { routes, topics: TOPICS, destinations }
}

type NotificationOperation = Exclude<
  keyof ServicePaths,
  Exclude<OperationName, 'createSubscription'> | 'getToken'
>

/** Makes a route with what all routes of notifications share. */
type OpenRoute = (
  operationId: NotificationOperation,
  rest: Omit<Route, 'path' | 'operationId' | 'tag' | 'admissions'>,
) => Route

/** The routes of a list in one page, and of an entry by its identifier. */
function listRoutes<What extends 'Topic' | 'Destination'>(
  open: OpenRoute,
  name: What,
  entries: readonly { readonly [K in `${Uncapitalize<What>}Id`]: string }[],
): readonly Route[] {
  const what = name.toLowerCase() as Uncapitalize<What>
  return [
    open(`get${name}s`, {
      method: 'get',
      summary: `All ${what}s`,
      parameters: [],
      responses: { 200: jsonResponse(`The ${what}s.`, schemaRef(`${name}s`)) },
      answer: () => Response.json({ total: entries.length, [`${what}s`]: entries }),
    }),
    open(`get${name}`, {
      method: 'get',
      summary: `One ${what}`,
      parameters: [pathParameter(`${what}_id`, `Identifier of the ${what}.`)],
      responses: { 200: jsonResponse(`The ${what}.`, schemaRef(name)), 404: NOT_FOUND },
      answer: ({ path }) => {
        const entry = entries.find(known => known[`${what}Id`] === path[`${what}_id`])
        return entry === undefined ? notFound() : Response.json(entry)
      },
    }),
  ]
}

const SUBSCRIPTION_ID = pathParameter('subscription_id', 'Identifier of the subscription.')
const NOT_FOUND: ResponseDescription = { description: 'Nothing has this identifier.' }
