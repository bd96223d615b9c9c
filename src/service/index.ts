// The door of the room service: what the public entries and the other rooms use of it.

export type { FeedTypesQuery, FileDownloadQuery, FileQuery, FilesQuery } from './clients/catalog'
export type {
  CompressedOptions,
  FeedDownload,
  RangeTuning,
  ReadOptions,
  RowOptions,
} from './clients/feed-download'
export type { CategoryQuery, ItemFeedQuery, PriorityQuery, SnapshotQuery } from './clients/feeds'
export type { SigningKey } from './clients/keys'
export type { CreatedSubscription, SubscriptionOptions } from './clients/notifications'
export type { PagedList } from './clients/paged-list'
export { RequestChecks, readDay, readHour } from './clients/request-checks'
export type { CallOptions } from './clients/service-core'
export { type DocumentedError, documentedError, documentedErrors } from './documented-errors'
export { createFeedService, type FeedService, type FeedServiceOptions } from './feed-service'
export { type FetchLike, fetchTransport } from './http/fetch-transport'
export type { HttpRequest, HttpTransport, NodeRequest } from './http/http-transport'
export { NodeTransport, type NodeTransportOptions } from './http/node-transport'
export type { SharedTurn } from './http/request-settings'
export { decodedSegment, fileNameOf } from './identifiers'
export * from './json/bodies'
export { type JsonShape, SHAPES, shapeFault, z } from './json/shapes'
export { OPERATIONS, type OperationName, USER_SUBSCRIPTION_SCOPE } from './operations'
export { defineProfile, type ProfileOptions, type ServiceProfile } from './profile'
export type { TokenNeed, TokenSource } from './tokens/authorized-transport'
export type { ClientCredentials } from './tokens/token-grant'
