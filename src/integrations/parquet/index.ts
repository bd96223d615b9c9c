// The door of the room parquet: what the public entries and the other rooms use of it.

export { type ParquetPartition, type ParquetSinkOptions, parquetSink } from './parquet-sink'
