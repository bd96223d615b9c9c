// The connection of an open target. It makes a new connection where one was lost, takes the locks
// of the categories again, and repeats the work. A transaction is on the connection alone: the work
// of several categories waits in a queue.

import {
  type AnyFeedError,
  familyOf,
  mayPass,
  orUndo,
  Retries,
  type RetryPolicy,
  Semaphore,
} from '../../engine/index'
import type { PostgresAddress } from './address'
import { PgConnection, type PostgresLimits } from './pg-adapter'

/** Work on a connection. Some is done on every new one, such as taking a lock. */
export type PgWork<T = void> = (connection: PgConnection) => Promise<T>

export interface SessionOptions {
  readonly address: PostgresAddress
  readonly limits: PostgresLimits
  readonly retry: RetryPolicy
  readonly signal: AbortSignal
}

export class PostgresSession {
  readonly #options: SessionOptions
  readonly #turns = new Semaphore(1)
  readonly #onConnect: PgWork[] = []
  #connection: PgConnection | undefined

  constructor(options: SessionOptions) {
    this.#options = options
  }

  /** Adds work of every new connection. The connection of now has done it. */
  onConnect(work: PgWork): void {
    this.#onConnect.push(work)
  }

  /**
   * Does `work`, and does it again on a new connection where the connection was lost. An abort of
   * the session's signal cuts the connection.
   * @throws FeedError STATE_IO where the server does not come back for as long as the option
   * `patienceMs` allows, STATE_LOCKED where another writer has taken over; the reason of the signal
   */
  run<T>(work: PgWork<T>): Promise<T> {
    return this.#turns.run(this.#options.signal, () => this.#repeated(work))
  }

  async close(): Promise<void> {
    const connection = this.#connection
    this.#connection = undefined
    if (connection === undefined || connection.isLost) return
    // A process of the server may end after its connection, and would hold its locks until then.
    await connection.query('SELECT pg_advisory_unlock_all()').catch(() => {})
    await connection.end()
  }

  async #repeated<T>(work: PgWork<T>): Promise<T> {
    const { retry, signal, address } = this.#options
    const retries = new Retries(retry, signal, () => address.name)
    const onAbort = () => this.#connection?.destroy()
    signal.addEventListener('abort', onAbort)
    try {
      for (;;) {
        try {
          return await work(await this.#connected())
        } catch (error) {
          signal.throwIfAborted()
          if (!mayPass(error, signal) || !isOfDatabase(error) || !(await retries.again(error)))
            throw error
        }
      }
    } finally {
      signal.removeEventListener('abort', onAbort)
    }
  }

  async #connected(): Promise<PgConnection> {
    if (this.#connection !== undefined && !this.#connection.isLost) return this.#connection
    const { address, limits, signal } = this.#options
    signal.throwIfAborted()
    const connection = await PgConnection.open(address, limits, signal)
    const prepare = async () => {
      signal.throwIfAborted()
      this.#connection = connection
      for (const work of this.#onConnect) await work(connection)
      return connection
    }
    return orUndo(prepare, async () => connection.destroy())
  }
}

/** A file that is damaged or refused is retryable too, but not by the same file. */
function isOfDatabase({ code }: AnyFeedError): boolean {
  return familyOf(code) === 'state'
}
