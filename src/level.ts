// The public entry of the subpath `feedmill/level`: stores that go to disk, which need the package
// classic-level.

export {
  LevelStore,
  type LevelStoreOptions,
  SpillingStore,
  type SpillingStoreOptions,
} from './state/index'
