// The door of the room sync: what the public entries and the other rooms use of it.

export { type Category, type FileId, fileIdKey, OWN } from './file-id'
export {
  type ChangedRow,
  type ChangeSink,
  changeLine,
  debeziumLine,
  type StateChange,
} from './folder/change-log'
export type { CategoryPlan } from './plan/calendar'
export type { CalendarLimits } from './plan/calendar-files'
export type { ItemsAt, RowsAt } from './read/items-as-of'
export * from './read/open-state'
export { stateItemColumns } from './read/state-item-columns'
export { stateItemLines } from './read/state-item-lines'
export * from './read/state-items'
export { type TargetStatus, type TargetStatusOptions, targetStatus } from './read/target-status'
export {
  type ReplayStateOptions,
  type ReplaySummary,
  replayIntoState,
} from './run/replay-into-state'
export { type CategoryResult, runCategory } from './run/run-category'
export { type SyncRun, sync } from './run/sync'
export type { CategoryProgress, SyncEvent, SyncProgress, SyncSummary } from './run/sync-events'
export { type BucketInFile, type FeedFileOptions, readFeedFile } from './source/feed-file'
export type {
  FeedSource,
  FileLister,
  FileOpener,
  HashedColumns,
  OpenAt,
  SourceFile,
} from './source/feed-source'
export {
  type FileNaming,
  type FolderFilesOptions,
  fileNamer,
  folderFiles,
  NAMING,
} from './source/folder-files'
export type { OpenedFile } from './source/place-blocks'
export { type FeedSyncOptions, type SyncOptions, syncSettings } from './sync-options'
export {
  type ArrivingFile,
  type RowWriter,
  type SqlCategory,
  type SqlConnection,
  type SqlRow,
  type SqlStore,
  type SqlWords,
  sqlText,
} from './target/sql/sql-store'
export * from './target/sql/sql-tables'
export { dropSqlCategory, openSqlTarget, sqlContents } from './target/sql/sql-target'
export * from './target/target'
