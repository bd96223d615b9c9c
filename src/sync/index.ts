// The public names of `feedmill/sync`, which keeps a state folder up to date with the service and
// reads it.

export type { RegisterHead } from '../codec/merge/register'
export type { Retry } from '../stages/range/retries'
export {
  type BootstrapId,
  type Category,
  type DailyId,
  type FileId,
  fileIdKey,
  type PriorityId,
  type SnapshotId,
} from './file-id'
export { type ChangedRow, type ChangeSink, changeLine, type StateChange } from './folder/change-log'
export { debeziumLine } from './folder/debezium-line'
export type { ChangeTarget, LedgerEntry } from './folder/ledger'
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
export {
  type StateItem,
  type StateItemReaderOptions,
  stateItemObject,
  stateItemReader,
} from './read/state-items'
export { type TargetStatus, type TargetStatusOptions, targetStatus } from './read/target-status'
export {
  type ReplayStateOptions,
  type ReplaySummary,
  replayIntoState,
} from './replay/replay-into-state'
export { type CategoryJob, type CategoryResult, runCategory } from './run/run-category'
export { type SyncRun, sync } from './run/sync'
export type {
  CategoryProgress,
  FailedFile,
  SyncEvent,
  SyncProgress,
  SyncSummary,
} from './run/sync-events'
export type { SyncOptions } from './sync-options'
export type {
  AppliedFile,
  OpenTarget,
  RowTally,
  StateOrigin,
  SyncTarget,
  TargetCategory,
  TargetContents,
  TargetFile,
  TargetOptions,
  TargetRows,
} from './target/target'
