// The address of a database: what a caller gives, checked, and its name in messages, which never
// has the password. pg reads the environment (PGPASSWORD, PGPASSFILE, PGSSLMODE and the others).

import { FeedError, is, type OptionTable, readOptions } from '../../engine/index'

/** The parts of an address, as pg has them. pg takes what is left out from its environment. */
export interface PostgresConnectionOptions {
  /** The name of a host, or the folder of a Unix socket. Default: PGHOST, or `localhost`. */
  readonly host?: string
  /** The port of the server, 1 to 65,535. Default: PGPORT, or 5,432. Bounds: as TCP has them. */
  readonly port?: number
  /** The name of the user. Default: PGUSER, or that of the process. */
  readonly user?: string
  /** The name of the database. Default: PGDATABASE, or that of the user. */
  readonly database?: string
  /** The password, or a function that gives one for each connection. Default: PGPASSWORD. */
  readonly password?: string | (() => string | Promise<string>)
  /**
   * True, or the options of a TLS connection of Node: `ca`, `cert`, `key`, `rejectUnauthorized`.
   * Default: as PGSSLMODE says.
   */
  readonly ssl?: boolean | object
  /** Settings of the session, such as `-c search_path=shop`. Default: none. */
  readonly options?: string
}

/**
 * A URL `postgres://user@host:port/database?sslmode=…`, or its parts. Without a password, pg reads
 * PGPASSWORD, and then the file of PGPASSFILE or `~/.pgpass`. The parameters `schema` and `prefix`
 * of a URL are the options of these names, where a caller gives none.
 */
export type PostgresConnectionInput = string | PostgresConnectionOptions

/** A checked address. */
export interface PostgresAddress {
  /** The address without password and parameters. */
  readonly name: string
  /** The settings of the address, for a client of pg. */
  readonly config: Readonly<Record<string, unknown>>
  /** What a URL says about the tables. */
  readonly tables: { readonly schema?: string; readonly prefix?: string }
}

const PARTS = {
  host: [is.anyText, ''],
  user: [is.anyText, ''],
  database: [is.anyText, ''],
  options: [is.anyText, ''],
  port: [is.wholeNumber(1, 65_535)],
  password: [checkedPassword],
  ssl: [checkedSsl],
} satisfies OptionTable<PostgresConnectionOptions>

/** @throws FeedError OPTION_INVALID, which never shows the address */
export function addressOf(input: PostgresConnectionInput): PostgresAddress {
  if (typeof input === 'string') return addressOfUrl(input)
  const { port, host, user, database } = readOptions(input, PARTS, 'connection')
  const at = user === '' ? '' : `${user}@`
  const place = `${host}${port === undefined ? '' : `:${port}`}`
  return { name: `postgres://${at}${place}/${database}`, config: { ...input }, tables: {} }
}

type Part<Name extends keyof PostgresConnectionOptions> = NonNullable<
  PostgresConnectionOptions[Name]
>

function checkedPassword(option: string, password: Part<'password'>): Part<'password'> {
  return typeof password === 'function' ? password : is.secretText(option, password)
}

function checkedSsl(option: string, ssl: Part<'ssl'>): Part<'ssl'> {
  return typeof ssl === 'object' ? ssl : is.flag(option, ssl)
}

function addressOfUrl(text: string): PostgresAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined
  // An @ in the path belongs to a password with a slash that is not encoded.
  const form = /^postgres(ql)?:\/\/[^/?#]*(\/[^@?#]*)?([?#]|$)/i
  if (url === undefined || !form.test(text) || url.port === '0') {
    const expected = 'a URL postgres://user@host:port/database, or an object with these parts'
    // The text may be a URL with a password, so that the error shows nothing of it.
    const context = { option: 'connection', expected, received: 'other text' }
    throw new FeedError('OPTION_INVALID', `connection must be ${expected}`, context)
  }
  const user = url.username === '' ? '' : `${url.username}@`
  const given = ['schema', 'prefix'].filter(name => url.searchParams.has(name))
  return {
    name: `postgres://${user}${url.host}${url.pathname}`,
    config: { connectionString: text },
    tables: Object.fromEntries(given.map(name => [name, url.searchParams.get(name)])),
  }
}
