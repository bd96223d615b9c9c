// The door of the room postgres: what the public entries and the other rooms use of it.

export type { PostgresConnectionOptions } from './address'
export { type PostgresSinkOptions, postgresSink } from './postgres-sink'
export { dropCategory, type PostgresTargetOptions, postgresTarget } from './postgres-target'
