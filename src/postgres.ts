// The public entry of the subpath `feedmill/postgres`, which needs the packages pg and
// pg-copy-streams.

export type {
  PostgresConnectionInput,
  PostgresConnectionOptions,
} from './integrations/postgres/index'
export {
  dropCategory,
  type PostgresSinkOptions,
  type PostgresTargetOptions,
  postgresSink,
  postgresTarget,
} from './integrations/postgres/index'
