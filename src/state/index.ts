// The door of the room state: what the public entries and the other rooms use of it.

export {
  GroupJoiner,
  type GroupJoinerOptions,
  type JoinedGroup,
  type JoinedItem,
} from './group-joiner'
export {
  compareKeys,
  type KeyedStore,
  type KeyRange,
  prefixedStore,
  prefixRange,
  type ReadOptions,
  type StoreEntry,
  type StoreOp,
  type WriteOptions,
} from './keyed-store'
export { type KernelLock, takeKernelLock } from './level/kernel-lock'
export { LevelSnapshot, type LevelSnapshotOptions } from './level/level-snapshot'
export { LevelStore, type LevelStoreOptions } from './level/level-store'
export { type BlockTaker, blockTakerOf, type WriteBlock } from './level/write-block'
export { MemoryStore, type MemoryStoreOptions } from './memory/memory-store'
export { type MergeChange, type MergedItem, MergeState } from './merge/merge-state'
export type { Change } from './merge/register-change'
export {
  type KeptHead,
  type MergeOptions,
  RegisterSet,
  type RegisterSetOptions,
} from './merge/register-set'
export { RegisterMemory } from './merge/row-arrivals'
export { isRowError, keyOfRow } from './row-key'
export { SnapshotMerger, type SnapshotMergerOptions } from './snapshot-merger'
export { SpillingStore, type SpillingStoreOptions } from './spilling-store'
