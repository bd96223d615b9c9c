// One transaction on a connection.

import type { PgConnection } from './pg-adapter'

/** Commits what `work` does, or rolls it back where `work` or the commit fails. */
export function inTransaction<T>(connection: PgConnection, work: () => Promise<T>): Promise<T> {
  return transaction(connection, 'READ COMMITTED', work)
}

/**
 * Does the same on the rows as they are at its first statement: it fails, retryable, where it would
 * write a row that another transaction has changed since.
 */
export function inSnapshot<T>(connection: PgConnection, work: () => Promise<T>): Promise<T> {
  return transaction(connection, 'REPEATABLE READ', work)
}

async function transaction<T>(
  connection: PgConnection,
  isolation: 'READ COMMITTED' | 'REPEATABLE READ',
  work: () => Promise<T>,
): Promise<T> {
  await connection.query(`BEGIN ISOLATION LEVEL ${isolation}`)
  try {
    const result = await work()
    await connection.query('COMMIT')
    return result
  } catch (error) {
    // The work's failure is the one to report. Without an answer the server rolls back itself.
    if (!connection.isLost) await connection.query('ROLLBACK').catch(() => connection.destroy())
    throw error
  }
}
