// The public entry of the subpath `feedmill/emulator`.

export { createEmulator, type Emulator, type EmulatorOptions } from './emulator'
export { type FeedFile, type FeedName, type FileFormat, feedLines, gzipBytes, tsvBytes } from './feed-file'
export type { FileCacheOptions } from './file-cache'
export type { HeaderSpelling } from './header-names'
export type { InProcessFetch } from './in-process-fetch'
export type { ListeningServer, ListenOptions } from './listen'
export type { HeaderForm } from './requested-range'
export type { OrphanShares } from './world/groups'
export type { Item, ItemChange } from './world/item'
export type { PlaceName } from './world/place'
export { createWorld, type OrphanCounts, type TruthRow, type World } from './world/world'
export type { WorldOptions } from './world/world-options'
