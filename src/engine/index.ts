// The door of the room engine: what the public entries and the other rooms use of it.

export { objectWithInvalid, rowsWithBadCells } from './codec/bad-cells'
export { ByteReader, ByteWriter } from './codec/byte-records'
export { ArrowIpc } from './codec/columns/arrow-ipc'
export { type ArrowField, type ArrowType, arrowTypeOf } from './codec/columns/arrow-type'
export { BatchText, COPY_TEXT, type TextPart, textSource } from './codec/columns/batch-text'
export { Column, ColumnBatch } from './codec/columns/column-batch'
export { type ColumnData, columnData, emptyData } from './codec/columns/column-data'
export { misfit } from './codec/columns/column-fit'
export { PLACE_WORDS } from './codec/columns/columns-core'
export { type CellPolicy, decodeColumns } from './codec/columns/decode-columns'
export { oneBatch } from './codec/columns/one-batch'
export { ProfiledCells } from './codec/columns/profiled-cells'
export { RowsJson } from './codec/columns/rows-json'
export { lastBytes } from './codec/columns/text-hash'
export { decodeAspects } from './codec/decode/aspects'
export { isBadCell } from './codec/decode/cell-decoder'
export { decoderOf } from './codec/decode/cell-decoders'
export { decodeRegions } from './codec/decode/lists'
export { crc32 } from './codec/gzip/crc32'
export type { GzipFacts } from './codec/gzip/members'
export { type Memory, OWN_MEMORY, ReusedMemory } from './codec/memory'
export { versionsOf } from './codec/merge/batch-versions'
export * from './codec/merge/register'
export * from './codec/merge/version-order'
export { mendedRows } from './codec/quarantine/mended-rows'
export type { QuarantinedRow } from './codec/quarantine/quarantine-records'
export { leftOutRow, type RowQuarantine } from './codec/quarantine/row-quarantine'
export type { FileIdentity } from './codec/range/file-identity'
export { contradictsSignature, GZIP_SIGNATURE } from './codec/range/file-identity'
export type { Piece, ReorderBufferOptions } from './codec/range/reorder-buffer'
export * from './codec/range/request'
export { readRefusal, statusError } from './codec/range/status-error'
export { Row } from './codec/row'
export { type FileProgress, RowBatch } from './codec/row-batch'
export { rowBySchema } from './codec/row-by-schema'
export * from './codec/row-image'
export { Secrets } from './codec/secrets'
export { byteBlock, rowBatch, rowsInput } from './codec/stage-input'
export { TextBuffer } from './codec/text-buffer'
export type { BadRow, BadRowPolicy } from './codec/tsv/bad-row'
export { type CellRules, type Dialect, rulesOf } from './codec/tsv/dialect'
export { type BoundColumn, type BoundHeader, bindHeader, countKnownNames } from './codec/tsv/header'
export { TsvParser } from './codec/tsv/parser'
export { rowsInPlace } from './codec/tsv/rows-in-place'
export type { StageCounters } from './core/counters'
export { PAUSE, type Pause } from './core/steps'
export {
  type DiagnosticsMessages,
  fileTopic,
  jobTopic,
  type Listeners,
  listen,
  queueTopic,
  type StopWatching,
  type SyncResult,
  tokenTopic,
  watermarkTopic,
} from './diagnostics/channels'
export { type Logger, type LogOptions, logTo } from './diagnostics/log-to'
export { ofRun, RunWatch } from './diagnostics/run-watch'
export { removeAtExit, removeNow } from './disk/atomic-file'
export { closing, orUndo } from './disk/closing'
export * from './disk/durable-files'
export { corruptState, onDisk, stateIo } from './disk/state-errors'
export {
  createOwn,
  systemCode,
  unless,
  unlessMissing,
  writeAll,
} from './disk/system-calls'
export * from './errors'
export * from './options'
export { isColumnBatch } from './pipeline/batch'
export type { MapAsyncOptions } from './pipeline/map-async'
export * from './pipeline/pipeline'
export type { PipelineOptions, PipelineSummary } from './pipeline/run'
export type { Sink } from './pipeline/sink'
export { tee } from './pipeline/tee'
export type { Engine } from './push/engine'
export { createInflater, type InflaterOptions } from './push/inflater'
export { createColumnParser, createRowParser, type ParserFacts } from './push/parsers'
export { type Quarantine, quarantine } from './quarantine/quarantine'
export { QuarantineWriter } from './quarantine/quarantine-writer'
export { quarantinedRows, type ReplayOptions, replay } from './quarantine/replay'
export * from './schema/column-kinds'
export type { ColumnOptions, ColumnSpec } from './schema/column-spec'
export { DECIMAL_DIGITS, NamedColumns, spellingOf } from './schema/column-spec'
export * from './schema/feed-schema'
export * from './schema/feed-schemas'
export { itemColumns } from './schema/item-columns'
export * from './schema/values'
export { ByteOutput } from './sinks/byte-output'
export { byteSink } from './sinks/byte-sink'
export { type CsvSinkOptions, csvSink } from './sinks/csv-sink'
export type { SinkTarget } from './sinks/destination'
export { jsonWriter, type NdjsonSinkOptions, ndjsonSink } from './sinks/ndjson-sink'
export { columnsOf, SinkColumns } from './sinks/sink-columns'
export { sinkFailed } from './sinks/sink-errors'
export { sinkOfRuns } from './sinks/sink-of-runs'
export { type SqliteSinkOptions, sqliteSink } from './sinks/sqlite-sink'
export {
  type ColumnForm,
  definitionsOf,
  namesOf,
  newValues,
  onConflict,
  type PlannedColumn,
  sqlIdentifier,
  TABLE_OPTIONS,
  type TablePlan,
  type TableSinkOptions,
  UNFIT,
} from './sinks/table-plan'
export type { TableRows } from './sinks/table-rows'
export { type ColumnNames, type RowWriter, type TableDatabase, tableSink } from './sinks/table-sink'
export { type BadCell, type BadCellPolicy, BadCells } from './stages/bad-cells'
export { ChunkReassembler } from './stages/chunk-reassembler'
export { ColumnDecoder, type ColumnDecoderOptions } from './stages/column-decoder'
export { FileSource } from './stages/file-source'
export { Gunzip, type GunzipOptions } from './stages/gunzip'
export { readErrorText, readInTime } from './stages/range/body-rules'
export { RangeFetcher, type RangeInfo } from './stages/range/range-fetcher'
export {
  type HeadersProvider,
  type RangeFetcherOptions,
  type RangeResume,
  rangeSettings,
} from './stages/range/range-settings'
export * from './stages/range/range-transport'
export {
  mayPass,
  Retries,
  type Retry,
  type RetryOptions,
  type RetryPolicy,
  retryPolicy,
} from './stages/range/retries'
export { MOST_SENDS, sendInTime, sendRenewing, timeLimit } from './stages/range/send-request'
export { SideInput, type SideSource } from './stages/side-input'
export { Source } from './stages/source'
export { type Outputs, Stage } from './stages/stage'
export { TsvColumnParser, type TsvColumnParserOptions } from './stages/tsv-column-parser'
export { TsvObjectParser, type TsvObjectParserOptions } from './stages/tsv-object-parser'
export { TsvRowParser } from './stages/tsv-row-parser'
export { type TsvRowParserOptions, TsvStage } from './stages/tsv-stage'
export { listenable, pause, Semaphore, type WaitLimits, waitFor } from './stages/wait'
