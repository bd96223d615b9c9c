// The public entry of the subpath `feedmill/duckdb`, which needs the package @duckdb/node-api.

export { type DuckdbSinkOptions, duckdbSink } from './duckdb-sink'
export { type DuckdbTargetOptions, duckdbTarget } from './duckdb-target'
