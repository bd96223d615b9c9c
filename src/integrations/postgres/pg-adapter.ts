// The adapter of pg and pg-copy-streams, two optional packages. It loads them, makes one connection
// and types its failures. It knows no table.

import type { Client } from 'pg'
import {
  type AnyFeedError,
  excerpt,
  FeedError,
  is,
  messageOf,
  missingPackage,
  type OptionTable,
  Secrets,
  waitFor,
} from '../../engine/index'
import type { PostgresAddress } from './address'

/** The time limits of a connection, in milliseconds. */
export interface PostgresLimits {
  /** The limit for a new connection. Default: 10,000. */
  readonly connectTimeoutMs: number
  /** The limit for a wait for a lock, such as another writer's. Default: 5,000. */
  readonly lockTimeoutMs: number
  /**
   * The limit for one statement, such as the COPY or the merge of a file. Default: 3,600,000.
   */
  readonly statementTimeoutMs: number
}

export const LIMITS = {
  connectTimeoutMs: [is.durationMs(), 10_000],
  lockTimeoutMs: [is.durationMs(), 5_000],
  statementTimeoutMs: [is.durationMs(1_000), 3_600_000],
} satisfies OptionTable<Partial<PostgresLimits>>

export type SqlRow = Readonly<Record<string, unknown>>

/** A COPY into a table that is under way. */
export interface CopyIn {
  /** Resolves when the bytes of the call before may be used again, while these are sent. */
  write(bytes: Uint8Array): Promise<void>
  /** Resolves when the server has all rows. */
  end(): Promise<void>
  /** Ends the COPY without rows. The transaction can only be rolled back afterwards. */
  abort(): Promise<void>
}

const PACKAGES = 'pg@^8.16 pg-copy-streams@^7'
/** What pg waits longer than the server does, so that the server reports its own limit. */
const MARGIN_MS = 10_000
/** A transaction without a statement for so long is one of a writer that stands still. */
const IDLE_TRANSACTION_MS = 600_000
/** The memory of the server for the versions of a batch of files; a server may allow more. */
const SORT_MEMORY = '32MB'
/** How often the server looks for the client while a statement runs. */
const CLIENT_CHECK_MS = 10_000
/**
 * After 30 seconds without a sign of the client's machine the server's system ends the connection,
 * and {@link CLIENT_CHECK_MS} later at most the server frees its locks. A Unix socket ignores these
 * settings and needs none.
 */
const LOST_CLIENT = {
  tcp_keepalives_idle: 15,
  tcp_keepalives_interval: 5,
  tcp_keepalives_count: 3,
  tcp_user_timeout: 30_000,
}
/**
 * pg-copy-streams reports a block as written once the socket has taken it, but only for blocks
 * above the high-water mark of the socket, which has 64 KiB at most.
 */
export const COPY_BLOCK_BYTES = 2 ** 18

export class PgConnection {
  readonly #client: Client
  readonly #place: string
  readonly #limitMs: number
  isLost = false

