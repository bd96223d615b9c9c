// The public names of `feedmill/sync`: a state folder kept up to what the service has, and read.

export type { BootstrapNeed, CategoryPlan, WaitingFile } from './calendar'
export type { CalendarLimits } from './calendar-windows'
export { type ChangedRow, type ChangeSink, changeLine, type StateChange } from './change-log'
export { type Category, type FileId, fileIdKey } from './file-id'
export type { LedgerEntry, RowTally } from './ledger'
export { type ItemsAt, type OpenCategory, type OpenState, type OpenStateOptions, openState, type StateSizes } from './open-state'
export { type StateItem, stateItemObject } from './state-items'
export type { StateOrigin } from './state-marker'
export { type SyncRun, sync } from './sync'
export type { CategoryProgress, FailedFile, SyncEvent, SyncProgress, SyncSummary } from './sync-events'
export type { SyncOptions } from './sync-options'
