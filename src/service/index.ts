// The public names of `feedmill/service`: the clients of the whole service.

export type { Catalog, FeedTypesQuery, FileDownloadQuery, FileQuery, FilesQuery } from './catalog'
export { type DocumentedError, documentedError, documentedErrors } from './documented-errors'
export type { DownloadInfo, FeedDownload, RangeTuning, ReadOptions, RowOptions } from './feed-download'
export { createFeedService, type FeedService, type FeedServiceOptions } from './feed-service'
export type { CategoryQuery, Feeds, ItemFeedQuery, PriorityQuery, SnapshotQuery } from './feeds'
export { type FetchLike, fetchTransport } from './fetch-transport'
export { fileNameOf } from './file-name'
export type { HttpRequest, HttpTransport } from './http-transport'
export type { Keys, SigningKey } from './keys'
export { NodeTransport, type NodeTransportOptions } from './node-transport'
export type { CreatedSubscription, Notifications, SubscriptionOptions, SubscriptionPayload, SubscriptionRequest } from './notifications'
export type { OperationName } from './operations'
export type { Page, PagedList } from './paged-list'
export { pathSegment } from './path-segment'
export { defineProfile, type ProfileOptions, type RequestLimits, type ServiceProfile } from './profile'
export type { CheckMode } from './request-checks'
export type { RequestOptions } from './request-settings'
export type { CallOptions } from './service-core'
export type {
  Access,
  AccessResponse,
  Constraint,
  Dimension,
  FeedType,
  FeedTypeConstraint,
  FeedTypeSearchResponse,
  FileMetadata,
  FileMetadataSearchResponse,
  SupportedFeed,
  SupportedSchema,
  TimeDuration,
} from './shapes'
export type { ClientCredentials, TokenNeed, TokenSource } from './token-source'
export { UndiciTransport, type UndiciTransportOptions } from './undici-transport'
