// The OpenAPI 3.1 document of the emulated service, made from its routes.

import type { Parameter, ResponseDescription, Route, RouteErrors } from '../route'
import { componentSchemas, type JsonSchema, schemaRef } from './schemas'

export interface DocumentOptions {
  readonly routes: readonly Route[]
  /** What scope names begin with. */
  readonly scopeBase: string
  readonly tokenPath: string
}

/** A JSON value of the document. */
type Node = { readonly [key: string]: unknown }

const TAGS: Readonly<Record<string, string>> = {
  tokens: 'Access tokens.',
  catalog: 'Feed files: access rules, types, metadata, download.',
  feeds: 'The four feeds of items.',
  keys: 'Signing keys.',
  notifications: 'Subscriptions to notifications.',
}

/** The document for a service at `origin`. */
function openApiDocument({ routes, scopeBase, tokenPath }: DocumentOptions, origin: string): Node {
  const paths: Record<string, Record<string, Node>> = {}
  for (const route of routes) (paths[route.path] ??= {})[route.method] = operationNode(route, scopeBase)
  return {
    openapi: '3.1.0',
    info: {
      title: 'Feed service',
      version: '1.0.3',
      summary: 'The emulated feed service',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: origin }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: { schemas: componentSchemas(), securitySchemes: securitySchemes(routes, scopeBase, `${origin}${tokenPath}`) },
  }
}

function securitySchemes(routes: readonly Route[], scopeBase: string, tokenUrl: string): Node {
  const scopes = [...new Set(routes.flatMap(route => route.admissions.filter(({ grant }) => grant === 'application').map(a => a.scope)))]
  const names = Object.fromEntries(scopes.map(scope => [`${scopeBase}/${scope}`, `Opens what needs ${scope}.`]))
  return {
    application: { type: 'oauth2', description: 'A token of the application.', flows: { clientCredentials: { tokenUrl, scopes: names } } },
    user: { type: 'http', scheme: 'bearer', description: 'A token by a user’s consent, from the authorization code grant.' },
  }
}

function operationNode(route: Route, scopeBase: string): Node {
  const { operationId, summary, tag, parameters, body, admissions } = route
  return {
    operationId,
    summary,
    tags: [tag],
    security: admissions.map(({ grant, scope }) => ({ [grant]: [`${scopeBase}/${scope}`] })),
    ...(parameters.length === 0 ? {} : { parameters: parameters.map(parameterNode) }),
    ...(body === undefined ? {} : { requestBody: { required: true, content: { [body.mediaType]: { schema: body.schema } } } }),
    responses: responsesNode(route),
  }
}

/** A value that is not valid gets an answer of the operation's own, so that nothing but the type of most is said here. */
function parameterNode({ name, in: place, description, required = false, schema = { type: 'string' } }: Parameter): Node {
  return { name, in: place, description, required, schema }
}

function responsesNode(route: Route): Node {
  const answers = Object.entries(route.responses).map(([status, description]) => [status, responseNode(description)])
  const tooLong = route.body === undefined ? [] : [['413', { description: 'The body is too long.' }]]
  const refusals = [...refusalsByStatus(route)].map(([status, refusal]) => [status, refusalNode(status, refusal, route.errors)])
  return Object.fromEntries([...answers, ...tooLong, ...refusals])
}

function responseNode({ description, body, headers }: ResponseDescription): Node {
  return {
    description,
    ...(headers === undefined ? {} : { headers: mapValues(headers, headerNode) }),
    ...(body === undefined ? {} : { content: { [body.mediaType]: { schema: body.schema } } }),
  }
}

function headerNode({ description, optional = false }: { description: string; optional?: boolean }): Node {
  return { description, required: !optional, schema: { type: 'string' } }
}

/** What one status of refusal can mean. */
interface Refusal {
  readonly ids: Set<number>
  /** A token that opens nothing, answered as RFC 6750 says and without a code. */
  plain: boolean
  /** A token that opens nothing, with a code or without. */
  challenges: boolean
}

function refusalsByStatus({ errors, admissions }: Route): ReadonlyMap<string, Refusal> {
  const byStatus = new Map<string, Refusal>()
  const at = (status: number): Refusal => {
    const refusal = byStatus.get(String(status)) ?? { ids: new Set(), plain: false, challenges: false }
    byStatus.set(String(status), refusal)
    return refusal
  }
  for (const id of errors?.ids ?? []) at(errors!.family.status(id)).ids.add(id)
  for (const [refusal, status] of admissions.length === 0 ? [] : TOKEN_REFUSALS) {
    const denial = errors?.denied?.[refusal]
    const answer = at(denial?.status ?? status)
    answer.challenges = true
    if (denial === undefined) answer.plain = true
    else answer.ids.add(denial.id)
  }
  return byStatus
}

const TOKEN_REFUSALS = [
  ['invalid_token', 401],
  ['insufficient_scope', 403],
] as const

function refusalNode(status: string, { ids, plain, challenges }: Refusal, errors: RouteErrors | undefined): Node {
  const described = [...ids].map(id => `${id}: ${errors!.family.rows[id]!.message}`)
  const schemas = [...(ids.size === 0 ? [] : [errorSchema([...ids], errors!)]), ...(plain ? [DENIED] : [])]
  const headers = {
    ...(challenges ? { 'WWW-Authenticate': headerNode({ description: 'The challenge (RFC 6750).', optional: ids.size > 0 }) } : {}),
    ...(status === '416' ? { 'Content-Range': headerNode({ description: 'The total (RFC 9110, 15.5.17).', optional: true }) } : {}),
  }
  return {
    description: [...(plain ? ['The token is missing, not valid, or for something else.'] : []), ...described].join(' '),
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    content: { 'application/json': { schema: schemas.length === 1 ? schemas[0] : { anyOf: schemas } } },
  }
}

/** The documented Error, bare or in its list, with one of these codes. */
function errorSchema(ids: readonly number[], { family }: RouteErrors): JsonSchema {
  const one: JsonSchema = { allOf: [schemaRef('Error'), { type: 'object', properties: { errorId: { enum: ids } } }] }
  if (!family.wrapped) return one
  const errors: JsonSchema = { type: 'array', items: one, minItems: 1 }
  return { type: 'object', properties: { errors }, required: ['errors'], additionalProperties: false }
}

const DENIED: JsonSchema = {
  type: 'object',
  properties: { error: { enum: ['invalid_token', 'insufficient_scope'] } },
  required: ['error'],
  additionalProperties: false,
}

function mapValues<V, W>(record: Readonly<Record<string, V>>, change: (value: V) => W): Record<string, W> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]))
}

/** The document at its own address, of which it does not tell. */
export function documentRoute(options: DocumentOptions): Route {
  return {
    method: 'get',
    path: '/openapi.json',
    operationId: 'getDescription',
    tag: 'service',
    summary: 'The description of the service',
    admissions: [],
    parameters: [],
    responses: { 200: { description: 'An OpenAPI document.', body: { mediaType: 'application/json', schema: {} } } },
    answer: ({ request }) => Response.json(openApiDocument(options, new URL(request.url).origin)),
  }
}
