// The public names of `feedmill`. What is not here is internal.

export { decodeAspects } from './codec/decode/aspects'
export { decodeBoolean } from './codec/decode/boolean'
export { decodeConditionDescriptors } from './codec/decode/condition-descriptors'
export { decodeDate } from './codec/decode/date'
export { decodeDecimal } from './codec/decode/decimal'
export { decodeFloat64 } from './codec/decode/float64'
export { decodeInt32 } from './codec/decode/int32'
export { decodeInt64 } from './codec/decode/int64'
export { decodeJson } from './codec/decode/json'
export { decodeList } from './codec/decode/list'
export { decodeRegions } from './codec/decode/regions'
export { subtractRegions } from './codec/decode/ship-to'
export { decodeTimestamp } from './codec/decode/timestamp'
export type { GzipFacts } from './codec/gzip/members'
export type { ChangeKind } from './codec/merge/register'
export type { Version, VersionOf } from './codec/merge/version-order'
export type {
  LeftOutBytes,
  LeftOutReason,
  QuarantinedFile,
  RowQuarantine,
} from './codec/quarantine/row-quarantine'
export type { FileIdentity } from './codec/range/file-identity'
export type { Piece } from './codec/range/piece'
export type { ReorderBufferOptions } from './codec/range/reorder-buffer'
export type { RequestHeaders } from './codec/range/request-headers'
export type { Row } from './codec/row'
export type { RowBatch } from './codec/row-batch'
export type { BadRow, BadRowPolicy } from './codec/tsv/bad-row'
export type { CellRules, Dialect, Quoting } from './codec/tsv/dialect'
export type { TsvParserOptions } from './codec/tsv/parser'
export type { TsvScannerName } from './codec/tsv/tsv-scanner'
export type { StageCounters } from './core/counters'
export type {
  DiagnosticsMessages,
  RunStage,
  StopWatching,
  SyncResult,
} from './diagnostics/channels'
export { type Logger, type LogLevel, type LogOptions, logTo } from './diagnostics/log-to'
export {
  type AnyFeedError,
  type AuthChallenge,
  type CellPosition,
  type ErrorCode,
  type ErrorContexts,
  FeedError,
  type FeedErrorOptions,
  printableText,
  type RowPosition,
  type ServiceDescription,
} from './errors'
export type { NoPromise } from './options'
export type { ElementOf, NarrowedItem } from './pipeline/batch'
export type { MapAsyncOptions } from './pipeline/map-async'
export type { NodeTransform, WebTransform } from './pipeline/pairs'
export { concat, Pipeline, type PipelineSource, pipeline } from './pipeline/pipeline'
export type { PipelineOptions, PipelineSummary } from './pipeline/run'
export type { Sink } from './pipeline/sink'
export type { StageLike, StreamLike } from './pipeline/stage-like'
export { type RunTimes, type StageProfile, stageProfile } from './pipeline/stage-profile'
export { tee } from './pipeline/tee'
export { type Quarantine, quarantine } from './quarantine/quarantine'
export { type ReplayOptions, replay } from './quarantine/replay'
export {
  aspects,
  boolean,
  type CellOptions,
  type ColumnKind,
  cell,
  conditionDescriptors,
  date,
  decimal,
  float64,
  int32,
  int64,
  json,
  list,
  type NotNull,
  oneOf,
  regions,
  text,
  timestamp,
} from './schema/column-kinds'
export type { ColumnOptions, ColumnSpec } from './schema/column-spec'
export {
  type CellOf,
  type ChosenColumns,
  type ColumnName,
  type Columns,
  defineSchema,
  type FeedFile,
  type FeedName,
  type FeedSchema,
  type RowObject,
  type TextColumns,
} from './schema/feed-schema'
export {
  type ItemColumns,
  type ItemGroupColumns,
  type ItemPriorityColumns,
  type ItemSnapshotColumns,
  itemGroupSchema,
  itemPrioritySchema,
  itemSchema,
  itemSnapshotSchema,
  schemaOf,
} from './schema/feed-schemas'
export type {
  Aspect,
  CellType,
  CellTypes,
  ConditionDescriptor,
  Decimal,
  Regions,
  ShipTo,
} from './schema/values'
export {
  createFeedService,
  type FeedService,
  type FeedServiceOptions,
} from './service/feed-service'
export { type FetchLike, fetchTransport } from './service/http/fetch-transport'
export { NodeTransport, type NodeTransportOptions } from './service/http/node-transport'
export { pathSegment } from './service/path-segment'
export { defineProfile, type ProfileOptions, type ServiceProfile } from './service/profile'
export type { ClientCredentials, TokenSource } from './service/tokens/token-source'
export { byteSink } from './sinks/byte-sink'
export type { ColumnOf } from './sinks/csv-columns'
export { type CsvSinkOptions, csvSink } from './sinks/csv-sink'
export type { SinkTarget } from './sinks/destination'
export { type NdjsonItem, type NdjsonSinkOptions, ndjsonSink } from './sinks/ndjson-sink'
export { sinkFailed } from './sinks/sink-failed'
export { type SqliteSinkOptions, sqliteSink } from './sinks/sqlite-sink'
export type { TableSinkOptions } from './sinks/table-columns'
export type { BadCell, BadCellPolicy } from './stages/bad-cells'
export { ChunkReassembler } from './stages/chunk-reassembler'
export { ColumnDecoder, type ColumnDecoderOptions } from './stages/column-decoder'
export { FileSource, type FileSourceOptions } from './stages/file-source'
export {
  GroupJoiner,
  type GroupJoinerOptions,
  type JoinedGroup,
  type JoinedItem,
  type JoinMode,
  type JoinTally,
} from './stages/group-joiner'
export { Gunzip, type GunzipEngine, type GunzipOptions } from './stages/gunzip'
export { setMaxInflateWorkers } from './stages/inflate-worker-limit'
export { RangeFetcher, type RangeInfo } from './stages/range/range-fetcher'
export type {
  HeadersProvider,
  HeadersReason,
  RangeFetcherOptions,
  RangeResume,
} from './stages/range/range-settings'
export type { RangeRequest, RangeResponse, RangeTransport } from './stages/range/range-transport'
export type { SendReason } from './stages/range/send-request'
export type { SideSource } from './stages/side-input'
export {
  type ChangeTally,
  SnapshotMerger,
  type SnapshotMergerOptions,
} from './stages/snapshot-merger'
export { Source } from './stages/source'
export { type Outputs, Stage } from './stages/stage'
export {
  type ObjectValues,
  TsvObjectParser,
  type TsvObjectParserOptions,
} from './stages/tsv-object-parser'
export { TsvRowParser } from './stages/tsv-row-parser'
export type { TsvRowParserOptions } from './stages/tsv-stage'
export type { KeyedStore } from './state/keyed-store'
export { MemoryStore, type MemoryStoreOptions } from './state/memory/memory-store'
export type { MergeChange, MergedItem } from './state/merge/merge-state'
export type { Change } from './state/merge/register-change'
