import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { type ServiceSettings, serviceOf } from '../../src/cli/service-settings'

const folder = mkdtempSync(join(tmpdir(), 'feedmill-settings-'))
afterAll(() => rmSync(folder, { recursive: true }))
const file = (text: string) => {
  const path = join(folder, 'profile.json')
  writeFileSync(path, text)
  return path
}

const whole: ServiceSettings = {
  baseUrl: 'https://service.example',
  tokenUrl: 'https://service.example/token',
  scopeBase: 'https://scopes.example',
  clientId: 'client-one',
  clientSecret: 'hunter2-hunter2',
}

test('options make a profile', async () => {
  const service = serviceOf({ ...whole, sandbox: true })
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
  const service = serviceOf({
    profile,
    scopeBase: 's',
    clientId: 'a',
    clientSecret: 'b',
    baseUrl: 'https://service.example',
    sandbox: false,
  })
  expect(service.profile).toMatchObject({
    baseUrl: 'https://service.example',
    tokenUrl: 'https://other.example/t',
    marketplacePrefix: 'XY_',
    maxRangeBytes: 10_000_000,
  })
  await service.close()
})

test.each(['baseUrl', 'tokenUrl', 'scopeBase', 'clientId', 'clientSecret'] as const)(
  'the message says how to give %s when it is missing',
  option => {
    const { [option]: _, ...rest } = whole
    for (const settings of [rest, { ...rest, [option]: '' }]) {
      const variable = `FEEDMILL_${option.replace(/[A-Z]/g, letter => `_${letter}`).toUpperCase()}`
      expect(() => serviceOf(settings)).toThrow(
        expect.objectContaining({
          code: 'OPTION_INVALID',
          context: expect.objectContaining({ option, expected: expect.stringContaining(variable) }),
        }),
      )
    }
  },
)

test.each(['{', '[]', 'null', '"hunter2"', '{"tokenUrl": 5}'])(
  'a profile with %s is refused, and not shown',
  text => {
    const { tokenUrl: _, ...rest } = whole
    const profile = file(text)
    try {
      serviceOf({ ...rest, profile })
      expect.unreachable()
    } catch (error) {
      expect(error).toMatchObject({ code: 'OPTION_INVALID' })
      expect(inspect(error, { depth: 9 })).not.toContain('hunter2')
    }
  },
)

test('a missing profile file is refused', () => {
  expect(() => serviceOf({ ...whole, profile: join(folder, 'none.json') })).toThrow(
    expect.objectContaining({ code: 'OPTION_INVALID' }),
  )
})
