// A refusal or failure of the service as an error, the same for ranges and for JSON, and whether
// asking again may help. Follows feed-file-catalog.md, section 6, item-feeds.md, section 5, and
// signing-keys-and-subscriptions.md, section 7.

import {
  type AuthChallenge,
  type ErrorContexts,
  FeedError,
  type ServiceDescription,
} from '../../errors'

/** Statuses that may pass by themselves. */
const RETRY_STATUSES: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504])
/** 13006 internal problem, 13007 file still being generated (item-feeds.md, section 5). */
const RETRY_ERROR_IDS: ReadonlySet<number | undefined> = new Set([13006, 13007])

/** For requests whose headers are the caller's own. */
const ADVICE =
  'the option headers has to bring a token that may read this, such as { Authorization: "Bearer …" }'

/** Where and how the service answered, without what it said of it. */
export type StatusFacts = Omit<ErrorContexts['HTTP_STATUS'], keyof ServiceDescription>

/** `description` is what the body says: see readServiceError. */
export function statusError(
  facts: StatusFacts,
  description: ServiceDescription,
  cause?: unknown,
): FeedError<'HTTP_STATUS'> {
  const { operation, status, challenge } = facts
  const { errorId } = description
  const retryable = RETRY_STATUSES.has(status) || RETRY_ERROR_IDS.has(errorId)
  const said = description.message === undefined ? '' : `: ${description.message}`
  const what = `status ${status}${errorId === undefined ? '' : `, error ${errorId}`}${challengeText(challenge)}${said}`
  // A client of the service has put the token there itself; who fetches without one has to bring
  // it.
  const advice = operation === undefined && (status === 401 || status === 403) ? ` (${ADVICE})` : ''
  const message = `${operation === undefined ? '' : `${operation}: `}${what}${advice}`
  return new FeedError('HTTP_STATUS', message, { ...description, ...facts }, { retryable, cause })
}

function challengeText({ error, description }: AuthChallenge = {}): string {
  const parts = [error, description].filter(part => part !== undefined)
  return parts.length === 0 ? '' : `, ${parts.join(': ')}`
}
