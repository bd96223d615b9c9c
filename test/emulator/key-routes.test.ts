import { createPublicKey } from 'node:crypto'
import { expect, test } from 'vitest'
import type { EmulatorOptions } from '../../src/emulator'
import type { SigningKeyBody } from '../../src/service/json/bodies'
import { refusalIn, type ServiceClient, serviceClient } from './service-client'

const BASE = '/developer/key_management/v1/signing_key'

async function keyClient(options: Partial<EmulatorOptions> = {}): Promise<ServiceClient> {
  return serviceClient({ world: { seed: 3, items: 1 }, ...options })
}

test('each cipher has a key, with times in whole seconds three years apart', async () => {
  const { emulator, send } = await keyClient()
  const ciphers: string[] = []
  for (const id of emulator.signingKeyIds) {
    const response = await send(`${BASE}/${id}`)
    const key = (await response.json()) as SigningKeyBody
    expect([response.status, key.signingKeyId]).toEqual([200, id])
    expect(key.creationTime).toBe(emulator.world.start.getTime() / 1000)
    expect(new Date(key.expirationTime * 1000)).toEqual(new Date('2029-03-01T00:00:00Z'))
    expect(
      createPublicKey({ key: Buffer.from(key.publicKey, 'base64'), format: 'der', type: 'spki' })
        .type,
    ).toBe('public')
    expect(key).not.toHaveProperty('privateKey')
    ciphers.push(key.signingKeyCipher)
  }
  expect(ciphers).toEqual(['ED25519', 'RSA'])
})

test('keys of a leap day expire on the last day of a February', async () => {
  const start = new Date('2024-02-29T00:00:00Z')
  const { emulator, send } = await keyClient({ world: { seed: 1, items: 5, start } })
  const key = (await (await send(`${BASE}/${emulator.signingKeyIds[0]}`)).json()) as SigningKeyBody
  expect(key).toMatchObject({
    creationTime: 1_709_164_800,
    expirationTime: Date.UTC(2027, 1, 28) / 1000,
  })
})

test('getSigningKey answers 404 210002 for an unknown identifier', async () => {
  const { send } = await keyClient()
  const response = await send(`${BASE}/unknown`)
  expect(await response.clone().json()).toMatchObject({
    errors: [
      {
        domain: 'API_KEYS',
        category: 'REQUEST',
        parameters: [{ name: 'signing_key_id', value: 'unknown' }],
      },
    ],
  })
  expect(await refusalIn(response)).toEqual([404, 210002])
})

test('getSigningKey answers 500 210000 on demand', async () => {
  const { send } = await keyClient()
  for (const code of ['210000', 'internal']) {
    expect(
      await refusalIn(await send(`${BASE}/x`, { 'x-feedmill-fault': `error;code=${code}` })),
    ).toEqual([500, 210000])
  }
})

test.each([undefined, 400, 401, 403] as const)(
  'getSigningKey answers 210005 by status, which is %s',
  async keyTokenErrorStatus => {
    const { emulator, send, bearer, userBearer } = await keyClient(
      keyTokenErrorStatus === undefined ? {} : { keyTokenErrorStatus },
    )
    const path = `${BASE}/${emulator.signingKeyIds[0]}`
    const tokens: [number, string | null][] = [
      [401, null],
      [401, 'Bearer a.b'],
      [403, await bearer('buy.item.feed')],
      [403, await userBearer()],
    ]
    for (const [status, authorization] of tokens) {
      const response = await send(path, { authorization })
      expect(response.headers.get('www-authenticate')).toMatch(/^Bearer/)
      expect(await refusalIn(response)).toEqual([keyTokenErrorStatus ?? status, 210005])
    }
  },
)

test('a code that the operation does not have is a mistake of the tester', async () => {
  const { emulator, bearer } = await keyClient()
  const headers = {
    authorization: await bearer('api_scope'),
    'x-feedmill-fault': 'error;code=13006',
  }
  const response = await emulator.fetch(`http://emulator${BASE}/x`, { headers })
  expect([response.status, await response.json()]).toEqual([
    400,
    { error: 'getSigningKey has no error 13006' },
  ])
})
