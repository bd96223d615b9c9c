// The right to write a category: an advisory lock of the connection, and a fencing number in the
// table `writers`. The lock keeps a second writer out. The number proves, in each transaction, that
// no other writer has had the lock since.

import { FeedError } from '../../engine/index'
import type { Category } from '../../sync/index'
import { hasState, type PgConnection } from './pg-adapter'
import type { TargetNames } from './sql-names'
import { inCategory, OF_CATEGORY } from './tables'

const LOCK_NOT_AVAILABLE = '55P03'

export class CategoryLock {
  readonly #names: TargetNames
  readonly #place: string
  readonly #category: readonly [marketplace: string, categoryId: string]
  #number: string | undefined

  constructor(names: TargetNames, place: string, category: Category) {
    this.#names = names
    this.#place = place
    this.#category = inCategory(category)
  }

  /**
   * Takes the lock for the connection, at first with a new fencing number. A later call, for a new
   * connection, only succeeds where no other writer has been there.
   * @throws FeedError STATE_LOCKED
   */
  async take(connection: PgConnection): Promise<void> {
    const isFirst = this.#number === undefined
    // A writer that came between may have the lock for long, and there is nothing to wait for.
    if (!isFirst) await this.#proveLatest(connection)
    try {
      await connection.query('SELECT pg_advisory_lock($1::bigint)', [
        this.#names.lockKey(...this.#category),
      ])
    } catch (error) {
      // After a loss the server may still be ending the old connection, which has the lock.
      if (hasState(error, LOCK_NOT_AVAILABLE))
        throw this.#locked('another writer has the lock', !isFirst)
      throw error
    }
    if (isFirst) this.#number = await this.#nextNumber(connection)
    else await this.#proveLatest(connection)
  }

  /**
   * Proves that this writer is the latest, and keeps others from becoming it until the transaction
   * ends.
   * @throws FeedError STATE_LOCKED
   */
  async prove(connection: PgConnection): Promise<void> {
    await this.#proveLatest(connection, 'FOR SHARE')
  }

  async #nextNumber(connection: PgConnection): Promise<string> {
    const [row] = await connection.query(
      `INSERT INTO ${this.#names.table('writers')} AS w (marketplace, feed_category, number)
       VALUES ($1, $2, 1)
       ON CONFLICT (marketplace, feed_category) DO UPDATE SET number = w.number + 1
       RETURNING number`,
      this.#category,
    )
    return String(row?.number)
  }

  async #proveLatest(connection: PgConnection, locking: 'FOR SHARE' | '' = ''): Promise<void> {
    const [row] = await connection.query(
      `SELECT number FROM ${this.#names.table('writers')}
       WHERE ${OF_CATEGORY} ${locking}`,
      this.#category,
    )
    if (String(row?.number) !== this.#number)
      throw this.#locked('another writer has taken over', false)
  }

  #locked(words: string, retryable: boolean): FeedError<'STATE_LOCKED'> {
    const path = `${this.#place}: ${this.#category.join('/')}`
    const message = `${path}: ${words}: wait for its end, or stop it`
    return new FeedError('STATE_LOCKED', message, { path }, { retryable })
  }
}
