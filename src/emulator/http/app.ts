// Registers the routes and checks each request: the token, the query, the body, and the errors that
// a test requests by header. It also answers for failures inside. Only this file uses hono, which
// is loaded with the first request, so that making an emulator stays synchronous. A route has a
// function from a call to a response.

import type { Context } from 'hono'
import { missingPackage } from '../../engine/index'
import { FAULT_HEADER } from '../faults/fault-plan'
import { challenge, type TokenIssuer } from '../tokens'
import { type ErrorFamily, INVALID_DATA } from './error-family'
import {
  type Admission,
  type Call,
  REFUSAL_STATUS,
  type Route,
  repeatedName,
  type TokenClaims,
  type TokenRefusal,
  takesQuery,
} from './route'

export interface AppParts {
  readonly routes: readonly Route[]
  readonly tokens: TokenIssuer
  readonly scopeBase: string
  /**
   * The errors for requests that reach no operation, and for cases without an error of the
   * operation.
   */
  readonly plain: ErrorFamily<never>
}

/**
 * The longest request body, in bytes. The largest real one is a subscription of a few hundred
 * bytes.
 */
const REQUEST_BODY_BYTES = 64 * 1024

/** What `npm install` takes for a served emulator. */
export const EMULATOR_PACKAGES = 'hono @hono/node-server'

const FORCED_ERROR = /^error;code=(\d+|internal)$/

/** The caller of an operation that needs no token. */
const ANYBODY: TokenClaims = { grant: 'application', scopes: [], expiresMs: 0 }

export function createApp(parts: AppParts) {
  let router: ReturnType<typeof routerOf> | undefined
  const loaded = () => (router ??= routerOf(parts))
  return {
    /** Loads the router if necessary. @throws FeedError DEPENDENCY_MISSING without hono */
    load: async () => void (await loaded()),
    /**
     * Answers any request to the service.
     * @throws FeedError DEPENDENCY_MISSING without hono, and nothing else
     */
    answer: async (request: Request) => (await loaded()).fetch(request),
  }
}

/** The build turns an `import()` inside `try` into a form that bundlers treat as optional. */
async function hono() {
  try {
    return await import('hono')
  } catch (cause) {
    throw missingPackage('the emulator', 'hono', EMULATOR_PACKAGES, cause)
  }
}

async function routerOf(parts: AppParts) {
  const { Hono } = await hono()
  const router = new Hono()
  for (const route of parts.routes) {
    router.on(route.method.toUpperCase(), honoPath(route.path), context =>
      answer(route, context, parts),
    )
  }
  router.notFound(() => parts.plain.codeless(404, 'The service has no such operation.'))
  // hono would print the error and answer with plain text.
  router.onError(() => parts.plain.codeless(500, INTERNAL_PROBLEM))
  return router
}

/** Turns variables in braces into variables after a colon. */
function honoPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1')
}

async function answer(route: Route, context: Context, parts: AppParts): Promise<Response> {
  try {
    return await answerAdmitted(route, context, parts)
  } catch {
    return internalProblem(route, parts)
  }
}

async function answerAdmitted(route: Route, context: Context, parts: AppParts): Promise<Response> {
  const request = context.req.raw
  const caller = admit(
    route.admissions,
    parts.tokens.read(request.headers.get('authorization')),
    parts.scopeBase,
  )
  if (typeof caller === 'string') return deny(caller, route, request, parts)
  const repeated = takesQuery(route) ? repeatedName(new URL(request.url).searchParams) : undefined
  if (repeated !== undefined) return refuseRepeated(repeated, route, parts)
  const body = route.body === undefined ? '' : await readBody(request)
  if (body === undefined)
    return familyOf(route, parts).codeless(
      413,
      `The body is longer than ${REQUEST_BODY_BYTES} bytes.`,
    )
  const call: Call = { request, body, path: context.req.param(), caller }
  return forcedError(route, request, parts) ?? route.answer(call)
}

function admit(
  admissions: readonly Admission[],
  claims: TokenClaims | undefined,
  scopeBase: string,
): TokenClaims | TokenRefusal {
  if (admissions.length === 0) return ANYBODY
  if (claims === undefined) return 'invalid_token'
  const opens = ({ grant, scope }: Admission) =>
    claims.grant === grant && claims.scopes.includes(`${scopeBase}/${scope}`)
  return admissions.some(opens) ? claims : 'insufficient_scope'
}

/** Answers with the error of the operation if it has one, always with the challenge of RFC 6750. */
function deny(refusal: TokenRefusal, route: Route, request: Request, parts: AppParts): Response {
  const headers = { 'www-authenticate': challenge(refusal, request.headers.get('authorization')) }
  const details = { input: 'Authorization', headers }
  const denial = route.errors?.denied?.[refusal]
  if (denial !== undefined)
    return route.errors!.family.response(denial.id, { ...details, status: denial.status })
  const scopes = route.admissions.map(({ scope }) => `${parts.scopeBase}/${scope}`).join(' or ')
  const message =
    refusal === 'invalid_token'
      ? 'The access token is missing, not valid, or has ended.'
      : 'The access token is for something else.'
  return familyOf(route, parts).codeless(
    REFUSAL_STATUS[refusal],
    `${message} Use one with the scope ${scopes}.`,
    details,
  )
}

/**
 * The feeds have a code for this case (item-feeds.md, section 5); the other interfaces have none.
 */
function refuseRepeated(name: string, route: Route, parts: AppParts): Response {
  const { ids = [], family = parts.plain } = route.errors ?? {}
  const details = { input: name.slice(0, ECHO_CHARS) }
  return ids.includes(INVALID_DATA)
    ? (family as ErrorFamily).response(INVALID_DATA, details)
    : family.codeless(400, 'A query parameter comes more than once.', details)
}

/** The longest name of a parameter that an error repeats. */
const ECHO_CHARS = 80

/**
 * Returns the body as text. Returns undefined when it is too long. The received bytes count,
 * because a chunked body states no length. A body whose stated length is too long is not read.
 */
async function readBody(request: Request): Promise<string | undefined> {
  if (Number(request.headers.get('content-length') ?? 0) > REQUEST_BODY_BYTES) return undefined
  if (request.body === null) return ''
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for await (const chunk of request.body) {
    bytes += chunk.length
    if (bytes > REQUEST_BODY_BYTES) return undefined
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

/**
 * Answers with a documented error that the header requests, such as one that no ordinary request
 * can meet: `x-feedmill-fault: error;code=<id>`; `error;code=internal` is a failure inside. A code
 * that the operation does not have is refused.
 */
function forcedError(route: Route, request: Request, parts: AppParts): Response | undefined {
  const { errors, operationId } = route
  const code = FORCED_ERROR.exec(request.headers.get(FAULT_HEADER) ?? '')?.[1]
  if (code === undefined) return undefined
  if (code === 'internal') return internalProblem(route, parts)
  if (errors?.ids.includes(Number(code))) return errors.family.response(Number(code))
  return Response.json({ error: `${operationId} has no error ${code}` }, { status: 400 })
}

function internalProblem({ errors }: Route, { plain }: AppParts): Response {
  return errors === undefined
    ? plain.codeless(500, INTERNAL_PROBLEM)
    : errors.family.response(errors.internal)
}

const INTERNAL_PROBLEM = 'There was a problem with an internal system. Wait and try again.'

function familyOf({ errors }: Route, { plain }: AppParts): Pick<ErrorFamily, 'codeless'> {
  return errors?.family ?? plain
}
