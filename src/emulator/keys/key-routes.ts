// The route of getSigningKey, and its error rows (signing-keys-and-subscriptions.md, sections 2.2
// and 7; the third status of 210005 from service-notes.md, section 4.2).

import type { ServiceProfile } from '../../service/index'
import { ErrorFamily, type ErrorRow, requestError } from '../http/error-family'
import type { Call, Route } from '../http/route'
import { jsonResponse, pathParameter } from '../openapi/describe'
import { schemaRef } from '../openapi/schemas'
import type { ServicePaths } from '../service-paths'
import type { SigningKeys } from './signing-keys'

export interface KeyRouteParts {
  readonly keys: SigningKeys
  readonly paths: ServicePaths
  readonly profile: ServiceProfile
  /** Answers 210005 by this status alone, in place of 401 and 403. */
  readonly tokenErrorStatus?: 400 | 401 | 403 | undefined
}

const KEY_ERRORS: Readonly<Record<210000 | 210002 | 210005, ErrorRow>> = {
  210000: {
    status: 500,
    category: 'APPLICATION',
    message: 'There was a problem with an internal system. Wait and try again.',
  },
  210002: requestError(404, 'There is no signing key with this identifier.', 'signing_key_id'),
  210005: requestError(
    403,
    'The token has no valid application client identifier.',
    'Authorization',
  ),
}

export function keyRoutes({
  keys,
  paths,
  profile,
  tokenErrorStatus,
}: KeyRouteParts): readonly Route[] {
  const family = new ErrorFamily(KEY_ERRORS, {
    domain: 'API_KEYS',
    subdomain: 'keys',
    wrapped: true,
  })
  const answer = async ({ path }: Call) => {
    const id = path.signing_key_id ?? ''
    const key = await keys.find(id)
    return key === undefined ? family.response(210002, { received: id }) : Response.json(key)
  }
  return [
    {
      method: 'get',
      path: paths.getSigningKey,
      operationId: 'getSigningKey',
      tag: 'keys',
      summary: 'The public part of a signing key pair, and when it expires',
      admissions: [{ grant: 'application', scope: profile.scopes.getSigningKey }],
      parameters: [pathParameter('signing_key_id', 'Identifier of the key pair.')],
      responses: {
        200: jsonResponse('The signing key, without its private part.', schemaRef('SigningKey')),
      },
      errors: {
        family,
        ids: [210000, 210002],
        internal: 210000,
        denied: {
          invalid_token: { id: 210005, status: tokenErrorStatus ?? 401 },
          insufficient_scope: { id: 210005, status: tokenErrorStatus ?? 403 },
        },
      },
      answer,
    },
  ]
}
