// A route registers, guards and describes an operation. The application and the OpenAPI document
// are made from the same list of routes, so that they agree. Further functions make the
// descriptions, and read and check the parts of a request.

import type { JsonSchema } from '../openapi/schemas'
import type { ErrorFamily } from './error-family'

/** Why a Bearer token is refused (RFC 6750, section 3.1). */
export type TokenRefusal = 'invalid_token' | 'insufficient_scope'

/** The content of a token. */
export interface TokenClaims {
  /** `application` stands for client credentials, `user` for an authorization code. */
  readonly grant: 'application' | 'user'
  readonly scopes: readonly string[]
  /** The time of expiry, in milliseconds since the epoch. */
  readonly expiresMs: number
}

/** The status that refuses a token (RFC 6750, section 3.1). */
export const REFUSAL_STATUS: Readonly<Record<TokenRefusal, 401 | 403>> = {
  invalid_token: 401,
  insufficient_scope: 403,
}

export interface Call {
  readonly request: Request
  /** The body as text. It is empty for an operation without a body. */
  readonly body: string
  /** The decoded variables of the path. */
  readonly path: Readonly<Record<string, string>>
  /** The holder of the token. */
  readonly caller: TokenClaims
}

/** The grant and the scope of a token that an operation accepts. The scope has no base. */
export interface Admission {
  readonly grant: TokenClaims['grant']
  readonly scope: string
}

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly description: string
  readonly required?: boolean
  /**
   * Default `{"type":"string"}`. The operation checks the value further and answers with its own
   * codes.
   */
  readonly schema?: JsonSchema
}

export interface ResponseDescription {
  readonly description: string
  /** The schema of the body. Undefined for a response without a body. */
  readonly body?: { readonly mediaType: string; readonly schema: JsonSchema }
  /** The headers by name, with their meaning. Headers without `optional` are always sent. */
  readonly headers?: Readonly<
    Record<string, { readonly description: string; readonly optional?: boolean }>
  >
}

export interface RouteErrors {
  readonly family: ErrorFamily
  readonly ids: readonly number[]
  /** Makes the answer to a failure inside. */
  readonly internal: number
  /**
   * The codes for a missing or invalid token, and for a token without the needed scope. Default: an
   * Error object without a code.
   */
  readonly denied?: Readonly<
    Partial<Record<TokenRefusal, { readonly id: number; readonly status: number }>>
  >
}

export interface Route {
  readonly method: 'get' | 'post'
  /** The path, with variables in braces: `/file/{file_id}`. */
  readonly path: string
  readonly operationId: string
  readonly tag: string
  readonly summary: string
  /** The operation accepts a token with any one of them. Without any, it needs no token. */
  readonly admissions: readonly Admission[]
  readonly parameters: readonly Parameter[]
  /** Request bodies are limited to 64 KiB. */
  readonly body?: { readonly mediaType: string; readonly schema: JsonSchema }
  /** The responses by status, without those of `errors`. */
  readonly responses: Readonly<Record<number, ResponseDescription>>
  readonly errors?: RouteErrors
  readonly answer: (call: Call) => Response | Promise<Response>
}

/** True for an operation with query parameters. The others read no query. */
export function takesQuery({ parameters }: Pick<Route, 'parameters'>): boolean {
  return parameters.some(({ in: place }) => place === 'query')
}

export function queryParameter(
  name: string,
  description: string,
  rest: { schema?: JsonSchema; required?: boolean } = {},
): Parameter {
  return { name, in: 'query', description, ...rest }
}

export function pathParameter(name: string, description: string): Parameter {
  return { name, in: 'path', description, required: true }
}

export function headerParameter(name: string, description: string, required = false): Parameter {
  return { name, in: 'header', description, required }
}

export function jsonResponse(description: string, schema: JsonSchema): ResponseDescription {
  return { description, body: { mediaType: 'application/json', schema } }
}

/** Describes a file, or a part of it with `part`. */
export function fileResponse(
  description: string,
  mediaType: string,
  part = false,
): ResponseDescription {
  return {
    description,
    body: { mediaType, schema: {} },
    headers: {
      'Content-Length': { description: 'Bytes that follow.' },
      'Content-Range': { description: 'Which bytes of how many.', optional: !part },
      'Last-Modified': { description: 'When the file was made.' },
    },
  }
}

/**
 * Returns a parameter that comes more than once in a query or a form. No document says which of its
 * values counts, so every operation refuses it (13000 in item-feeds.md, section 5; RFC 6749,
 * section 3.2).
 */
export function repeatedName(parameters: URLSearchParams): string | undefined {
  const seen = new Set<string>()
  for (const name of parameters.keys()) {
    if (seen.has(name)) return name
    seen.add(name)
  }
  return undefined
}

/** The inputs of errors that are headers. All others are parameters of the query. */
const HEADER_INPUTS: readonly string[] = ['marketplace', 'Range']

/**
 * Returns the parts of a request by the names that errors give them; null stands for a missing
 * part.
 * `names` has the names in the request where a profile defines them.
 */
export function requestParts<Part extends string>(
  request: Request,
  parts: readonly Part[],
  names: Readonly<Record<string, string>>,
): Readonly<Record<Part, string | null>> {
  const { searchParams } = new URL(request.url)
  const read = (part: Part) =>
    (HEADER_INPUTS.includes(part) ? request.headers : searchParams).get(names[part] ?? part)
  return Object.fromEntries(parts.map(part => [part, read(part)])) as Record<Part, string | null>
}

/** The code of an error, and whether a request meets it. */
export type Check<Id, Asked, Context> = readonly [
  code: Id,
  refuses: (asked: Asked, context: Context) => boolean,
]

/** Returns the code of the first failing check. */
export function refusalOf<Id, Asked, Context>(
  checks: readonly Check<Id, Asked, Context>[],
  asked: Asked,
  context: Context,
): Id | undefined {
  return checks.find(([, refuses]) => refuses(asked, context))?.[0]
}
