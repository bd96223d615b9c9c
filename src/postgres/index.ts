// The public entry of the subpath `feedmill/postgres`, which needs the packages pg and
// pg-copy-streams.

export type { PostgresConnectionInput, PostgresConnectionOptions } from './address'
export { type PostgresSinkOptions, postgresSink } from './postgres-sink'
export { dropCategory, type PostgresTargetOptions, postgresTarget } from './postgres-target'
