import { createDecipheriv, createPublicKey } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { SigningKeys, yearsLater } from '../../src/emulator/signing-keys'

const createdAt = new Date('2026-03-01T00:00:00Z')
const JWE_KEY = new Uint8Array(32).fill(7)

describe('signing keys', () => {
  test.each(['ED25519', 'RSA'] as const)(
    '%s has a public key of its kind, and never a private one',
    async cipher => {
      const keys = new SigningKeys(1, createdAt)
      const found = await Promise.all(keys.ids.map(id => keys.find(id)))
      const key = found.find(each => each?.signingKeyCipher === cipher)
      const publicKey = createPublicKey({
        key: Buffer.from(key!.publicKey, 'base64'),
        format: 'der',
        type: 'spki',
      })
      expect([publicKey.type, publicKey.asymmetricKeyType]).toEqual([
        'public',
        cipher.toLowerCase(),
      ])
      expect(Object.keys(key!).sort()).toEqual([
        'creationTime',
        'expirationTime',
        'jwe',
        'publicKey',
        'signingKeyCipher',
        'signingKeyId',
      ])
    },
  )

  test('the encrypted form holds the same public key', async () => {
    const keys = new SigningKeys(1, createdAt, JWE_KEY)
    const key = (await keys.find(keys.ids[0]!))!
    const [header, encryptedKey, iv, text, tag] = key.jwe
      .split('.')
      .map(part => Buffer.from(part, 'base64url'))
    expect(JSON.parse(header!.toString())).toEqual({ alg: 'dir', enc: 'A256GCM', cty: 'jwk+json' })
    expect(encryptedKey).toHaveLength(0)
    const decipher = createDecipheriv('aes-256-gcm', JWE_KEY, iv!)
      .setAAD(Buffer.from(key.jwe.split('.')[0]!))
      .setAuthTag(tag!)
    const jwk = JSON.parse(
      Buffer.concat([decipher.update(text!), decipher.final()]).toString(),
    ) as Record<string, string>
    const opened = createPublicKey({ key: jwk, format: 'jwk' })
      .export({ type: 'spki', format: 'der' })
      .toString('base64')
    expect(opened).toBe(key.publicKey)
  })

  test('a key is made once, also for two simultaneous requests', async () => {
    const keys = new SigningKeys(1, createdAt)
    const [one, other] = await Promise.all([keys.find(keys.ids[0]!), keys.find(keys.ids[0]!)])
    expect(one).toBe(other)
  })

  test('identifiers are the same in every process, and differ by seed and place', () => {
    expect(new SigningKeys(1, createdAt).ids).toEqual(new SigningKeys(1, createdAt).ids)
    expect(
      new Set([...new SigningKeys(1, createdAt).ids, ...new SigningKeys(2, createdAt).ids]).size,
    ).toBe(4)
  })

  test('an unknown identifier has no key', () => {
    expect(new SigningKeys(1, createdAt).find('__proto__')).toBeUndefined()
  })
})

describe('three years', () => {
  test.each([
    ['2026-03-01T00:00:00Z', '2029-03-01T00:00:00Z'],
    ['2025-06-15T12:34:56Z', '2028-06-15T12:34:56Z'],
    ['2024-02-29T10:00:00Z', '2027-02-28T10:00:00Z'],
    ['2025-02-28T10:00:00Z', '2028-02-28T10:00:00Z'],
    ['2027-12-31T23:59:59Z', '2030-12-31T23:59:59Z'],
  ])('last from %s to %s', (from, to) => {
    expect(yearsLater(new Date(from), 3)).toEqual(new Date(to))
  })

  test('are 1095 or 1096 days, and keep the time of day', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date('1990-01-01'), max: new Date('2090-01-01'), noInvalidDate: true }),
        date => {
          const later = yearsLater(date, 3)
          expect([1095, 1096]).toContain((later.getTime() - date.getTime()) / 86_400_000)
          expect(later.getUTCFullYear()).toBe(date.getUTCFullYear() + 3)
          expect(later.toISOString().slice(10)).toBe(date.toISOString().slice(10))
        },
      ),
    )
  })
})
