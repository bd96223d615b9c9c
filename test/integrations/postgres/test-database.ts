// A database of a test of its own, which the test removes, and a plain connection to look into it.

import { randomBytes } from 'node:crypto'
import { Client } from 'pg'
import { SERVICES } from '../../services'

export interface TestDatabase {
  readonly url: string
  /** Runs a statement on a connection that feedmill does not know. */
  sql(text: string, values?: unknown[]): Promise<Record<string, unknown>[]>
  drop(): Promise<void>
}

export async function testDatabase(): Promise<TestDatabase> {
  const name = `feedmill_test_${randomBytes(6).toString('hex')}`
  const server = new Client({ connectionString: SERVICES.postgres.url })
  await server.connect()
  await server.query(`CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8'`)
  // A test has many commits, and none of them has to outlive the machine.
  await server.query(`ALTER DATABASE ${name} SET synchronous_commit = off`)
  const url = new URL(SERVICES.postgres.url)
  url.pathname = name
  const client = new Client({ connectionString: url.href })
  await client.connect()
  return {
    url: url.href,
    sql: async (text, values) => (await client.query(text, values)).rows,
    drop: async () => {
      await client.end()
      await server.query(`DROP DATABASE ${name} WITH (FORCE)`)
      await server.end()
    },
  }
}
