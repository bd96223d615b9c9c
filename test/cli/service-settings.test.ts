import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { type ServiceSettings, serviceOf } from '../../src/cli/service-settings'
import { fetchTransport } from '../../src/index'

const folder = mkdtempSync(join(tmpdir(), 'feedmill-settings-'))
afterAll(() => rmSync(folder, { recursive: true }))
let files = 0
const file = (text: string, mode = 0o644) => {
  const path = join(folder, `${files++}.json`)
  writeFileSync(path, text)
  chmodSync(path, mode)
  return path
}

const whole: ServiceSettings = {
  baseUrl: 'https://service.example',
  tokenUrl: 'https://service.example/token',
  scopeBase: 'https://scopes.example',
}
type Environment = Readonly<Record<string, string>>
const SECRET = 'hunter2hunter2'
const env: Environment = { FEEDMILL_CLIENT_ID: 'one', FEEDMILL_CLIENT_SECRET: SECRET }

/** Nothing of a failure shows the secret. */
function refusal(settings: ServiceSettings, environment = env): unknown {
  try {
    serviceOf(settings, {}, environment)
  } catch (error) {
    expect(inspect(error, { depth: 9 })).not.toContain('hunter2')
    return error
  }
  return expect.unreachable()
}

/** The credentials that the service sends to the token endpoint. */
async function sentBy(settings: ServiceSettings, environment: Environment): Promise<string> {
  const sent: string[] = []
  const transport = fetchTransport(async request => {
    sent.push(request.headers.get('authorization') ?? '')
    return new Response('{}', { status: 400 })
  })
  const service = serviceOf(settings, { transport }, environment)
  await service.catalog.getAccess().catch(() => {})
  await service.close()
  return Buffer.from(sent[0]!.replace('Basic ', ''), 'base64').toString()
}

test('options make a profile', async () => {
  const service = serviceOf({ ...whole, sandbox: true }, {}, env)
  expect(service.profile).toMatchObject({
    baseUrl: 'https://service.example',
    marketplacePrefix: 'MKT_',
    maxRangeBytes: 10_000_000,
  })
  await service.close()
})

test('a profile file holds the differences, and options take precedence', async () => {
  const profile = file(
    JSON.stringify({
      baseUrl: 'https://other.example',
      tokenUrl: 'https://other.example/t',
      marketplacePrefix: 'XY_',
      sandbox: true,
    }),
  )
  const given = { profile, scopeBase: 's', baseUrl: 'https://service.example', sandbox: false }
  const service = serviceOf(given, {}, env)
  expect(service.profile).toMatchObject({
    baseUrl: 'https://service.example',
    tokenUrl: 'https://other.example/t',
    marketplacePrefix: 'XY_',
    maxRangeBytes: 10_000_000,
  })
  await service.close()
})

test('credentials come from the environment, or as a pair from a file, which comes first', async () => {
  expect(await sentBy(whole, env)).toBe(`one:${SECRET}`)
  const credentials = file('{"clientId": "two", "clientSecret": "third", "url": "x"}', 0o600)
  expect(await sentBy({ ...whole, credentials }, env)).toBe('two:third')
  const half = file('{"clientId": "two"}', 0o600)
  expect(refusal({ ...whole, credentials: half })).toMatchObject({
    code: 'OPTION_INVALID',
    context: { option: 'clientSecret', expected: `the field clientSecret in ${half}` },
  })
})

test.runIf(process.getuid)('a file of credentials that others can read is refused', () => {
  const text = JSON.stringify({ clientId: 'two', clientSecret: SECRET })
  for (const mode of [0o640, 0o604, 0o620, 0o666, 0o777])
    expect(refusal({ ...whole, credentials: file(text, mode) })).toMatchObject({
      code: 'OPTION_INVALID',
      message: expect.stringContaining('chmod 600'),
      context: { option: 'credentials' },
    })
})

test.each([
  ['baseUrl', 'FEEDMILL_BASE_URL'],
  ['tokenUrl', 'FEEDMILL_TOKEN_URL'],
  ['scopeBase', 'FEEDMILL_SCOPE_BASE'],
  ['clientId', 'FEEDMILL_CLIENT_ID'],
  ['clientSecret', 'FEEDMILL_CLIENT_SECRET'],
])('without %s it says how to give it', (option, variable) => {
  for (const empty of [{}, { [option]: '' }]) {
    const settings = Object.fromEntries(Object.entries(whole).filter(([name]) => name !== option))
    const rest = Object.fromEntries(Object.entries(env).filter(([name]) => name !== variable))
    expect(refusal({ ...settings, ...empty }, rest)).toMatchObject({
      code: 'OPTION_INVALID',
      context: { option, expected: expect.stringContaining(variable) },
    })
  }
})

test.each(['{', '[]', 'null', '"hunter2"', '{"tokenUrl": 5}', '{"a": hunter2}'])(
  'a profile or credentials of %s are refused, and not shown',
  text => {
    const { tokenUrl: _, ...rest } = whole
    expect(refusal({ ...rest, profile: file(text) })).toMatchObject({ code: 'OPTION_INVALID' })
    const credentials = file(text, 0o600)
    expect(refusal({ ...whole, credentials })).toMatchObject({ code: 'OPTION_INVALID' })
  },
)

test('a file that is not there is refused', () => {
  for (const option of ['profile', 'credentials'])
    expect(refusal({ ...whole, [option]: join(folder, 'none.json') })).toMatchObject({
      code: 'OPTION_INVALID',
      context: { option },
    })
})
