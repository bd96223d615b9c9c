// The public entry of the subpath `feedmill/parquet`.

export {
  type ParquetPartition,
  type ParquetSinkOptions,
  parquetSink,
} from './integrations/parquet/index'
