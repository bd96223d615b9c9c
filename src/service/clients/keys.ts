// The client of key management: the public part of a signing key pair
// (signing-keys-and-subscriptions.md, section 2.2).

import { createPublicKey, type KeyObject } from 'node:crypto'
import { is, readOptions } from '../../engine/index'
import type { SigningKeyBody } from '../json/bodies'
import { type Answered, bodyOfShape, responseInvalid } from '../json/json-client'
import type { CallOptions, ServiceCore } from './service-core'

/** The fields of the service, with times in UNIX seconds, and values derived from them. */
export type SigningKey = SigningKeyBody & {
  /** The time at which the key was made. */
  readonly createdAt: Date
  /** The time from which the key is not valid. */
  readonly expiresAt: Date
  /**
   * Returns the public key for node:crypto. Throws RESPONSE_INVALID where `publicKey` is neither
   * PEM nor the Base64 text of a key in DER form.
   */
  publicKeyObject(): KeyObject
  /** True after the expiry of the key. @param now default the clock of the service */
  isExpired(now?: Date): boolean
}

export type Keys = ReturnType<typeof keysOf>

const readKey = /* @__PURE__ */ bodyOfShape(shapes => shapes.SigningKey)

/** The largest time that a Date can hold, in seconds. */
const MAX_SECONDS = 8_640_000_000_000

export function keysOf(core: ServiceCore) {
  return {
    /**
     * Throws HTTP_IDENTIFIER_INVALID before anything is sent; then HTTP_STATUS, HTTP_TIMEOUT,
     * HTTP_TRANSPORT, ABORTED, RESPONSE_INVALID.
     */
    async getSigningKey(
      query: { readonly signingKeyId: string },
      options?: CallOptions,
    ): Promise<SigningKey> {
      const { signingKeyId } = readOptions(query, { signingKeyId: is.any }, 'query')
      const identifiers = { signing_key_id: signingKeyId }
      const request = core.request('getSigningKey', { identifiers }, options)
      // The service should never send a private key (signing-keys-and-subscriptions.md,
      // section 3.1). If it does, the key is removed.
      const { privateKey: _, ...body } = await core.json.get(request, readKey)
      return signingKey(body as SigningKeyBody, request, core.settings.now)
    },
  }
}

function signingKey(body: SigningKeyBody, request: Answered, now: () => number): SigningKey {
  const time = (field: 'creationTime' | 'expirationTime') => {
    if (Math.abs(body[field]) > MAX_SECONDS)
      throw responseInvalid(request, field, 'not a time in UNIX seconds')
    return new Date(body[field] * 1000)
  }
  const expiresAt = time('expirationTime')
  return {
    ...body,
    createdAt: time('creationTime'),
    expiresAt,
    publicKeyObject: () => publicKeyObject(body.publicKey, request),
    isExpired: (at = new Date(now())) => at >= expiresAt,
  }
}

/** Reads the Base64 text between the marks of a PEM text, whose line ends may be lost. */
function publicKeyObject(text: string, request: Answered): KeyObject {
  const [, label = 'PUBLIC KEY', inner = text] =
    /-----BEGIN ([A-Z ]+)-----([^-]*)-----END \1-----/.exec(text) ?? []
  const key = Buffer.from(inner.replace(/\s|\\[rn]/g, ''), 'base64')
  try {
    const type = label === 'RSA PUBLIC KEY' ? 'pkcs1' : 'spki'
    return createPublicKey({ key, format: 'der', type })
  } catch {
    throw responseInvalid(request, 'publicKey', 'not a public key as PEM or as Base64 of DER')
  }
}
