// The typed errors of a DuckDB file, and what DuckDB says of a failure.

import { excerpt, FeedError, messageOf, stateIo, systemCode } from '../../engine/index'

/** The error of a database that cannot be opened. */
export function openingFailed(path: string, cause: unknown): FeedError {
  const text = systemCode(cause) ?? messageOf(cause)
  if (/lock on file/i.test(text)) return locked(path, /PID \d+/.exec(text)?.[0], cause)
  if (/not a valid DuckDB database/i.test(text))
    return foreign(path, 'content', 'a DuckDB database', 'of another kind', cause)
  return stateIo(path, 'open', excerpt(text, 200), cause)
}

export function statementFailed(path: string, cause: unknown): FeedError {
  return stateIo(path, 'statement', excerpt(messageOf(cause), 300), cause)
}

export function locked(path: string, holder: string | undefined, cause?: unknown) {
  const by = holder === undefined ? '' : ` (${holder})`
  const message = `${path} is open in another writer${by}: a DuckDB file has one at a time; wait until it ends, or close it`
  return new FeedError('STATE_LOCKED', message, { path }, { cause })
}

export function foreign(
  path: string,
  what: string,
  expected: string,
  received: string,
  cause?: unknown,
) {
  const message = `${path}: the ${what} must be ${expected}, not ${received}: use another file`
  return new FeedError('STATE_FOREIGN', message, { path, what, expected, received }, { cause })
}