  private constructor(client: Client, place: string, limitMs: number) {
    this.#client = client
    this.#place = place
    this.#limitMs = limitMs
    // Without a listener the loss of an idle connection would end the process.
    client.on('error', () => this.#lose())
    client.on('end', () => this.#lose())
  }

  /**
   * @param signal ends the call
   * @throws FeedError DEPENDENCY_MISSING; STATE_IO, retryable where the server may come back
   */
  static async open(
    address: PostgresAddress,
    limits: PostgresLimits,
    signal?: AbortSignal,
  ): Promise<PgConnection> {
    const { Client } = await loadPg()
    const limitMs = limits.statementTimeoutMs + MARGIN_MS
    let client: Client
    try {
      client = new Client({
        ...address.config,
        connectionTimeoutMillis: limits.connectTimeoutMs,
        query_timeout: limitMs,
        keepAlive: true,
        keepAliveInitialDelayMillis: CLIENT_CHECK_MS,
      })
    } catch (cause) {
      throw databaseFailed(address.name, 'connect', cause, false)
    }
    const connection = new PgConnection(client, address.name, limitMs)
    const onAbort = () => connection.destroy()
    signal?.addEventListener('abort', onAbort)
    try {
      await client.connect()
      await connection.#prepare(limits)
      return connection
    } catch (cause) {
      connection.destroy()
      throw covered(databaseFailed(address.name, 'connect', cause, isPassingFailure(cause)), client)
    } finally {
      signal?.removeEventListener('abort', onAbort)
    }
  }

  /** The number of the server's process, by which pg_terminate_backend knows the connection. */
  get processId(): number | undefined {
    return (this.#client as { readonly processID?: number | null }).processID ?? undefined
  }

  /** @throws FeedError STATE_IO, retryable where the connection was lost */
  async query(sql: string, values: readonly unknown[] = []): Promise<readonly SqlRow[]> {
    try {
      const result = await this.#client.query(sql, values.length === 0 ? undefined : [...values])
      return result.rows
    } catch (cause) {
      throw this.#failed(cause)
    }
  }

  /**
   * Commits what `work` does, or rolls it back where `work` or the commit fails. REPEATABLE READ
   * works on the rows as they are at its first statement: it fails, retryable, where it would write
   * a row that another transaction has changed since.
   */
  async inTransaction<T>(
    work: () => Promise<T>,
    isolation: 'READ COMMITTED' | 'REPEATABLE READ' = 'READ COMMITTED',
  ): Promise<T> {
    await this.query(`BEGIN ISOLATION LEVEL ${isolation}`)
    try {
      const result = await work()
      await this.query('COMMIT')
      return result
    } catch (error) {
      // The work's failure is the one to report. Without an answer the server rolls back itself.
      if (!this.isLost) await this.query('ROLLBACK').catch(() => this.destroy())
      throw error
    }
  }

  /** Begins a COPY. `sql` reads from STDIN. */
  async copy(sql: string): Promise<CopyIn> {
    const { from } = await loadCopy()
    const stream = this.#client.query(from(sql))
    const failure = new Promise<never>((_, reject) => {
      stream.on('error', cause => reject(this.#failed(cause)))
    })
    failure.catch(() => {})
    // The stream of a lost connection calls nobody back, or throws for want of its connection: the
    // failure comes first.
    const within = (work: Promise<void>) => this.#within(Promise.race([failure, work]))
    let sent = Promise.resolve()
    return {
      write: async bytes => {
        await sent
        sent = within(new Promise(resolve => stream.write(bytes, () => resolve())))
        // Its failure is that of the next call.
        sent.catch(() => {})
      },
      end: () => within(new Promise(resolve => stream.once('finish', resolve).end())),
      abort: async () => {
        const closed = new Promise<void>(resolve => stream.once('close', resolve))
        stream.destroy()
        await this.#within(closed)
      },
    }
  }

  /** Ends the connection, and waits for the server to close it. */
  async end(): Promise<void> {
    if (this.isLost) return
    await this.#within(this.#client.end()).catch(() => this.destroy())
    this.#lose()
  }

  /** Cuts the connection at once. The server rolls back what was not committed. */
  destroy(): void {
    this.#lose()
    // pg has no other way to end a connection without waiting for its statement.
    const { connection } = this.#client as unknown as {
      readonly connection: { readonly stream: { destroy(): void } }
    }
    connection.stream.destroy()
  }

  #lose(): void {
    this.isLost = true
  }

  async #prepare({ lockTimeoutMs, statementTimeoutMs }: PostgresLimits): Promise<void> {
    const settings = {
      client_encoding: 'UTF8',
      standard_conforming_strings: 'on',
      // Times and days are those of the files, whatever the server and the user have set.
      timezone: 'UTC',
      datestyle: 'ISO, YMD',
      array_nulls: 'on',
      application_name: 'feedmill',
      statement_timeout: statementTimeoutMs,
      lock_timeout: lockTimeoutMs,
      idle_in_transaction_session_timeout: IDLE_TRANSACTION_MS,
      ...LOST_CLIENT,
    }
    const sql = Object.entries(settings).map(
      ([name, value]) => `set_config('${name}', '${value}', false)`,
    )
    // PostgreSQL 13 does not know the last setting.
    const { rows } = await this.#client.query(
      `SELECT ${sql.join(', ')}, current_setting('server_encoding') AS encoding,
         (SELECT set_config('work_mem', '${SORT_MEMORY}', false)
          WHERE pg_size_bytes(current_setting('work_mem')) < pg_size_bytes('${SORT_MEMORY}')),
         (SELECT set_config('client_connection_check_interval', '${CLIENT_CHECK_MS}', false)
          WHERE current_setting('client_connection_check_interval', true) IS NOT NULL)`,
    )
    const received = String(rows[0]?.encoding)
    if (received === 'UTF8') return
    const context = { path: this.#place, what: 'encoding', expected: 'UTF8', received }
    const message = `${this.#place} has the encoding ${received}: make a database with the encoding UTF8`
    throw new FeedError('STATE_FOREIGN', message, context)
  }

  #within<T>(work: Promise<T>): Promise<T> {
    const { signal } = new AbortController()
    const onLimit = () => {
      this.destroy()
      return databaseFailed(
        this.#place,
        'write',
        new RangeError('the server does not answer'),
        true,
      )
    }
    return waitFor(work, { signal, limitMs: this.#limitMs, onLimit })
  }

  #failed(cause: unknown): AnyFeedError {
    if (FeedError.is(cause)) return cause
    // A connection whose statement was given up has an answer on its way that nobody waits for.
    if (cause instanceof Error && cause.message === 'Query read timeout') this.destroy()
    const isPassing = this.isLost || isPassingFailure(cause)
    if (isPassing && !isServerAnswer(cause)) this.destroy()
    return covered(databaseFailed(this.#place, 'write', cause, isPassing), this.#client)
  }
}

/** A server may repeat the password, wherever pg has found it: it is told so by some methods. */
function covered(error: AnyFeedError, client: Client): AnyFeedError {
  const { password } = client as { readonly password?: unknown }
  const secrets = new Secrets()
  if (typeof password === 'string') secrets.rememberForGood(password)
  return secrets.covered(error)
}

/** Codes of the server for a connection that is gone or not possible now, and for a lost conflict. */
const PASSING_STATES = /^(?:08...|57P0[1-5]|53300|40001|40P01|55P03|25P03)$/
const PASSING_SYSTEM_CODES =
  /^(?:ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ENOENT|ERR_STREAM_DESTROYED|ERR_STREAM_WRITE_AFTER_END)$/
const PASSING_WORDS =
  /^(?:Connection terminated|Client (?:has encountered|was closed|is not)|timeout expired|Query read timeout)/

function isPassingFailure(cause: unknown): boolean {
  if (FeedError.is(cause)) return cause.retryable
  if (!(cause instanceof Error)) return false
  const code = stateOf(cause) ?? ''
  return (
    PASSING_STATES.test(code) ||
    PASSING_SYSTEM_CODES.test(code) ||
    PASSING_WORDS.test(cause.message)
  )
}

/** The server answered, and the connection goes on. */
function isServerAnswer(cause: unknown): boolean {
  return /^(?:40001|40P01|55P03)$/.test(stateOf(cause) ?? '')
}

/** The SQLSTATE, or the code of the system. */
function stateOf(cause: unknown): string | undefined {
  const { code } = (cause ?? {}) as { readonly code?: unknown }
  return typeof code === 'string' ? code : undefined
}

/** True for an error of `query` and `copy` whose cause is the SQLSTATE `state`. */
export function hasState(error: unknown, state: string): boolean {
  return FeedError.is(error) && error.code === 'STATE_IO' && error.context.reason === state
}

/**
 * The cause is left out: what pg throws may have cells of a row, and the settings of the
 * connection.
 */
export function databaseFailed(
  path: string,
  operation: string,
  cause: unknown,
  retryable: boolean,
): AnyFeedError {
  if (FeedError.is(cause)) return cause
  const text = excerpt(messageOf(cause), 200)
  const reason = stateOf(cause) ?? text
  const words = text === reason ? text : `${text} (${reason})`
  return new FeedError('STATE_IO', `${path}: ${words}`, { path, operation, reason }, { retryable })
}

async function loadPg(): Promise<typeof import('pg')> {
  try {
    const { Client } = await import('pg')
    return { Client } as typeof import('pg')
  } catch (cause) {
    throw missingPackage('feedmill/postgres', 'pg', PACKAGES, cause)
  }
}

async function loadCopy(): Promise<Pick<typeof import('pg-copy-streams'), 'from'>> {
  try {
    const { from } = await import('pg-copy-streams')
    return { from }
  } catch (cause) {
    throw missingPackage('feedmill/postgres', 'pg-copy-streams', PACKAGES, cause)
  }
}
