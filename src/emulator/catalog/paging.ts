// Pages of a list: the continuation token, and the links to this page and the next. A token names
// the last entry of its page and not a count, so that entries which come or go at either end of the
// list between two requests shift nothing. A token belongs to one query: the service refuses it
// with other filters, and refuses tokens that it did not make.

import { createHash } from 'node:crypto'

/** Entries rise by position; the numbers compare from the left. */
export type Position = readonly number[]

/** Query parameters that may differ between the pages of one list. */
const PAGE_PARAMETERS: readonly string[] = ['limit', 'continuation_token']

export interface PageRequest {
  readonly request: Request
  /** Further values on which the list depends, such as the marketplace header. */
  readonly context: string
  readonly limit: number
  /** The continuation token. Null asks for the first page. */
  readonly token: string | null
}

/**
 * Returns the requested page of `entries`. Returns undefined when the token does not belong to this
 * list.
 */
export function pageOf<T>(
  entries: readonly T[],
  positionOf: (entry: T) => Position,
  page: PageRequest,
) {
  const url = new URL(page.request.url)
  const digest = queryDigest(url, page.context)
  const after = page.token === null ? [] : readToken(page.token, digest)
  if (after === undefined) return undefined
  const rest = entries.filter(entry => comparePositions(positionOf(entry), after) > 0)
  const shown = rest.slice(0, page.limit)
  const last = shown.at(-1)
  const next =
    last !== undefined && rest.length > shown.length
      ? nextLink(url, makeToken(positionOf(last), digest))
      : undefined
  return {
    entries: shown,
    href: url.href,
    total: entries.length,
    ...(next === undefined ? {} : { next }),
  }
}

function nextLink(url: URL, token: string): string {
  const next = new URL(url)
  next.searchParams.set('continuation_token', token)
  return next.href
}

function queryDigest(url: URL, context: string): string {
  const filters = [...url.searchParams].filter(([name]) => !PAGE_PARAMETERS.includes(name)).sort()
  return JSON.stringify([url.pathname, context, filters])
}

function makeToken(position: Position, digest: string): string {
  const text = JSON.stringify(position)
  return `${Buffer.from(text).toString('base64url')}.${proof(text, digest)}`
}

function readToken(token: string, digest: string): Position | undefined {
  const [encoded = '', given] = token.split('.')
  const text = Buffer.from(encoded, 'base64url').toString('utf8')
  return given === proof(text, digest) ? (JSON.parse(text) as Position) : undefined
}

function proof(text: string, digest: string): string {
  return createHash('sha256').update(`${digest}\n${text}`).digest('base64url').slice(0, 16)
}

function comparePositions(a: Position, b: Position): number {
  const at = a.findIndex((value, i) => value !== b[i])
  return at < 0 ? 0 : a[at]! - (b[at] ?? Number.NEGATIVE_INFINITY)
}
