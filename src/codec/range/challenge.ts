// What a refusal says of the token in its WWW-Authenticate header: a Bearer challenge (RFC 6750,
// section 3, in the form of RFC 9110, 11.6.1). The text is the server's own, which may repeat what
// it was sent: who knows the token covers it.

import { type AuthChallenge, excerpt } from '../../errors'

/** Headers are longer than this only where somebody means harm. */
const MAX_CHARS = 8 * 1024

/** A scheme, or one parameter: its name, and its value as a quoted string or as a token. */
const PARTS = /([!#$%&'*+.^_`|~0-9a-z-]+)\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+)))?/gi

/**
 * The first Bearer challenge with an error or a description of one; undefined where there is none.
 * Never throws.
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
