// Reads a refusal, which is a response without a status of success, for ranges and for JSON alike:
// its error, and how long the server asks to wait before a repeat.

import type { FeedError, ServiceDescription } from '../../errors'
import { readRetryAfter } from './backoff'
import { readChallenge } from './challenge'
import { readServiceError } from './service-error'
import { type StatusFacts, statusError } from './status-error'

/** A response with the part of its body that was read as text. */
export interface RefusedResponse {
  readonly status: number
  /** A header's value; repeated headers joined by `, `. */
  header(name: string): string | undefined
  /** The first part of the body. */
  readonly text?: string
}

export interface Refusal {
  /** Its `retryable` says whether a repeat may help. */
  readonly error: FeedError<'HTTP_STATUS'>
  /** What the body says. */
  readonly description: ServiceDescription
  /** Undefined where the server does not ask for a wait. */
  readonly retryAfterMs: number | undefined
}

/**
 * Reads a refusal. `where` says what was asked for, with a printable URL; `nowMs` is the clock for
 * a Retry-After date.
 */
export function readRefusal(
  response: RefusedResponse,
  where: Omit<StatusFacts, 'status' | 'challenge'>,
  nowMs: number,
): Refusal {
  const challenge = readChallenge(response.header('www-authenticate'))
  const description = readServiceError(response.text ?? '')
  const facts = { ...where, status: response.status, ...(challenge && { challenge }) }
  return {
    error: statusError(facts, description),
    description,
    retryAfterMs: readRetryAfter(response.header('retry-after'), nowMs),
  }
}
