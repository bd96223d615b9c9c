// Reads the header WWW-Authenticate of a refusal: a Bearer challenge (RFC 6750, section 3, in the
// form of RFC 9110, 11.6.1). The server may repeat the token in it, so the caller has to cover
// secrets.

import { type AuthChallenge, excerpt } from '../../errors'

/** The part of the header that is read: no genuine challenge is longer. */
const MAX_CHARS = 8 * 1024

/** Matches a scheme, or one parameter with its value as a quoted string or as a token. */
const PARTS = /([!#$%&'*+.^_`|~0-9a-z-]+)\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+)))?/gi

/**
 * Returns the error and the description of the first Bearer challenge; undefined where there is
 * neither. Never throws.
 */
export function readChallenge(header: string | undefined): AuthChallenge | undefined {
  let isBearer = false
  let error: string | undefined
  let description: string | undefined
  for (const [, name = '', quoted, bare] of (header ?? '').slice(0, MAX_CHARS).matchAll(PARTS)) {
    const value = quoted?.replace(/\\(.)/g, '$1') ?? bare
    if (value === undefined) isBearer = name.toLowerCase() === 'bearer'
    else if (isBearer && name.toLowerCase() === 'error') error ??= excerpt(value, 40)
    else if (isBearer && name.toLowerCase() === 'error_description')
      description ??= excerpt(value, 200)
  }
  if (error === undefined && description === undefined) return undefined
  return {
    ...(error !== undefined && { error }),
    ...(description !== undefined && { description }),
  }
}
