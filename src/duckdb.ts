// The public entry of the subpath `feedmill/duckdb`, which needs the package @duckdb/node-api.

export {
  type DuckdbSinkOptions,
  type DuckdbTargetOptions,
  duckdbSink,
  duckdbTarget,
} from './integrations/duckdb/index'
