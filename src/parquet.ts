// The public entry of the subpath `feedmill/parquet`, which needs the package parquet-wasm.

export {
  type ParquetPartition,
  type ParquetSinkOptions,
  parquetSink,
} from './integrations/parquet/index'
