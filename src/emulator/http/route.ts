// A route registers, guards and describes an operation. The application and the OpenAPI document
// are made from the same list of routes, so that they agree.

import type { JsonSchema } from '../openapi/schemas'
import type { TokenClaims, TokenRefusal } from '../tokens/tokens'
import type { ErrorFamily } from './error-family'

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
