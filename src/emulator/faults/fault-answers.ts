// The answers that a fault gives in the place of the service's own.

import { FeedError } from '../../errors'
import { plainErrors } from '../http/error-family'
import { challenge } from '../tokens/tokens'
import type { Fault } from './fault'
import { FAULT_HEADER } from './fault-plan'

const PAGE =
  '<!DOCTYPE html>\n<html><head><title>Please wait</title></head><body><h1>We will be right back</h1></body></html>\n'

/** The whole answer of a fault that asks the service nothing; undefined for the other kinds. */
export function cannedAnswer(fault: Fault, request: Request): Response | undefined {
  if (fault.kind === '401')
    return withoutCode(401, {
      'www-authenticate': challenge('invalid_token', request.headers.get('authorization')),
    })
  if (fault.kind === 'html')
    return new Response(PAGE, { headers: { 'content-type': 'text/html; charset=utf-8' } })
  if (fault.kind === '404' || fault.kind === '409' || fault.kind === '416')
    return withoutCode(Number(fault.kind))
  if (fault.kind !== '429' && fault.kind !== '503') return undefined
  const retryAfter = fault['retry-after']
  const headers = {
    'content-type': 'text/plain',
    ...(retryAfter === undefined ? {} : { 'retry-after': retryAfter }),
  }
  return new Response(fault.kind === '429' ? 'Too many requests.\n' : 'Not now.\n', {
    status: Number(fault.kind),
    headers,
  })
}

/** An Error object (feed-file-catalog.md, section 3.10) as far as it is known. */
function withoutCode(status: number, headers: Readonly<Record<string, string>> = {}): Response {
  return plainErrors(false).codeless(status, 'The service did not say what is wrong.', { headers })
}

/** What a tester gets who wrote a fault that does not exist. */
export function unreadableFault(error: unknown): Response {
  return Response.json(
    { error: FeedError.is(error) ? error.message : 'unreadable' },
    { status: 400 },
  )
}

/**
 * The same request, to be answered by its operation's internal problem (the documented rows with
 * status 500). No operation has a method other than GET and POST, and a few others cannot be put
 * into a Request at all.
 */
export function failingRequest(request: Request): Request {
  const headers = new Headers(request.headers)
  headers.set(FAULT_HEADER, 'error;code=internal')
  const method = ['GET', 'HEAD', 'POST'].includes(request.method) ? request.method : 'OPTIONS'
  return new Request(request.url, { method, headers })
}
