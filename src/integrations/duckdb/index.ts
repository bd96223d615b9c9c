// The door of the room duckdb: what the public entries and the other rooms use of it.

export { type DuckdbSinkOptions, duckdbSink } from './duckdb-sink'
export { type DuckdbTargetOptions, duckdbTarget } from './duckdb-target'
