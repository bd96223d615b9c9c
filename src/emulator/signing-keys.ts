// The signing keys of the calling application (signing-keys-and-subscriptions.md, section 3.1):
// identifiers and times come from the seed, and the key material is made at the first request and
// then kept. Private keys are dropped at once, so nothing can return one. The route of
// getSigningKey is here too (signing-keys-and-subscriptions.md, sections 2.2 and 7; the third
// status of 210005 from service-notes.md, section 4.2).

import {
  createCipheriv,
  createHash,
  generateKeyPair,
  type KeyObject,
  randomBytes,
} from 'node:crypto'
import { promisify } from 'node:util'
import type { SigningKeyBody } from '../service/index'
import { documentedFamily } from './http/error-family'
import { type Call, jsonResponse, pathParameter, type Route } from './http/route'
import { schemaRef } from './openapi/schemas'
import type { ServiceContext } from './service-context'

/** There is one key of each. */
const CIPHERS = ['ED25519', 'RSA'] as const
type SigningKeyCipher = (typeof CIPHERS)[number]

/** The life of a key pair (signing-keys-and-subscriptions.md, section 8). */
const LIFETIME_YEARS = 3
const RSA_BITS = 2048

const generate = promisify(generateKeyPair)

export class SigningKeys {
  readonly ids: readonly string[]
  readonly #createdAt: Date
  readonly #made = new Map<string, Promise<SigningKeyBody>>()
  readonly #jweKey: Uint8Array

  /**
   * All keys are of the time `createdAt`. `jweKey` decrypts the encrypted form. It has 32 bytes.
   */
  constructor(worldSeed: number, createdAt: Date, jweKey: Uint8Array = randomBytes(32)) {
    this.ids = CIPHERS.map((_, i) => keyId(worldSeed, i))
    this.#createdAt = createdAt
    this.#jweKey = jweKey
  }

  /** Returns the key of this identifier, or undefined. */
  find(id: string): Promise<SigningKeyBody> | undefined {
    const cipher = CIPHERS[this.ids.indexOf(id)]
    if (cipher === undefined) return undefined
    const made = this.#made.get(id) ?? this.#make(id, cipher)
    this.#made.set(id, made)
    return made
  }

  async #make(id: string, cipher: SigningKeyCipher): Promise<SigningKeyBody> {
    const createdAt = this.#createdAt
    const publicKey = await makePublicKey(cipher)
    return {
      creationTime: unixSeconds(createdAt),
      expirationTime: unixSeconds(yearsLater(createdAt, LIFETIME_YEARS)),
      jwe: encrypted(publicKey, this.#jweKey),
      publicKey: publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
      signingKeyCipher: cipher,
      signingKeyId: id,
    }
  }
}

/**
 * Returns the same date and time so many years later. The 29th of February becomes the 28th in a
 * year without it.
 */
export function yearsLater(time: Date, years: number): Date {
  const later = new Date(time)
  later.setUTCFullYear(time.getUTCFullYear() + years)
  if (later.getUTCMonth() !== time.getUTCMonth()) later.setUTCDate(0)
  return later
}

async function makePublicKey(cipher: SigningKeyCipher): Promise<KeyObject> {
  const pair =
    cipher === 'RSA'
      ? await generate('rsa', { modulusLength: RSA_BITS })
      : await generate('ed25519', {})
  return pair.publicKey
}

/**
 * The public key's JWK as a compact JWE, encrypted directly with A256GCM (RFC 7516, 3.1 and 7.1;
 * RFC 7518, 4.5 and 5.3).
 */
function encrypted(publicKey: KeyObject, key: Uint8Array): string {
  const header = base64url(JSON.stringify({ alg: 'dir', enc: 'A256GCM', cty: 'jwk+json' }))
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(header, 'ascii'))
  const text = Buffer.concat([
    cipher.update(JSON.stringify(publicKey.export({ format: 'jwk' })), 'utf8'),
    cipher.final(),
  ])
  return [header, '', base64url(iv), base64url(text), base64url(cipher.getAuthTag())].join('.')
}

/** Returns an identifier in the form of a UUID, which is the same in every process. */
function keyId(worldSeed: number, index: number): string {
  const hex = createHash('sha256').update(`signing key ${worldSeed}/${index}`).digest('hex')
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*/, '$1-$2-4$3-8$4-$5')
}

function unixSeconds(time: Date): number {
  return Math.floor(time.getTime() / 1000)
}

function base64url(data: string | Uint8Array): string {
  return Buffer.from(data as Uint8Array).toString('base64url')
}

export function keyRoute(
  keys: SigningKeys,
  { paths, profile, keyTokenErrorStatus }: ServiceContext,
): Route {
  const family = documentedFamily('keys', ['getSigningKey'], { wrapped: true })
  const answer = async ({ path }: Call) => {
    const id = path.signing_key_id ?? ''
    const key = await keys.find(id)
    return key === undefined ? family.response(210002, { received: id }) : Response.json(key)
  }
  return {
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
        invalid_token: { id: 210005, status: keyTokenErrorStatus ?? 401 },
        insufficient_scope: { id: 210005, status: keyTokenErrorStatus ?? 403 },
      },
    },
    answer,
  }
}
