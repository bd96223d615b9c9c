// The OpenAPI 3.1 document of the emulated service, made from its routes.

import { INVALID_DATA } from '../http/error-family'
import {
  type Parameter,
  REFUSAL_STATUS,
  type ResponseDescription,
  type Route,
  type RouteErrors,
  type TokenRefusal,
  takesQuery,
} from '../http/route'
import type { ServiceContext } from '../service-context'
import { componentSchemas, type JsonSchema, schemaRef } from './schemas'

/** A JSON object of the document. */
type Node = { readonly [key: string]: unknown }

const TAGS: Readonly<Record<string, string>> = {
  tokens: 'Access tokens.',
  catalog: 'Feed files: access rules, types, metadata, download.',
  feeds: 'The four feeds of items.',
  keys: 'Signing keys.',
  notifications: 'Subscriptions to notifications.',
}

/** Returns the document for a service at `origin`. */
function openApiDocument(
  routes: readonly Route[],
  { profile: { scopeBase }, paths: { getToken }, wrapErrors }: ServiceContext,
  origin: string,
): Node {
  const paths: Record<string, Record<string, Node>> = {}
  for (const route of routes)
    (paths[route.path] ??= {})[route.method] = operationNode(route, scopeBase, wrapErrors)
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
    components: {
      schemas: componentSchemas(),
      securitySchemes: securitySchemes(routes, scopeBase, `${origin}${getToken}`),
    },
  }
}

function securitySchemes(routes: readonly Route[], scopeBase: string, tokenUrl: string): Node {
  const scopes = routes
    .flatMap(({ admissions }) => admissions.filter(({ grant }) => grant === 'application'))
    .map(({ scope }) => [`${scopeBase}/${scope}`, `Opens what needs ${scope}.`])
  return {
    application: {
      type: 'oauth2',
      description: 'A token of the application.',
      flows: { clientCredentials: { tokenUrl, scopes: Object.fromEntries(scopes) } },
    },
    user: {
      type: 'http',
      scheme: 'bearer',
      description: 'A token by a user’s consent, from the authorization code grant.',
    },
  }
}

function operationNode(route: Route, scopeBase: string, wrapErrors: boolean): Node {
  const { operationId, summary, tag, parameters, body, admissions } = route
  return {
    operationId,
    summary,
    tags: [tag],
    security: admissions.map(({ grant, scope }) => ({ [grant]: [`${scopeBase}/${scope}`] })),
    ...(parameters.length === 0 ? {} : { parameters: parameters.map(parameterNode) }),
    ...(body && {
      requestBody: { required: true, content: { [body.mediaType]: { schema: body.schema } } },
    }),
    responses: responsesNode(route, wrapErrors),
  }
}

/** The operation itself answers an invalid value, so most parameters state only their type. */
function parameterNode({
  name,
  in: place,
  description,
  required = false,
  schema = { type: 'string' },
}: Parameter): Node {
  return { name, in: place, description, required, schema }
}

function responsesNode(route: Route, wrapErrors: boolean): Node {
  const answers = Object.entries(route.responses).map(([status, description]) => [
    status,
    responseNode(description),
  ])
  const refusals = [...refusalsByStatus(route)]
    // The description of a status by the route takes precedence, because the token endpoint has
    // errors of its own.
    .filter(([status]) => route.responses[Number(status)] === undefined)
    .map(([status, refusal]) => [status, refusalNode(status, refusal, route.errors, wrapErrors)])
  return Object.fromEntries([...answers, ...refusals])
}

function responseNode({ description, body, headers }: ResponseDescription): Node {
  return {
    description,
    ...(headers && { headers: headerNodes(headers) }),
    ...(body && { content: { [body.mediaType]: { schema: body.schema } } }),
  }
}

function headerNodes(headers: NonNullable<ResponseDescription['headers']>): Node {
  const nodes = Object.entries(headers).map(([name, { description, optional = false }]) => [
    name,
    { description, required: !optional, schema: { type: 'string' } },
  ])
  return Object.fromEntries(nodes)
}

