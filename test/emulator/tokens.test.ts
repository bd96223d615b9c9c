import { describe, expect, test } from 'vitest'
import { TokenIssuer } from '../../src/emulator/tokens'

let clock = new Date('2026-03-01T00:00:00Z')
const options = {
  clientId: 'my client',
  clientSecret: 's:e+c&ret',
  scopes: ['x/buy.item.feed', 'x/api_scope'],
  authorizationCode: 'the code',
  userScopes: ['x/api_scope/commerce.notification.subscription'],
  tokenLifetimeSeconds: 60,
  now: () => clock,
}
const issuer = new TokenIssuer(options)

const encode = (text: string) => new URLSearchParams({ v: text }).toString().slice(2)
const basic = (id = options.clientId, secret = options.clientSecret) =>
  `Basic ${Buffer.from(`${encode(id)}:${encode(secret)}`).toString('base64')}`

async function ask(
  form: Record<string, string> | string,
  headers: Record<string, string> = { authorization: basic() },
) {
  const body = new URLSearchParams(form).toString()
  const response = issuer.answer(
    new Headers({ 'content-type': 'application/x-www-form-urlencoded', ...headers }),
    body,
  )
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Record<string, unknown>,
  }
}

const grant = { grant_type: 'client_credentials' }
const consent = {
  grant_type: 'authorization_code',
  code: 'the code',
  redirect_uri: 'https://app.example/back',
}

describe('token endpoint', () => {
  test('it accepts HTTP Basic and the body', async () => {
    for (const answer of [
      await ask(grant),
      await ask({ ...grant, client_id: options.clientId, client_secret: options.clientSecret }, {}),
    ]) {
      expect(answer.status).toBe(200)
      expect(answer.body).toMatchObject({
        token_type: 'Bearer',
        expires_in: 60,
        scope: 'x/buy.item.feed',
      })
      expect(answer.headers.get('cache-control')).toBe('no-store')
      expect(issuer.read(`Bearer ${answer.body.access_token}`)).toMatchObject({
        grant: 'application',
        scopes: ['x/buy.item.feed'],
      })
    }
  })

  test('it grants the requested scopes and no others', async () => {
    const { body } = await ask({ ...grant, scope: 'x/api_scope' })
    expect(issuer.read(`Bearer ${body.access_token}`)?.scopes).toEqual(['x/api_scope'])
  })

  test('it grants a user’s token for the code of a user’s consent, any number of times', async () => {
    for (const answer of [await ask(consent), await ask(consent)]) {
      expect(answer.status).toBe(200)
      expect(issuer.read(`Bearer ${answer.body.access_token}`)).toMatchObject({
        grant: 'user',
        scopes: options.userScopes,
      })
    }
  })

  test.each([
    ['a wrong secret', { authorization: basic('my client', 'wrong') }],
    ['a wrong client', { authorization: basic('other') }],
    ['no client', {}],
    ['a Basic header that is not one', { authorization: 'Basic !!!' }],
  ])('%s gets 401 invalid_client', async (_, headers) => {
    const answer = await ask(grant, headers as Record<string, string>)
    expect([answer.status, answer.body]).toEqual([
      401,
      { error: 'invalid_client', error_description: expect.stringMatching(/\w/) },
    ])
    expect(answer.headers.get('www-authenticate')).toMatch(/^Basic/)
  })

  test.each([
    ['another grant', { grant_type: 'password' }, 'unsupported_grant_type'],
    ['no grant', {}, 'invalid_request'],
    ['a code that was never given', { ...consent, code: 'other' }, 'invalid_grant'],
    [
      'a grant without its code',
      { grant_type: 'authorization_code', redirect_uri: 'https://app.example' },
      'invalid_request',
    ],
    [
      'a code without its address',
      { grant_type: 'authorization_code', code: 'the code' },
      'invalid_request',
    ],
    ['an unknown scope', { ...grant, scope: 'x/buy.item.feed x/other' }, 'invalid_scope'],
    ['an empty scope', { ...grant, scope: ' ' }, 'invalid_scope'],
    [
      'a repeated parameter',
      'grant_type=client_credentials&grant_type=client_credentials',
      'invalid_request',
    ],
    ['two ways of naming the client', { ...grant, client_id: options.clientId }, 'invalid_request'],
  ])('%s gets 400 %s', async (_, form, error) => {
    const answer = await ask(form as Record<string, string> | string)
    expect([answer.status, answer.body]).toEqual([
      400,
      { error, error_description: expect.stringMatching(/\w/) },
    ])
  })

  test('the error names a refused scope and the known ones, in characters of RFC 6749, 5.2, only', async () => {
    const { body } = await ask({ ...grant, scope: 'x/buy.item.feed x/"öther\\' })
    expect(body.error_description).toBe(
      'unknown scope x/??ther?: the scopes are x/buy.item.feed x/api_scope',
    )
    const long = (await ask({ ...grant, scope: 'y'.repeat(500) })).body.error_description
    expect(long).toBe(`unknown scope ${'y'.repeat(80)}: the scopes are x/buy.item.feed x/api_scope`)
  })

  test('a body that is no form gets 400 invalid_request', async () => {
    expect(
      (await ask(grant, { authorization: basic(), 'content-type': 'application/json' })).body,
    ).toMatchObject({
      error: 'invalid_request',
    })
  })

  test('a token ends with its lifetime', async () => {
    const { body } = await ask(grant)
    clock = new Date(clock.getTime() + 59_999)
    expect(issuer.read(`Bearer ${body.access_token}`)).toBeDefined()
    clock = new Date(clock.getTime() + 1)
    expect(issuer.read(`Bearer ${body.access_token}`)).toBeUndefined()
  })

  test('a token ends after its number of requests, and a new one begins anew', async () => {
    const counting = new TokenIssuer({ ...options, tokenRequests: 2 })
    const headers = new Headers({
      'content-type': 'application/x-www-form-urlencoded',
      authorization: basic(),
    })
    const bearer = async () => {
      const answer = counting.answer(headers, new URLSearchParams(grant).toString())
      return `Bearer ${((await answer.json()) as { access_token: string }).access_token}`
    }
    const [first, second] = [await bearer(), await bearer()]
    const lasts = [first, first, first, second, second, second].map(
      token => counting.read(token) !== undefined,
    )
    expect(lasts).toEqual([true, true, false, true, true, false])
  })

  test('a changed, foreign or absent token is refused', async () => {
    const token = (await ask(grant)).body.access_token as string
    const foreign = new TokenIssuer(options)
    for (const header of [
      null,
      '',
      token,
      `Basic ${token}`,
      `Bearer ${token}x`,
      `Bearer x${token}`,
      'Bearer a.b',
      'Bearer a',
    ]) {
      expect(issuer.read(header)).toBeUndefined()
    }
    expect(foreign.read(`Bearer ${token}`)).toBeUndefined()
  })
})
