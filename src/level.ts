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
} from './state/index'
export {
  LevelStore,
  type LevelStoreOptions,
  prefixedStore,
  SpillingStore,
  type SpillingStoreOptions,
} from './state/index'
