// The shapes of the service's JSON bodies. The clients check bodies against them, and the emulated
// service describes its answers by them. bodies.ts explains the fields. Fields that a shape does
// not name are kept. This file is the adapter of zod. It uses zod/mini, which keeps bundles small:
// it has no messages in many languages, and functions in place of methods.

import * as z from 'zod/mini'
import type * as Bodies from './bodies'

export { z }

/** A check at run time that a JSON value is a `T`. */
export type JsonShape<T> = z.ZodMiniType<T>

const text = z.exactOptional(z.string())
const texts = z.exactOptional(z.array(z.string()))
const wholeNumber = z.exactOptional(z.int())

const timeDuration = z.looseObject({
  unit: text,
  value: z.int(),
}) satisfies JsonShape<Bodies.TimeDuration>

const constraint = z.looseObject({
  marketplaceIds: texts,
}) satisfies JsonShape<Bodies.Constraint>

const supportedSchema = z.looseObject({
  definition: text,
  deprecated: z.exactOptional(z.boolean()),
  formats: texts,
  schemaVersion: text,
}) satisfies JsonShape<Bodies.SupportedSchema>

const supportedFeed = z.looseObject({
  authorizationScopes: texts,
  constraint: z.exactOptional(constraint),
  feedScope: text,
  lookBack: z.exactOptional(timeDuration),
  status: text,
  supportedSchemas: z.exactOptional(z.array(supportedSchema)),
}) satisfies JsonShape<Bodies.SupportedFeed>

const feedType = z.looseObject({
  description: text,
  feedTypeId: z.string(),
  supportedFeeds: z.exactOptional(z.array(supportedFeed)),
}) satisfies JsonShape<Bodies.FeedType>

const feedTypeConstraint = z.looseObject({
  categoryIds: texts,
  marketplaceId: z.string(),
}) satisfies JsonShape<Bodies.FeedTypeConstraint>

const access = z.looseObject({
  feedType: z.string(),
  constraints: z.exactOptional(z.array(feedTypeConstraint)),
}) satisfies JsonShape<Bodies.Access>

const accessResponse = z.looseObject({
  accesses: z.array(access),
}) satisfies JsonShape<Bodies.AccessResponse>

const dimension = z.looseObject({
  dimensionKey: z.string(),
  values: texts,
}) satisfies JsonShape<Bodies.Dimension>

const fileMetadata = z.looseObject({
  access: text,
  dimensions: z.exactOptional(z.array(dimension)),
  feedDate: text,
  feedScope: text,
  feedTypeId: text,
  fileId: z.string(),
  format: text,
  marketplaceId: text,
  schemaVersion: text,
  size: z.exactOptional(z.number()),
  span: z.exactOptional(timeDuration),
}) satisfies JsonShape<Bodies.FileMetadata>

const pageFields = { href: text, limit: wholeNumber, next: text, total: wholeNumber }

const feedTypeSearch = z.looseObject({
  feedTypes: z.array(feedType),
  ...pageFields,
}) satisfies JsonShape<Bodies.FeedTypeSearchResponse>

const fileMetadataSearch = z.looseObject({
  fileMetadata: z.array(fileMetadata),
  ...pageFields,
}) satisfies JsonShape<Bodies.FileMetadataSearchResponse>

const errorParameter = z.looseObject({ name: z.string(), value: text })

/** One error, not wrapped in a list. `category` is REQUEST, BUSINESS or APPLICATION. */
const error = z.looseObject({
  category: text,
  domain: text,
  errorId: z.int(),
  subdomain: text,
  message: text,
  longMessage: text,
  inputRefIds: texts,
  outputRefIds: texts,
  parameters: z.exactOptional(z.array(errorParameter)),
})

const signingKey = z.looseObject({
  creationTime: z.int(),
  expirationTime: z.int(),
  jwe: z.string(),
  publicKey: z.string(),
  signingKeyCipher: z.string(),
  signingKeyId: z.string(),
}) satisfies JsonShape<Bodies.SigningKeyBody>

const subscriptionPayload = z.looseObject({
  deliveryProtocol: z.string(),
  format: z.string(),
  schemaVersion: z.string(),
}) satisfies JsonShape<Bodies.SubscriptionPayload>

const subscriptionFields = {
  topicId: z.string(),
  status: z.enum(['ENABLED', 'DISABLED']),
  destinationId: z.string(),
  payload: subscriptionPayload,
}

const subscriptionRequest = z.looseObject(
  subscriptionFields,
) satisfies JsonShape<Bodies.SubscriptionRequest>

const subscription = z.looseObject({
  ...subscriptionFields,
  subscriptionId: z.string(),
  creationDate: text,
  filterId: text,
}) satisfies JsonShape<Bodies.Subscription>

/** The response of the token endpoint (RFC 6749, 5.1). */
const tokenResponse = z.looseObject({
  access_token: z.string(),
  token_type: z.string(),
  expires_in: z.exactOptional(z.number()),
  scope: text,
})

/** The shapes by the names of the bodies. */
export const SHAPES = {
  TimeDuration: timeDuration,
  Constraint: constraint,
  SupportedSchema: supportedSchema,
  SupportedFeed: supportedFeed,
  FeedType: feedType,
  FeedTypeConstraint: feedTypeConstraint,
  Access: access,
  AccessResponse: accessResponse,
  Dimension: dimension,
  FileMetadata: fileMetadata,
  FeedTypeSearchResponse: feedTypeSearch,
  FileMetadataSearchResponse: fileMetadataSearch,
  ErrorParameter: errorParameter,
  Error: error,
  SigningKey: signingKey,
  SubscriptionPayload: subscriptionPayload,
  SubscriptionRequest: subscriptionRequest,
  Subscription: subscription,
  TokenResponse: tokenResponse,
}

/** Returns the first fault of a value and its path; undefined where the value has the shape. */
export function shapeFault<T>(
  shape: JsonShape<T>,
  value: unknown,
): { readonly path: string; readonly reason: string } | undefined {
  const [issue] = shape.safeParse(value).error?.issues ?? []
  if (issue === undefined) return undefined
  return {
    path: issue.path.join('.'),
    reason:
      issue.code === 'invalid_type'
        ? `not of the type ${issue.expected}`
        : issue.code.replaceAll('_', ' '),
  }
}
