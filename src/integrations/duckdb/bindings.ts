// The adapter of @duckdb/node-api, an optional package with native code, and of the bindings below it.
//
// The package offers no vector of a chunk without the cost of a class for each, and its promise of a
// statement has a thread of Node's pool run DuckDB's work in turns. So some calls go to its own
// dependency @duckdb/node-bindings, and to a field that its types keep private. Both may change with
// any version: this file is proved with 1.5.6-r.1, and asks for 1.5.6 or later.

import { createRequire } from 'node:module'
import { setTimeout as sleep } from 'node:timers/promises'
import type { DuckDBConnection } from '@duckdb/node-api'
import { FeedError, missingPackage } from '../../engine/index'
import type { Vector, VectorCalls } from './column-vectors'

export type { DuckDBConnection, DuckDBInstance, DuckDBType } from '@duckdb/node-api'

/** The settings of the allocator, which it reads only when it is loaded. */
const ALLOCATOR = 'DUCKDB_JE_MALLOC_CONF'
/** The time between two looks at a statement, which takes some hundred milliseconds. */
const POLL_MS = 10

export type Api = typeof import('@duckdb/node-api')

/** Calls of the bindings. */
export interface Calls extends VectorCalls {
  data_chunk_get_vector(chunk: unknown, column: number): Vector
  data_chunk_set_size(chunk: unknown, rows: number): void
  /** Returns the state of a statement that DuckDB's threads run, and runs nothing of it. */
  pending_execute_check_state(pending: unknown): number
  pending_error(pending: unknown): string
}
/** The states of a statement that has ended: its result is ready, or it has failed. */
const ENDED_STATES: readonly number[] = [0, 2]

/** @throws FeedError DEPENDENCY_MISSING, with the command that installs the package */
export async function loadDuckdb(): Promise<{ readonly api: Api; readonly calls: Calls }> {
  const missing = (cause: unknown) =>
    missingPackage('feedmill/duckdb', '@duckdb/node-api', '@duckdb/node-api@>=1.5.6', cause)
  try {
    const api = await withAllocator(() => import('@duckdb/node-api'))
    if (api.DuckDBTableFunction === undefined) throw missing(undefined)
    // The bindings are a dependency of the package and not of this one.
    const own = createRequire(import.meta.url).resolve('@duckdb/node-api')
    return { api, calls: createRequire(own)('@duckdb/node-bindings') }
  } catch (cause) {
    throw FeedError.is(cause) ? cause : missing(cause)
  }
}

/**
 * Loads DuckDB with an allocator that gives freed memory back soon, and not after ten seconds. To
 * give it back at once costs system time.
 */
async function withAllocator<T>(load: () => Promise<T>): Promise<T> {
  const { env } = process
  if (env[ALLOCATOR] !== undefined) return load()
  env[ALLOCATOR] = 'dirty_decay_ms:200,muzzy_decay_ms:0'
  try {
    return await load()
  } finally {
    delete env[ALLOCATOR]
  }
}

/**
 * Lets the threads of DuckDB run a statement, and no thread of Node's pool.
 * @returns what DuckDB says of a failure; undefined where there is none
 */
export async function runOnThreads(
  connection: DuckDBConnection,
  calls: Calls,
  sql: string,
): Promise<string | undefined> {
  const pending = await connection.start(sql)
  const { pending_result } = pending as unknown as { readonly pending_result: unknown }
  while (!ENDED_STATES.includes(calls.pending_execute_check_state(pending_result)))
    await sleep(POLL_MS)
  const failure = calls.pending_error(pending_result)
  if (failure) return failure
  await pending.getResult()
  return undefined
}
