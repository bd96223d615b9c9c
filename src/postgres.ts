// The public entry of the subpath `feedmill/postgres`, which needs the packages pg and
// pg-copy-streams.

export {
  dropCategory,
  type PostgresConnectionOptions,
  type PostgresSinkOptions,
  type PostgresTargetOptions,
  postgresSink,
  postgresTarget,
} from './integrations/postgres/index'
