// Reads a refusal, which is a response without a status of success, for ranges and for JSON alike:
// its error, whether a repeat may help, and how long the server asks to wait before it. It follows
// feed-file-catalog.md, section 6, item-feeds.md, section 5, and signing-keys-and-subscriptions.md,
// section 7.

import {
  type AuthChallenge,
  type ErrorContexts,
  excerpt,
  FeedError,
  type ServiceDescription,
} from '../../errors'
import { readInstant } from '../instant'

/**
 * Statuses of failures that may pass: 202 is a file that is still being made, 425 a request that came
 * too early (RFC 8470), and 520 to 524 are those of a CDN whose origin does not answer.
 */
const RETRY_STATUSES: ReadonlySet<number> = new Set([
  202, 408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524,
])
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

// Reads the header WWW-Authenticate of a refusal: a Bearer challenge (RFC 6750, section 3, in the
// form of RFC 9110, 11.6.1). The server may repeat the token in it, so the caller has to cover
// secrets.

/** The part of the header that is read: no genuine challenge is longer. */
const MAX_CHARS = 8 * 1024

/** Matches a scheme, or one parameter with its value as a quoted string or as a token. */
const PARTS = /([!#$%&'*+.^_`|~0-9a-z-]+)\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+)))?/gi

/**
 * Returns the error and the description of the first Bearer challenge; undefined where there is
 * neither. Never throws.
 */
export function readChallenge(header: string | undefined): AuthChallenge | undefined {
  let isBearer = false
  let error: string | undefined
  let description: string | undefined
  for (const [, name = '', quoted, bare] of (header ?? '').slice(0, MAX_CHARS).matchAll(PARTS)) {
    const value = quoted?.replace(/\\(.)/g, '$1') ?? bare
    if (value === undefined) isBearer = name.toLowerCase() === 'bearer'
    else if (isBearer && name.toLowerCase() === 'error') error ??= excerpt(value, 40)
    else if (isBearer && name.toLowerCase() === 'error_description')
      description ??= excerpt(value, 200)
  }
  if (error === undefined && description === undefined) return undefined
  return {
    ...(error !== undefined && { error }),
    ...(description !== undefined && { description }),
  }
}

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

// Reads the JSON body of an error response, in two forms: one error (feed-file-catalog.md,
// section 3.10), or `{"errors":[Error, …]}` (service-notes.md, section 4.3). Each field is read
// alone: a field of the wrong type is left out, and the others are kept.

/** The elements that are kept of each list. */
const MAX_LISTED = 20

/** Reads the text of a body. A malformed text gives an empty description. Never throws. */
export function readServiceError(body: string): ServiceDescription {
  const error = errorObject(parsed(body))
  const { errorId, parameters } = error
  const [inputRefIds, outputRefIds] = [texts(error.inputRefIds), texts(error.outputRefIds)]
  return {
    ...(typeof errorId === 'number' && Number.isSafeInteger(errorId) ? { errorId } : {}),
    ...text('category', error.category, 40),
    ...text('domain', error.domain, 40),
    ...text('subdomain', error.subdomain, 40),
    ...text('message', error.message, 200),
    ...text('longMessage', error.longMessage, 500),
    ...(inputRefIds && { inputRefIds }),
    ...(outputRefIds && { outputRefIds }),
    ...(Array.isArray(parameters) && parameters.length > 0
      ? { parameters: parametersOf(parameters) }
      : {}),
  }
}

function text<N extends string>(
  name: N,
  value: unknown,
  limit: number,
): Partial<Record<N, string>> {
  return typeof value === 'string' ? ({ [name]: excerpt(value, limit) } as Record<N, string>) : {}
}

function texts(value: unknown): readonly string[] | undefined {
  const all = Array.isArray(value)
    ? value.filter((element): element is string => typeof element === 'string')
    : []
  return all.length === 0 ? undefined : all.slice(0, MAX_LISTED).map(element => excerpt(element))
}

function parametersOf(
  parameters: readonly unknown[],
): NonNullable<ServiceDescription['parameters']> {
  return parameters.slice(0, MAX_LISTED).flatMap(parameter => {
    const { name, value } = asRecord(parameter)
    return typeof name === 'string' ? [{ name: excerpt(name), ...text('value', value, 200) }] : []
  })
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

function errorObject(value: unknown): Record<string, unknown> {
  const { errors } = asRecord(value)
  return Array.isArray(errors) ? asRecord(errors[0]) : asRecord(value)
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

/**
 * Returns the milliseconds from `nowMs` that a Retry-After header asks for; undefined where the
 * header is absent or malformed.
 */
export function readRetryAfter(header: string | undefined, nowMs: number): number | undefined {
  const text = header?.trim()
  if (!text) return undefined
  if (/^\d+$/.test(text)) return Number(text) * 1000
  const at = readInstant(text)?.getTime()
  return at === undefined ? undefined : Math.max(0, at - nowMs)
}
