// The answers that a fault gives instead of those of the service.

import { FeedError } from '../../engine/index'
import { plainErrors } from '../http/error-family'
import { challenge } from '../tokens/tokens'
import type { Fault } from './fault'
import { FAULT_HEADER } from './fault-plan'

const PAGE =
  '<!DOCTYPE html>\n<html><head><title>Please wait</title></head><body><h1>We will be right back</h1></body></html>\n'

/**
 * Returns the answer of a fault that does not need the service. Returns undefined for the other
 * kinds.
 */
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

/** Makes an Error object (feed-file-catalog.md, section 3.10) of the known fields. */
function withoutCode(status: number, headers: Readonly<Record<string, string>> = {}): Response {
  return plainErrors(false).codeless(status, 'The service did not say what is wrong.', { headers })
}

/** The answer to a request that names an unknown fault. */
export function unreadableFault(error: unknown): Response {
  return Response.json(
    { error: FeedError.is(error) ? error.message : 'unreadable' },
    { status: 400 },
  )
}

/**
 * Makes the same request, which its operation answers with its internal problem (the documented
 * rows with status 500). No operation has a method other than GET and POST, and a few others cannot
 * be put into a Request at all.
 */
export function failingRequest(request: Request): Request {
  const headers = new Headers(request.headers)
  headers.set(FAULT_HEADER, 'error;code=internal')
  const method = ['GET', 'HEAD', 'POST'].includes(request.method) ? request.method : 'OPTIONS'
  return new Request(request.url, { method, headers })
}