/** The meanings of one error status. */
interface Refusal {
  readonly ids: Set<number>
  /** The case in which the status comes without a code. */
  readonly codeless: string[]
  /** A refused token, with or without a code. */
  challenges: boolean
}

function refusalsByStatus(route: Route): ReadonlyMap<string, Refusal> {
  const { errors, admissions } = route
  const byStatus = new Map<string, Refusal>()
  const at = (status: number): Refusal => {
    const refusal = byStatus.get(String(status)) ?? {
      ids: new Set(),
      codeless: [],
      challenges: false,
    }
    byStatus.set(String(status), refusal)
    return refusal
  }
  for (const id of errors?.ids ?? []) at(errors!.family.status(id)).ids.add(id)
  for (const refusal of admissions.length === 0
    ? []
    : (Object.keys(REFUSAL_STATUS) as TokenRefusal[])) {
    const denial = errors?.denied?.[refusal]
    const answer = at(denial?.status ?? REFUSAL_STATUS[refusal])
    answer.challenges = true
    if (denial === undefined)
      answer.codeless.push('The token is missing, not valid, or for something else.')
    else answer.ids.add(denial.id)
  }
  if (takesQuery(route) && !errors?.ids.includes(INVALID_DATA))
    at(400).codeless.push('A query parameter comes more than once.')
  if (route.body !== undefined) at(413).codeless.push('The body is too long.')
  if (errors === undefined) at(500).codeless.push('A problem inside.')
  return byStatus
}

function refusalNode(
  status: string,
  { ids, codeless, challenges }: Refusal,
  errors: RouteErrors | undefined,
  wrapErrors: boolean,
): Node {
  const described = [...ids].map(id => `${id}: ${errors!.family.rows[id]!.message}`)
  const wrapped = errors?.family.wrapped ?? wrapErrors
  const schemas = [
    ...(ids.size === 0 ? [] : [inList(errorSchema([...ids]), wrapped)]),
    ...(codeless.length === 0 ? [] : [inList(schemaRef('ErrorWithoutCode'), wrapped)]),
  ]
  const challenge = { description: 'The challenge (RFC 6750).', optional: ids.size > 0 }
  const total = { description: 'The total (RFC 9110, 15.5.17).', optional: true }
  const headers = headerNodes({
    ...(challenges && { 'WWW-Authenticate': challenge }),
    ...(status === '416' && { 'Content-Range': total }),
  })
  return {
    description: [...codeless, ...described].join(' '),
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    content: {
      'application/json': { schema: schemas.length === 1 ? schemas[0] : { anyOf: schemas } },
    },
  }
}

/** Describes the documented Error with one of these codes. */
function errorSchema(ids: readonly number[]): JsonSchema {
  return { allOf: [schemaRef('Error'), { type: 'object', properties: { errorId: { enum: ids } } }] }
}

/** Describes an Error, bare or in its list. */
function inList(error: JsonSchema, wrapped: boolean): JsonSchema {
  if (!wrapped) return error
  const errors: JsonSchema = { type: 'array', items: error, minItems: 1 }
  return {
    type: 'object',
    properties: { errors },
    required: ['errors'],
    additionalProperties: false,
  }
}

/** The route of the document itself, which the document leaves out. */
export function documentRoute(routes: readonly Route[], service: ServiceContext): Route {
  return {
    method: 'get',
    path: '/openapi.json',
    operationId: 'getDescription',
    tag: 'service',
    summary: 'The description of the service',
    admissions: [],
    parameters: [],
    responses: {
      200: {
        description: 'An OpenAPI document.',
        body: { mediaType: 'application/json', schema: {} },
      },
    },
    answer: ({ request }) =>
      Response.json(openApiDocument(routes, service, new URL(request.url).origin)),
  }
}
