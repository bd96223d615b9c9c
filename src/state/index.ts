// The door of the room state: what the public entries and the other rooms use of it.

export type { CellDifference } from './diff/differing-cells'
export { GroupJoiner, type GroupJoinerOptions } from './group-joiner'
export { inStep } from './in-step'
export type { JoinedGroup, JoinedItem } from './join/joined'
export { KeyedRows, type KeyRules, keyedRows } from './keyed-rows'
export type { MergeChange, MergedItem } from './merge/merged-item'
export type { Change } from './merge/row-change'
export { recordOf } from './origin-record'
export {
  type DiffOptions,
  diffRows,
  type RowDiff,
  type RowDifference,
} from './row-diff'
export { isRowError } from './row-key'
export { BlockCache } from './runs/block-cache'
export { isEffective, type RowChange, tellChanges } from './runs/changed-rows'
export { compactRuns } from './runs/compact-runs'
export { countRows, effectOf, tallyRuns } from './runs/judge-runs'
export { type Floor, type SequencedRun, versionAt } from './runs/merge-runs'
export { keyOf, newHeads } from './runs/row-heads'
export { RowSorter } from './runs/row-sorter'
export type { WrittenRun } from './runs/run-format'
export { meaningOf, rankOf } from './runs/run-format'
export type { Headers } from './runs/run-origins'
export { Run } from './runs/run-reader'
export { comparePlaces, RunTable, rowOf, type StandingPlace } from './runs/run-table'
export { RunWriter } from './runs/run-writer'
export { type SavedRuns, SortedRuns, type SortedRunsOptions } from './runs/sorted-runs'
export { SnapshotMerger, type SnapshotMergerOptions } from './snapshot-merger'
