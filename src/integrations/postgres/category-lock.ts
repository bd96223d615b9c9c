// The right to write a category: an advisory lock of the connection, and a fencing number in the
// table `categories`. The lock keeps a second writer out. The number proves, in each transaction, that
// no other writer has had the lock since.

import { FeedError } from '../../engine/index'
import type { Category } from '../../sync/index'
import { hasState, type PgConnection } from './pg-adapter'
import type { TargetNames } from './sql-names'

const LOCK_NOT_AVAILABLE = '55P03'

const OF_CATEGORY = 'marketplace = $1 AND feed_category = $2'

export function categoryLock(names: TargetNames, place: string, category: Category) {
  const parameters = [category.marketplace, category.categoryId] as const
  const writers = names.table('categories')
  let number: string | undefined
  const locked = (words: string, retryable: boolean) => {
    const path = `${place}: ${parameters.join('/')}`
    const message = `${path}: ${words}: wait for its end, or stop it`
    return new FeedError('STATE_LOCKED', message, { path }, { retryable })
  }
  const proveLatest = async (connection: PgConnection, locking: 'FOR SHARE' | '' = '') => {
    const [row] = await connection.query(
      `SELECT writer FROM ${writers}
       WHERE ${OF_CATEGORY} ${locking}`,
      parameters,
    )
    if (String(row?.writer) !== number) throw locked('another writer has taken over', false)
  }
  return {
    /**
     * Takes the lock for the connection, at first with a new fencing number. A later call, for a new
     * connection, only succeeds where no other writer has been there.
     * @throws FeedError STATE_LOCKED
     */
    async take(connection: PgConnection): Promise<void> {
      const isFirst = number === undefined
      // A writer that came between may have the lock for long, and there is nothing to wait for.
      if (!isFirst) await proveLatest(connection)
      try {
        const key = names.lockKey(...parameters)
        await connection.query('SELECT pg_advisory_lock($1::bigint)', [key])
      } catch (error) {
        // After a loss the server may still be ending the old connection, which has the lock.
        if (hasState(error, LOCK_NOT_AVAILABLE))
          throw locked('another writer has the lock', !isFirst)
        throw error
      }
      if (!isFirst) return proveLatest(connection)
      const [row] = await connection.query(
        `INSERT INTO ${writers} AS w (marketplace, feed_category, writer)
         VALUES ($1, $2, 1)
         ON CONFLICT (marketplace, feed_category) DO UPDATE SET writer = w.writer + 1
         RETURNING writer`,
        parameters,
      )
      number = String(row?.writer)
    },
    /**
     * Proves that this writer is the latest, and keeps others from becoming it until the transaction
     * ends.
     * @throws FeedError STATE_LOCKED
     */
    prove: (connection: PgConnection) => proveLatest(connection, 'FOR SHARE'),
  }
}
