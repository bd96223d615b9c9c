// The shapes of the service's JSON bodies. The clients check bodies against them, and the emulated
// service describes its answers by them. bodies.ts explains the fields. Fields that a shape does
// not name are kept.

import type * as Bodies from './bodies'
import { type JsonShape, z } from './json-shape'

const text = z.exactOptional(z.string())
const texts = z.exactOptional(z.array(z.string()))
const wholeNumber = z.exactOptional(z.int())

export const timeDurationShape = z.looseObject({
  unit: text,
  value: z.int(),
}) satisfies JsonShape<Bodies.TimeDuration>

export const constraintShape = z.looseObject({
  marketplaceIds: texts,
}) satisfies JsonShape<Bodies.Constraint>

export const supportedSchemaShape = z.looseObject({
  definition: text,
  deprecated: z.exactOptional(z.boolean()),
  formats: texts,
  schemaVersion: text,
}) satisfies JsonShape<Bodies.SupportedSchema>

export const supportedFeedShape = z.looseObject({
  authorizationScopes: texts,
  constraint: z.exactOptional(constraintShape),
  feedScope: text,
  lookBack: z.exactOptional(timeDurationShape),
  status: text,
  supportedSchemas: z.exactOptional(z.array(supportedSchemaShape)),
}) satisfies JsonShape<Bodies.SupportedFeed>

export const feedTypeShape = z.looseObject({
  description: text,
  feedTypeId: z.string(),
  supportedFeeds: z.exactOptional(z.array(supportedFeedShape)),
}) satisfies JsonShape<Bodies.FeedType>

export const feedTypeConstraintShape = z.looseObject({
  categoryIds: texts,
  marketplaceId: z.string(),
}) satisfies JsonShape<Bodies.FeedTypeConstraint>

export const accessShape = z.looseObject({
  feedType: z.string(),
  constraints: z.exactOptional(z.array(feedTypeConstraintShape)),
}) satisfies JsonShape<Bodies.Access>

export const accessResponseShape = z.looseObject({
  accesses: z.array(accessShape),
}) satisfies JsonShape<Bodies.AccessResponse>

export const dimensionShape = z.looseObject({
  dimensionKey: z.string(),
  values: texts,
}) satisfies JsonShape<Bodies.Dimension>

export const fileMetadataShape = z.looseObject({
  access: text,
  dimensions: z.exactOptional(z.array(dimensionShape)),
  feedDate: text,
  feedScope: text,
  feedTypeId: text,
  fileId: z.string(),
  format: text,
  marketplaceId: text,
  schemaVersion: text,
  size: z.exactOptional(z.number()),
  span: z.exactOptional(timeDurationShape),
}) satisfies JsonShape<Bodies.FileMetadata>

const pageFields = { href: text, limit: wholeNumber, next: text, total: wholeNumber }

export const feedTypeSearchShape = z.looseObject({
  feedTypes: z.array(feedTypeShape),
  ...pageFields,
}) satisfies JsonShape<Bodies.FeedTypeSearchResponse>

export const fileMetadataSearchShape = z.looseObject({
  fileMetadata: z.array(fileMetadataShape),
  ...pageFields,
}) satisfies JsonShape<Bodies.FileMetadataSearchResponse>

export const errorParameterShape = z.looseObject({ name: z.string(), value: text })

/** One error, not wrapped in a list. `category` is REQUEST, BUSINESS or APPLICATION. */
export const errorShape = z.looseObject({
  category: text,
  domain: text,
  errorId: z.int(),
  subdomain: text,
  message: text,
  longMessage: text,
  inputRefIds: texts,
  outputRefIds: texts,
  parameters: z.exactOptional(z.array(errorParameterShape)),
})

export const signingKeyShape = z.looseObject({
  creationTime: z.int(),
  expirationTime: z.int(),
  jwe: z.string(),
  publicKey: z.string(),
  signingKeyCipher: z.string(),
  signingKeyId: z.string(),
}) satisfies JsonShape<Bodies.SigningKeyBody>

export const subscriptionPayloadShape = z.looseObject({
  deliveryProtocol: z.string(),
  format: z.string(),
  schemaVersion: z.string(),
}) satisfies JsonShape<Bodies.SubscriptionPayload>

const subscriptionFields = {
  topicId: z.string(),
  status: z.enum(['ENABLED', 'DISABLED']),
  destinationId: z.string(),
  payload: subscriptionPayloadShape,
}

export const subscriptionRequestShape = z.looseObject(
  subscriptionFields,
) satisfies JsonShape<Bodies.SubscriptionRequest>

export const subscriptionShape = z.looseObject({
  ...subscriptionFields,
  subscriptionId: z.string(),
  creationDate: text,
  filterId: text,
}) satisfies JsonShape<Bodies.Subscription>

/** The response of the token endpoint (RFC 6749, 5.1). */
export const tokenResponseShape = z.looseObject({
  access_token: z.string(),
  token_type: z.string(),
  expires_in: z.exactOptional(z.number()),
  scope: text,
})
