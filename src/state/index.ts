// The public entry of the subpath `feedmill/level`: stores that go to disk, which need the package
// classic-level.

export type {
  KeyedStore,
  KeyRange,
  MaybePromise,
  ReadOptions,
  StoreEntry,
  StoreOp,
  WriteOptions,
} from './keyed-store'
export { LevelStore, type LevelStoreOptions } from './level/level-store'
export { prefixedStore } from './prefixed-store'
export { SpillingStore, type SpillingStoreOptions } from './spilling-store'
