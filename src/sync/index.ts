// The public names of `feedmill/sync`, which keeps a state folder up to date with the service and
// reads it.

export { type Category, type FileId, fileIdKey } from './file-id'
export { type ChangedRow, type ChangeSink, changeLine, type StateChange } from './folder/change-log'
export type { LedgerEntry, RowTally } from './folder/ledger'
export type { StateOrigin } from './folder/state-marker'
export type { BootstrapNeed, CategoryPlan, WaitingFile } from './plan/calendar'
export type { CalendarLimits } from './plan/calendar-windows'
export {
  type ItemsAt,
  type OpenCategory,
  type OpenState,
  type OpenStateOptions,
  openState,
  type StateSizes,
} from './read/open-state'
export { type StateItem, stateItemObject } from './read/state-items'
export { type SyncRun, sync } from './run/sync'
export type {
  CategoryProgress,
  FailedFile,
  SyncEvent,
  SyncProgress,
  SyncSummary,
} from './run/sync-events'
export type { SyncOptions } from './sync-options'
