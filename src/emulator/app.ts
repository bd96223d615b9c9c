// Registers the routes and stands guard before each: the token, the errors that a test asks for by header, failures inside.
// The only file that knows hono: what is behind a route is a function from a call to a response.

import { type Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { FAULT_HEADER } from './faults/fault-plan'
import type { Admission, Call, Route, RouteErrors } from './route'
import { challenge, type TokenClaims, type TokenIssuer, type TokenRefusal, unauthorized } from './tokens'

export interface AppParts {
  readonly routes: readonly Route[]
  readonly tokens: TokenIssuer
  readonly scopeBase: string
}

/** Longest request body, in bytes: the largest real one is a subscription of a few hundred. */
const REQUEST_BODY_BYTES = 64 * 1024

const FORCED_ERROR = /^error;code=(\d+|internal)$/

/** Who calls an operation that is open to all. */
const ANYBODY: TokenClaims = { grant: 'application', scopes: [], expiresMs: 0 }

/** The whole service as one function from request to response. It does not throw. */
export function createApp(parts: AppParts): (request: Request) => Promise<Response> {
  const app = new Hono()
  const limit = bodyLimit({ maxSize: REQUEST_BODY_BYTES, onError: context => context.body(null, 413) })
  for (const route of parts.routes) {
    app.on(route.method.toUpperCase(), honoPath(route.path), limit, context => answer(route, context, parts))
  }
  return async request => app.fetch(request)
}

/** Variables in braces to variables after a colon. */
function honoPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1')
}

async function answer(route: Route, context: Context, { tokens, scopeBase }: AppParts): Promise<Response> {
  const request = context.req.raw
  const caller = admit(route.admissions, tokens.read(request.headers.get('authorization')), scopeBase)
  if (typeof caller === 'string') return deny(caller, request, route.errors)
  const call: Call = { request, path: context.req.param(), caller }
  return forcedError(route, request) ?? answerSafely(route, call)
}

function admit(admissions: readonly Admission[], claims: TokenClaims | undefined, scopeBase: string): TokenClaims | TokenRefusal {
  if (admissions.length === 0) return ANYBODY
  if (claims === undefined) return 'invalid_token'
  const opens = ({ grant, scope }: Admission) => claims.grant === grant && claims.scopes.includes(`${scopeBase}/${scope}`)
  return admissions.some(opens) ? claims : 'insufficient_scope'
}

function deny(refusal: TokenRefusal, request: Request, errors: RouteErrors | undefined): Response {
  const authorization = request.headers.get('authorization')
  const denial = errors?.denied?.[refusal]
  if (errors === undefined || denial === undefined) return unauthorized(refusal, authorization)
  const headers = { 'www-authenticate': challenge(refusal, authorization) }
  return Response.json(errors.family.body(denial.id), { status: denial.status, headers })
}

/**
 * A documented error that no ordinary request can meet, asked for by the header `x-feedmill-fault: error;code=<id>`;
 * `error;code=internal` is a failure inside. A code that the operation does not have is the tester's mistake.
 */
function forcedError({ errors, operationId }: Route, request: Request): Response | undefined {
  const code = FORCED_ERROR.exec(request.headers.get(FAULT_HEADER) ?? '')?.[1]
  if (code === undefined) return undefined
  if (code === 'internal') return internalProblem(errors)
  if (errors?.ids.includes(Number(code))) return errors.family.response(Number(code))
  return Response.json({ error: `${operationId} has no error ${code}` }, { status: 400 })
}

function internalProblem(errors: RouteErrors | undefined): Response {
  return errors === undefined ? new Response(null, { status: 500 }) : errors.family.response(errors.internal)
}

async function answerSafely({ answer, errors }: Route, call: Call): Promise<Response> {
  try {
    return await answer(call)
  } catch {
    return internalProblem(errors)
  }
}
