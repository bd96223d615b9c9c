// The route of the token endpoint (RFC 6749, sections 4.1.3, 4.4 and 5).

import type { Route } from '../http/route'
import { jsonResponse } from '../openapi/describe'
import { schemaRef } from '../openapi/schemas'
import type { ServicePaths } from '../service-paths'
import type { TokenIssuer } from './tokens'

const REFUSAL = {
  type: 'object',
  properties: { error: { type: 'string' }, error_description: { type: 'string' } },
  required: ['error'],
  additionalProperties: false,
}

const FORM = {
  type: 'object',
  properties: {
    grant_type: { type: 'string', enum: ['client_credentials', 'authorization_code'] },
    scope: { type: 'string', description: 'Scopes between spaces.' },
    code: { type: 'string' },
    redirect_uri: { type: 'string' },
    client_id: { type: 'string' },
    client_secret: { type: 'string' },
  },
  required: ['grant_type'],
}

export function tokenRoute(tokens: TokenIssuer, paths: ServicePaths): Route {
  return {
    method: 'post',
    path: paths.getToken,
    operationId: 'getToken',
    tag: 'tokens',
    summary: 'An access token, for client credentials or an authorization code',
    admissions: [],
    parameters: [],
    body: { mediaType: 'application/x-www-form-urlencoded', schema: FORM },
    responses: {
      200: jsonResponse('The token.', schemaRef('TokenResponse')),
      400: jsonResponse('The request is refused.', REFUSAL),
      401: {
        ...jsonResponse('The client is not known.', REFUSAL),
        headers: { 'WWW-Authenticate': { description: 'The challenge.' } },
      },
    },
    answer: ({ request, body }) => tokens.answer(request.headers, body),
  }
}
