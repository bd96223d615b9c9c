// What a route is: one value that registers an operation, guards it, and describes it. The
// application and the OpenAPI document are both made from a list of these, so that neither can say
// what the other does not do.

import type { JsonSchema } from '../openapi/schemas'
import type { TokenClaims, TokenRefusal } from '../tokens/tokens'
import type { ErrorFamily } from './error-family'

export interface Call {
  readonly request: Request
  /** The body as text; empty for an operation that takes none. */
  readonly body: string
  /** The path's variables, decoded. */
  readonly path: Readonly<Record<string, string>>
  /** Whom the token was given to. */
  readonly caller: TokenClaims
}

/** A token that opens an operation: its grant and its scope, without the scope's base. */
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
   * Default `{"type":"string"}`. Validity beyond the type is the operation's own business: it
   * answers with its own codes.
   */
  readonly schema?: JsonSchema
}

export interface ResponseDescription {
  readonly description: string
  /** Without it the response has no body. */
  readonly body?: { readonly mediaType: string; readonly schema: JsonSchema }
  /** Headers by name with their meaning; all of them are sent unless `optional`. */
  readonly headers?: Readonly<
    Record<string, { readonly description: string; readonly optional?: boolean }>
  >
}

export interface RouteErrors {
  readonly family: ErrorFamily
  readonly ids: readonly number[]
  /** Answers a failure inside. */
  readonly internal: number
  /**
   * What answers a token that is missing or not valid, and one that is valid for something else;
   * default: an Error object without a code.
   */
  readonly denied?: Readonly<
    Partial<Record<TokenRefusal, { readonly id: number; readonly status: number }>>
  >
}

export interface Route {
  readonly method: 'get' | 'post'
  /** Variables in braces: `/file/{file_id}`. */
  readonly path: string
  readonly operationId: string
  readonly tag: string
  readonly summary: string
  /** Any one of them opens the operation; none at all, and it needs no token. */
  readonly admissions: readonly Admission[]
  readonly parameters: readonly Parameter[]
  /** Request bodies are limited to 64 KiB. */
  readonly body?: { readonly mediaType: string; readonly schema: JsonSchema }
  /** By status, the errors of `errors` apart. */
  readonly responses: Readonly<Record<number, ResponseDescription>>
  readonly errors?: RouteErrors
  readonly answer: (call: Call) => Response | Promise<Response>
}

/** True for an operation with query parameters. The others read no query. */
export function takesQuery({ parameters }: Pick<Route, 'parameters'>): boolean {
  return parameters.some(({ in: place }) => place === 'query')
}
