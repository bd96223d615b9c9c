// The JSON bodies of the service: the resources of feed-file-catalog.md, section 3,
// signing-keys-and-subscriptions.md, section 3, and service-notes.md, sections 3.2 and 8. The
// clients check bodies against these shapes, and the emulated service describes its answers by them.
// A field is required only where a client cannot work without it, and fields that no section names
// are kept. The types of bodies follow from the shapes, but for those whose fields users write or
// look up. This file is the adapter of zod. It uses zod/mini, which keeps bundles small: it has no
// messages in many languages, and functions in place of methods.

import * as z from 'zod/mini'

export { z }

/** A check at run time that a JSON value is a `T`. */
export type JsonShape<T> = z.ZodMiniType<T>

/** The bodies of a shape. */
type Body<Shape extends z.ZodMiniType> = DeepReadonly<z.infer<Shape>>

type DeepReadonly<T> = T extends string
  ? T
  : T extends object
    ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
    : T

/**
 * A value of an enumeration that may gain values: any text is valid, and editors complete the known
 * ones.
 */
type OpenEnum<Known extends string> = Known | (string & {})

const known = <Known extends string>() => z.string() as z.ZodMiniType<OpenEnum<Known>>
const text = z.exactOptional(z.string())
const texts = z.exactOptional(z.array(z.string()))
const wholeNumber = z.exactOptional(z.int())

/** An amount of time. The look-back of a feed counts minutes. */
const timeDuration = z.looseObject({
  unit: z.exactOptional(known<'YEAR' | 'MONTH' | 'DAY' | 'HOUR'>()),
  value: z.int(),
})

/** The marketplaces that support a feed type. Without `marketplaceIds` all support it. */
const constraint = z.looseObject({
  marketplaceIds: texts,
})

const supportedSchema = z.looseObject({
  /** The JSON text of an object whose key order is the column order. */
  definition: text,
  deprecated: z.exactOptional(z.boolean()),
  formats: texts,
  schemaVersion: text,
})

const supportedFeed = z.looseObject({
  authorizationScopes: texts,
  constraint: z.exactOptional(constraint),
  feedScope: z.exactOptional(known<'DAILY'>()),
  lookBack: z.exactOptional(timeDuration),
  status: z.exactOptional(known<'ACTIVE' | 'PAUSED' | 'DEPRECATED'>()),
  supportedSchemas: z.exactOptional(z.array(supportedSchema)),
})

export type FeedType = Body<typeof feedType>
const feedType = z.looseObject({
  description: text,
  feedTypeId: z.string(),
  supportedFeeds: z.exactOptional(z.array(supportedFeed)),
})

/**
 * The part of a feed type that the application may read. Without `categoryIds` it may read every
 * category of the marketplace.
 */
const feedTypeConstraint = z.looseObject({
  categoryIds: texts,
  marketplaceId: z.string(),
})

const access = z.looseObject({
  feedType: z.string(),
  constraints: z.exactOptional(z.array(feedTypeConstraint)),
})

/** The response of getAccess. */
export type AccessResponse = Body<typeof accessResponse>
const accessResponse = z.looseObject({
  accesses: z.array(access),
})

/**
 * A dimension of a file. CATEGORY is the only documented one; its values are identifiers of
 * top-level categories.
 */
const dimension = z.looseObject({
  dimensionKey: known<'CATEGORY'>(),
  values: texts,
})

export interface FileMetadata {
  readonly [field: string]: unknown
  /** Whether the application may read the file. */
  readonly access?: OpenEnum<'ALLOWED' | 'RESTRICTED'>
  /** What the file is cut by: CATEGORY. */
  readonly dimensions?: readonly Body<typeof dimension>[]
  /** A UTC time, `yyyy-MM-ddThh:00:00.000Z`. */
  readonly feedDate?: string
  /** The scope of the feed, such as `ALL_ACTIVE`. */
  readonly feedScope?: string
  /** The identifier of the feed type. */
  readonly feedTypeId?: string
  /** The identifier that a download takes. */
  readonly fileId: string
  /** The format of the content: TSV. */
  readonly format?: string
  /** The marketplace of the file. */
  readonly marketplaceId?: string
  /** The version of the columns. */
  readonly schemaVersion?: string
  /**
   * The size in bytes as an int32. It overflows for a large file, so do not rely on it.
   */
  readonly size?: number
  /** The length of time that the file covers. */
  readonly span?: Body<typeof timeDuration>
}

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
}) satisfies JsonShape<FileMetadata>

/** The fields of every page of a list, beside its records. */
const pageFields = { href: text, limit: wholeNumber, next: text, total: wholeNumber }

export type FeedTypeSearchResponse = Body<typeof feedTypeSearch>
const feedTypeSearch = z.looseObject({
  feedTypes: z.array(feedType),
  ...pageFields,
})

export type FileMetadataSearchResponse = Body<typeof fileMetadataSearch>
const fileMetadataSearch = z.looseObject({
  fileMetadata: z.array(fileMetadata),
  ...pageFields,
})

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

/** The response of getSigningKey. Times are UNIX seconds. It has no private key. */
export type SigningKeyBody = Body<typeof signingKey>
const signingKey = z.looseObject({
  creationTime: z.int(),
  expirationTime: z.int(),
  jwe: z.string(),
  publicKey: z.string(),
  signingKeyCipher: z.string(),
  signingKeyId: z.string(),
})

/** The form of notifications. Every topic is delivered by HTTPS as JSON today. */
export interface SubscriptionPayload {
  /** How notifications are delivered. */
  readonly deliveryProtocol: OpenEnum<'HTTPS'>
  /** The format of notifications. */
  readonly format: OpenEnum<'JSON'>
  /** The version of the schema of notifications. */
  readonly schemaVersion: string
}

/** The request of createSubscription. */
export interface SubscriptionRequest {
  /** The topic that is subscribed to. */
  readonly topicId: string
  /** Whether the subscription sends notifications. */
  readonly status: 'ENABLED' | 'DISABLED'
  /** The destination that notifications are sent to. */
  readonly destinationId: string
  /** What the notifications look like. */
  readonly payload: SubscriptionPayload
}

const subscriptionPayload = z.looseObject({
  deliveryProtocol: z.string(),
  format: z.string(),
  schemaVersion: z.string(),
}) satisfies JsonShape<SubscriptionPayload>

const subscriptionFields = {
  topicId: z.string(),
  status: z.enum(['ENABLED', 'DISABLED']),
  destinationId: z.string(),
  payload: subscriptionPayload,
}

const subscriptionRequest = z.looseObject(
  subscriptionFields,
) satisfies JsonShape<SubscriptionRequest>

/** A subscription as the service stores it. */
export type Subscription = Body<typeof subscription>
const subscription = z.looseObject({
  ...subscriptionFields,
  subscriptionId: z.string(),
  creationDate: text,
  filterId: text,
})

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
