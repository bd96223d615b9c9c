import { createSign, createVerify, generateKeyPairSync, sign, verify } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createFeedService } from '../../../src/service/feed-service'
import { fetchTransport } from '../../../src/service/http/fetch-transport'
import { defineProfile } from '../../../src/service/profile'
import { emulated, FAST } from '../emulated'

const BODY = {
  creationTime: 1_700_000_000,
  expirationTime: 1_700_000_000 + 94_694_400,
  jwe: 'a.b.c.d.e',
  publicKey: '',
  signingKeyCipher: 'ED25519',
  signingKeyId: 'k1',
}

function keysAnswering(body: object, now = 0) {
  const sent: string[] = []
  const transport = fetchTransport(async request => {
    if (request.url.endsWith('/token')) {
      sent.push(`token ${new URLSearchParams(await request.text()).get('scope')}`)
      return Response.json({ access_token: 'tok-4711', token_type: 'Bearer' })
    }
    sent.push(`${request.method} ${request.url}`)
    return Response.json(body)
  })
  const profile = defineProfile({
    baseUrl: 'https://a.test',
    tokenUrl: 'https://a.test/token',
    scopeBase: 's',
    keysBaseUrl: 'https://keys.test/v1',
  })
  const { keys } = createFeedService(
    profile,
    { clientId: 'c', clientSecret: 'secret' },
    { transport, now: () => new Date(now), ...FAST },
  )
  return { sent, keys, get: () => keys.getSigningKey({ signingKeyId: 'k1' }) }
}

test('a key has the fields of the service, extra ones included, and times as dates', async () => {
  const { get, sent } = keysAnswering({ ...BODY, extra: [1] })
  const key = await get()
  expect(key).toMatchObject({
    ...BODY,
    extra: [1],
    createdAt: new Date('2023-11-14T22:13:20Z'),
    expiresAt: new Date('2026-11-14T22:13:20Z'),
  })
  expect(sent).toEqual(['token s/api_scope', 'GET https://keys.test/v1/signing_key/k1'])
})

test('expiry is decided by the clock of the service or a given time', async () => {
  const { get } = keysAnswering(BODY, BODY.expirationTime * 1000)
  const key = await get()
  expect(key.isExpired()).toBe(true)
  expect(key.isExpired(new Date(BODY.expirationTime * 1000 - 1))).toBe(false)
})

describe('the public key for node:crypto', () => {
  const ed25519 = generateKeyPairSync('ed25519')
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const message = Buffer.from('message')
  const forms = (key: typeof rsa.publicKey): [string, string][] => {
    const pem = key.export({ type: 'spki', format: 'pem' }).toString()
    const der = key.export({ type: 'spki', format: 'der' }).toString('base64')
    return [
      ['PEM', pem],
      ['PEM without line ends', pem.replaceAll('\n', '')],
      ['PEM with written line ends', pem.replaceAll('\n', '\\n')],
      ['PEM with CRLF', pem.replaceAll('\n', '\r\n')],
      ['Base64 of DER', der],
      ['Base64 in lines', der.replace(/(.{40})/g, '$1\n')],
    ]
  }

  test.each(forms(ed25519.publicKey))('an ED25519 key is read as %s', async (_, publicKey) => {
    const key = await keysAnswering({ ...BODY, publicKey }).get()
    const object = key.publicKeyObject()
    expect(object.asymmetricKeyType).toBe('ed25519')
    expect(verify(null, message, object, sign(null, message, ed25519.privateKey))).toBe(true)
  })

  const pkcs1 = rsa.publicKey.export({ type: 'pkcs1', format: 'pem' }).toString()
  test.each([...forms(rsa.publicKey), ['PKCS #1', pkcs1]])(
    'an RSA key is read as %s',
    async (_, publicKey) => {
      const key = await keysAnswering({ ...BODY, signingKeyCipher: 'RSA', publicKey }).get()
      const signature = createSign('sha256').update(message).sign(rsa.privateKey)
      expect(createVerify('sha256').update(message).verify(key.publicKeyObject(), signature)).toBe(
        true,
      )
    },
  )

  test.each(['', 'not a key', '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----'])(
    '%j is no key',
    async publicKey => {
      const key = await keysAnswering({ ...BODY, publicKey }).get()
      const refused = expect.objectContaining({
        code: 'RESPONSE_INVALID',
        context: expect.objectContaining({ path: 'publicKey' }),
      })
      expect(() => key.publicKeyObject()).toThrow(refused)
    },
  )

  test('a private key is removed from the answer', async () => {
    const publicKey = ed25519.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    const key = await keysAnswering({ ...BODY, publicKey }).get()
    expect(() => key.publicKeyObject()).toThrow(
      expect.objectContaining({ code: 'RESPONSE_INVALID' }),
    )
  })
})

test.each([
  { creationTime: '1' },
  { expirationTime: 1e15 },
  { jwe: undefined },
  { signingKeyId: 5 },
])('an answer with %j is refused', async wrong => {
  const [path] = Object.keys(wrong)
  await expect(keysAnswering({ ...BODY, ...wrong }).get()).rejects.toMatchObject({
    code: 'RESPONSE_INVALID',
    context: { operation: 'getSigningKey', path },
  })
})

test('fault 86: an identifier that is no path segment is refused at the call', async () => {
  const { keys, sent } = keysAnswering(BODY)
  for (const signingKeyId of ['..', '', '/x', 'a/../b']) {
    await expect(keys.getSigningKey({ signingKeyId })).rejects.toMatchObject({
      code: 'HTTP_IDENTIFIER_INVALID',
    })
  }
  expect(sent).toEqual([])
})

test('the keys of the emulated service are read', async () => {
  const { service, emulator } = emulated()
  for (const signingKeyId of emulator.signingKeyIds) {
    const key = await service.keys.getSigningKey({ signingKeyId })
    expect(key.publicKeyObject().asymmetricKeyType).toBe(key.signingKeyCipher.toLowerCase())
    expect('privateKey' in key).toBe(false)
    expect(key.expiresAt.getUTCFullYear() - key.createdAt.getUTCFullYear()).toBe(3)
  }
  expect(emulator.signingKeyIds.length).toBe(2)
  await expect(service.keys.getSigningKey({ signingKeyId: 'none' })).rejects.toMatchObject({
    code: 'HTTP_STATUS',
    context: { status: 404, errorId: 210002, domain: 'API_KEYS' },
  })
  await emulator.close()
})
