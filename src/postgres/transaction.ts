// One transaction on a connection.

import type { PgConnection } from './pg-adapter'

/** Commits what `work` does, or rolls it back where `work` or the commit fails. */
export async function inTransaction<T>(
  connection: PgConnection,
  work: () => Promise<T>,
): Promise<T> {
  await connection.query('BEGIN')
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
