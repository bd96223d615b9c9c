// The JSON bodies of the service as shapes: what is read from it is checked against these, and the emulated service answers by them.
// Follows documents 1 and 3 (Resources and their fields) and service-notes.md. The only file that knows zod.
//
// Fields that no document names are kept. A field is required only where nothing can be done without it; enumerations are open text,
// because every one of them may gain values.

import { z } from 'zod'

export { z }

/** An amount of time. Units named: YEAR, MONTH, DAY, HOUR; the look-back of a feed counts minutes. */
export const timeDurationShape = z.looseObject({ unit: z.string().optional(), value: z.int() })
export type TimeDuration = z.infer<typeof timeDurationShape>

/** The marketplaces that support a feed type; all when there is none. */
export const constraintShape = z.looseObject({ marketplaceIds: z.array(z.string()).optional() })
export type Constraint = z.infer<typeof constraintShape>

/** `definition` is the JSON text of an object whose key order is the column order. */
export const supportedSchemaShape = z.looseObject({
  definition: z.string().optional(),
  deprecated: z.boolean().optional(),
  formats: z.array(z.string()).optional(),
  schemaVersion: z.string().optional(),
})
export type SupportedSchema = z.infer<typeof supportedSchemaShape>

/** `feedScope` is DAILY today, `status` one of ACTIVE, PAUSED, DEPRECATED. */
export const supportedFeedShape = z.looseObject({
  authorizationScopes: z.array(z.string()).optional(),
  constraint: constraintShape.optional(),
  feedScope: z.string().optional(),
  lookBack: timeDurationShape.optional(),
  status: z.string().optional(),
  supportedSchemas: z.array(supportedSchemaShape).optional(),
})
export type SupportedFeed = z.infer<typeof supportedFeedShape>

export const feedTypeShape = z.looseObject({
  description: z.string().optional(),
  feedTypeId: z.string(),
  supportedFeeds: z.array(supportedFeedShape).optional(),
})
export type FeedType = z.infer<typeof feedTypeShape>

/** What the application may read of a feed type; without `categoryIds`, every category of the marketplace. */
export const feedTypeConstraintShape = z.looseObject({
  categoryIds: z.array(z.string()).optional(),
  marketplaceId: z.string(),
})
export type FeedTypeConstraint = z.infer<typeof feedTypeConstraintShape>

export const accessShape = z.looseObject({
  feedType: z.string(),
  constraints: z.array(feedTypeConstraintShape).optional(),
})
export type Access = z.infer<typeof accessShape>

/** Response of getAccess. */
export const accessResponseShape = z.looseObject({ accesses: z.array(accessShape) })
export type AccessResponse = z.infer<typeof accessResponseShape>

/** CATEGORY is the only dimension named; its values are L1 category identifiers. */
export const dimensionShape = z.looseObject({ dimensionKey: z.string(), values: z.array(z.string()).optional() })
export type Dimension = z.infer<typeof dimensionShape>

/** `access` is ALLOWED or RESTRICTED, `feedDate` a UTC time `yyyy-MM-ddThh:00:00.000Z`. */
export const fileMetadataShape = z.looseObject({
  access: z.string().optional(),
  dimensions: z.array(dimensionShape).optional(),
  feedDate: z.string().optional(),
  feedScope: z.string().optional(),
  feedTypeId: z.string().optional(),
  fileId: z.string(),
  format: z.string().optional(),
  marketplaceId: z.string().optional(),
  schemaVersion: z.string().optional(),
  /** Bytes as an int32, which a large file overflows: a hint for people, not a length to rely on. */
  size: z.number().optional(),
  span: timeDurationShape.optional(),
})
export type FileMetadata = z.infer<typeof fileMetadataShape>

const searchFields = {
  href: z.string().optional(),
  limit: z.int().optional(),
  next: z.string().optional(),
  total: z.int().optional(),
}

export const feedTypeSearchShape = z.looseObject({ feedTypes: z.array(feedTypeShape), ...searchFields })
export type FeedTypeSearchResponse = z.infer<typeof feedTypeSearchShape>

export const fileMetadataSearchShape = z.looseObject({ fileMetadata: z.array(fileMetadataShape), ...searchFields })
export type FileMetadataSearchResponse = z.infer<typeof fileMetadataSearchShape>

export const errorParameterShape = z.looseObject({ name: z.string(), value: z.string().optional() })

/** One error as documented, bare. `category` is REQUEST, BUSINESS or APPLICATION. */
export const errorShape = z.looseObject({
  category: z.string().optional(),
  domain: z.string().optional(),
  errorId: z.int(),
  subdomain: z.string().optional(),
  message: z.string().optional(),
  longMessage: z.string().optional(),
  inputRefIds: z.array(z.string()).optional(),
  outputRefIds: z.array(z.string()).optional(),
  parameters: z.array(errorParameterShape).optional(),
})

/** Times are UNIX seconds. A private key is never part of what getSigningKey returns. */
export const signingKeyShape = z.looseObject({
  creationTime: z.int(),
  expirationTime: z.int(),
  jwe: z.string(),
  publicKey: z.string(),
  signingKeyCipher: z.string(),
  signingKeyId: z.string(),
})
export type SigningKeyBody = z.infer<typeof signingKeyShape>

/** `deliveryProtocol` is HTTPS and `format` is JSON for every topic today. */
export const subscriptionPayloadShape = z.looseObject({
  deliveryProtocol: z.string(),
  format: z.string(),
  schemaVersion: z.string(),
})
export type SubscriptionPayload = z.infer<typeof subscriptionPayloadShape>

/** Request of createSubscription. `status` is ENABLED or DISABLED. */
export const subscriptionRequestShape = z.looseObject({
  topicId: z.string(),
  status: z.string(),
  destinationId: z.string(),
  payload: subscriptionPayloadShape,
})
export type SubscriptionRequest = z.infer<typeof subscriptionRequestShape>

/** A subscription as the service keeps it. */
export const subscriptionShape = subscriptionRequestShape.extend({
  subscriptionId: z.string(),
  creationDate: z.string().optional(),
  filterId: z.string().optional(),
})
export type Subscription = z.infer<typeof subscriptionShape>

/** Response of the token endpoint (RFC 6749, 5.1). */
export const tokenResponseShape = z.looseObject({
  access_token: z.string(),
  token_type: z.string(),
  expires_in: z.number().optional(),
  scope: z.string().optional(),
})
