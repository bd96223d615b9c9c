// The door of this room: what the public entries and the other rooms use of it.

export type { AccessConstraint, AccessOptions } from './access-rules'
export type { CatalogOptions } from './catalog/catalog-routes'
export type { FeedTypeSeed } from './catalog/feed-types'
export { createEmulator, type Emulator } from './emulator'
export type { EmulatorOptions } from './emulator-options'
export { type FaultKind, type FaultOptions, type FaultRule, PASSING_FAULTS } from './faults/fault'
export type { Faults, InjectedFault } from './faults/fault-injector'
export type { BootstrapSchedule } from './feeds/calendar'
export { feedLines, gzipBytes, tsvBytes } from './feeds/feed-file'
export type { FileCacheOptions } from './feeds/file-cache'
export type {
  FeedFile,
  FeedName,
  FileFormat,
  FilterOptions,
  HeaderSpelling,
} from './feeds/file-format'
export type { HeaderForm } from './feeds/requested-range'
export type { InProcessFetch } from './http/in-process-fetch'
export type { ListeningServer, ListenOptions } from './http/listen'
export type { NotificationOptions } from './notifications/notification-routes'
export type {
  Destination,
  SubscriptionStatus,
  SupportedPayload,
  Topic,
} from './notifications/topics'
export type { ServicePaths } from './service-parts'
export type { SigningKeyCipher, SigningKeySeed } from './signing-keys'
export type { CampaignChange } from './world/columns'
export type { ItemGroup, OrphanShares } from './world/group'
export type { Item, ItemChange, ItemTest } from './world/item'
export type { CampaignChangeKind, ChangeKind } from './world/item-life'
export type { Place, PlaceName } from './world/place'
export { createWorld, type OrphanCounts, type TruthRow, type World } from './world/world'
export type { CompleteWorldOptions, WorldOptions } from './world/world-options'
