import { afterAll, beforeAll, expect, test } from 'vitest'
import { exitCodeOf } from '../../../src/cli/exit-code'
import { cells, commanded, values } from './commanded'

let at: Awaited<ReturnType<typeof commanded>>
let key: Record<string, unknown>
let id: string
beforeAll(async () => {
  at = await commanded()
  id = at.emulator.signingKeyIds[0]!
  key = await at.body(`/developer/key_management/v1/signing_key/${id}`, 'api_scope')
})
afterAll(() => at.close())

const seconds = (name: string) => new Date(Number(key[name]) * 1000).toISOString()

test('keys get prints the public facts of a key, for people and as JSON', async () => {
  const times = { createdAt: seconds('creationTime'), expiresAt: seconds('expirationTime') }
  expect(values(await at.run('keys', 'get', id, '--json'))).toEqual([{ ...key, ...times }])
  const facts = Object.fromEntries(cells(await at.run('keys', 'get', id)))
  expect(facts).toEqual({
    key: id,
    cipher: key.signingKeyCipher,
    created: times.createdAt,
    expires: times.expiresAt,
    'public key': expect.stringContaining(String(key.publicKey).slice(30, 60)),
    jwe: key.jwe,
  })
})

test('a key that is not there is the documented error', async () => {
  const { error } = await at.run('keys', 'get', 'no-such-key')
  expect(error).toMatchObject({
    code: 'HTTP_STATUS',
    context: { operation: 'getSigningKey', errorId: 210002 },
  })
  expect(exitCodeOf(error)).toBe(1)
})
