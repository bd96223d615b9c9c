// Makes the error of a response without a status of success, for ranges and for JSON alike, and
// decides whether a repeat may help. It follows feed-file-catalog.md, section 6, item-feeds.md,
// section 5, and signing-keys-and-subscriptions.md, section 7.

import {
  type AuthChallenge,
  type ErrorContexts,
  FeedError,
  type ServiceDescription,
} from '../../errors'

/** Statuses of failures that may pass. */
const RETRY_STATUSES: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504])
/**
 * Errors of failures that may pass: 13006 is an internal problem, 13007 a file that is still being
 * generated (item-feeds.md, section 5).
 */
const RETRY_ERROR_IDS: ReadonlySet<number | undefined> = new Set([13006, 13007])

/** Advice for requests whose headers come from the caller. */
const ADVICE =
  'the option headers needs a token for this resource, such as { Authorization: "Bearer …" }'

/** The request and the status of its response, without the description of the body. */
export type StatusFacts = Omit<ErrorContexts['HTTP_STATUS'], keyof ServiceDescription>

/** Returns the error. `description` is what the body says: see readServiceError. */
export function statusError(
  facts: StatusFacts,
  description: ServiceDescription,
  cause?: unknown,
): FeedError<'HTTP_STATUS'> {
  const { operation, status, challenge } = facts
  const { errorId } = description
  const retryable = RETRY_STATUSES.has(status) || RETRY_ERROR_IDS.has(errorId)
  const said = description.message === undefined ? '' : `: ${description.message}`
  const error = errorId === undefined ? '' : `, error ${errorId}`
  const what = `status ${status}${error}${challengeText(challenge)}${said}`
  // Clients of the service set the token themselves. Other callers have to set it.
  const advice = operation === undefined && (status === 401 || status === 403) ? ` (${ADVICE})` : ''
  const message = `${operation === undefined ? '' : `${operation}: `}${what}${advice}`
  return new FeedError('HTTP_STATUS', message, { ...description, ...facts }, { retryable, cause })
}

function challengeText({ error, description }: AuthChallenge = {}): string {
  const parts = [error, description].filter(part => part !== undefined)
  return parts.length === 0 ? '' : `, ${parts.join(': ')}`
}
