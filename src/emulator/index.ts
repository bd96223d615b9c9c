// The door of the room emulator: what the public entries and the other rooms use of it.

export { createEmulator, type Emulator } from './emulator'
export type { EmulatorOptions } from './emulator-options'
export { type FaultKind, type FaultOptions, PASSING_FAULTS } from './faults/fault'
export { feedLines, gzipBytes, tsvBytes } from './feeds/feed-file'
export type { FileFormat } from './feeds/file-format'
export type { InProcessFetch } from './http/in-process-fetch'
export type { Topic } from './notifications/topics'
export type { ItemGroup } from './world/group'
export type { Item, ItemChange } from './world/item'
export { createWorld, type TruthRow, type World } from './world/world'
export type { WorldOptions } from './world/world-options'
