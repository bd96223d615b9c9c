// The JSON bodies of the service as types: the resources of feed-file-catalog.md, section 3,
// signing-keys-and-subscriptions.md, section 3, and service-notes.md, sections 3.2 and 8. shapes.ts
// checks bodies against them at run time, and the compiler checks that both agree.
//
// A field is required only where a client cannot work without it. Bodies keep fields that no
// section names. Enumerations may gain values, so their types accept any text; editors complete the
// known values.

/** A value of an enumeration that may gain values. */
export type OpenEnum<Known extends string> = Known | (string & {})

/** A body may have fields that no section names. */
interface Extensible {
  readonly [field: string]: unknown
}

/** An amount of time. The look-back of a feed counts minutes. */
export interface TimeDuration extends Extensible {
  readonly unit?: OpenEnum<'YEAR' | 'MONTH' | 'DAY' | 'HOUR'>
  readonly value: number
}

/** The marketplaces that support a feed type. Without `marketplaceIds` all support it. */
export interface Constraint extends Extensible {
  readonly marketplaceIds?: readonly string[]
}

export interface SupportedSchema extends Extensible {
  /** The JSON text of an object whose key order is the column order. */
  readonly definition?: string
  /** True for a version that should no longer be used. */
  readonly deprecated?: boolean
  /** The formats that files of this version have. */
  readonly formats?: readonly string[]
  /** The version of the columns. */
  readonly schemaVersion?: string
}

export interface SupportedFeed extends Extensible {
  readonly authorizationScopes?: readonly string[]
  readonly constraint?: Constraint
  readonly feedScope?: OpenEnum<'DAILY'>
  readonly lookBack?: TimeDuration
  readonly status?: OpenEnum<'ACTIVE' | 'PAUSED' | 'DEPRECATED'>
  readonly supportedSchemas?: readonly SupportedSchema[]
}

export interface FeedType extends Extensible {
  readonly description?: string
  readonly feedTypeId: string
  readonly supportedFeeds?: readonly SupportedFeed[]
}

/**
 * The part of a feed type that the application may read. Without `categoryIds` it may read every
 * category of the marketplace.
 */
export interface FeedTypeConstraint extends Extensible {
  readonly categoryIds?: readonly string[]
  readonly marketplaceId: string
}

export interface Access extends Extensible {
  readonly feedType: string
  readonly constraints?: readonly FeedTypeConstraint[]
}

/** The response of getAccess. */
export interface AccessResponse extends Extensible {
  readonly accesses: readonly Access[]
}

/**
 * A dimension of a file. CATEGORY is the only documented one; its values are identifiers of
 * top-level categories.
 */
export interface Dimension extends Extensible {
  readonly dimensionKey: OpenEnum<'CATEGORY'>
  readonly values?: readonly string[]
}

export interface FileMetadata extends Extensible {
  /** Whether the application may read the file. */
  readonly access?: OpenEnum<'ALLOWED' | 'RESTRICTED'>
  /** What the file is cut by: CATEGORY. */
  readonly dimensions?: readonly Dimension[]
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
  readonly span?: TimeDuration
}

/** The fields of every page of a list, beside its records. */
interface Page extends Extensible {
  readonly href?: string
  readonly limit?: number
  readonly next?: string
  readonly total?: number
}

export interface FeedTypeSearchResponse extends Page {
  readonly feedTypes: readonly FeedType[]
}

export interface FileMetadataSearchResponse extends Page {
  readonly fileMetadata: readonly FileMetadata[]
}

/** The response of getSigningKey. Times are UNIX seconds. It has no private key. */
export interface SigningKeyBody extends Extensible {
  readonly creationTime: number
  readonly expirationTime: number
  readonly jwe: string
  readonly publicKey: string
  readonly signingKeyCipher: string
  readonly signingKeyId: string
}

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

/** A subscription as the service stores it. */
export interface Subscription extends SubscriptionRequest {
  readonly subscriptionId: string
  readonly creationDate?: string
  readonly filterId?: string
}
