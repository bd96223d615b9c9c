import { createConfig, lintFromString } from '@redocly/openapi-core'
import { describe, expect, test } from 'vitest'
import { createEmulator, type EmulatorOptions } from '../../../src/emulator'
import { documentedErrors } from '../../../src/service/documented-errors'
import { OPERATIONS } from '../../../src/service/operations'
import { responseCheck, takeProblems, validated } from '../openapi-validation'

interface Document {
  readonly openapi: string
  readonly servers: readonly { readonly url: string }[]
  readonly paths: Record<
    string,
    Record<string, { operationId: string; responses: Record<string, unknown>; security: object[] }>
  >
  readonly components: {
    readonly schemas: Record<
      string,
      { properties: object; required: string[]; additionalProperties: boolean }
    >
  }
}

async function describeEmulator(
  options: Partial<EmulatorOptions> = {},
): Promise<{ text: string; document: Document }> {
  const emulator = createEmulator({ world: { seed: 1, items: 1 }, ...options })
  const text = await (await emulator.fetch('http://service.test:8080/openapi.json')).text()
  return { text, document: JSON.parse(text) as Document }
}

const SECOND_PROFILE: Partial<EmulatorOptions> = {
  marketplaceHeader: 'X-Shop',
  wrapErrors: true,
  headerForm: 'rfc9110',
  keyTokenErrorStatus: 400,
  conflictStatus: 409,
}

/** The codes that a response's schema allows. */
function errorIdsIn(node: unknown): number[] {
  if (typeof node !== 'object' || node === null) return []
  const { errorId } = node as { errorId?: { enum?: number[] } }
  return [...(errorId?.enum ?? []), ...Object.values(node).flatMap(errorIdsIn)]
}

describe('the OpenAPI document', () => {
  test.each([{}, SECOND_PROFILE])(
    'passes the recommended rules, none of them switched off (%#)',
    async options => {
      const { text } = await describeEmulator(options)
      const config = await createConfig({ extends: ['recommended'] })
      const problems = await lintFromString({ source: text, config })
      expect(
        problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer]),
      ).toEqual([])
    },
  )

  test('has every documented operation at the path of the profile', async () => {
    const { document } = await describeEmulator()
    const operations = Object.values(document.paths).flatMap(methods =>
      Object.values(methods).map(({ operationId }) => operationId),
    )
    expect(operations).toEqual(expect.arrayContaining(Object.keys(OPERATIONS)))
    expect(new Set(operations).size).toBe(operations.length)
    expect(document.paths['/buy/feed/v1/file/{file_id}/download']?.get?.operationId).toBe(
      'downloadFile',
    )
  })

  test('has the address of its request as the server', async () => {
    const { document } = await describeEmulator()
    expect(document.openapi).toBe('3.1.0')
    expect(document.servers).toEqual([{ url: 'http://service.test:8080' }])
  })

  test('has the documented statuses of each operation', async () => {
    const { document } = await describeEmulator()
    const statuses = (path: string, method = 'get') =>
      Object.keys(document.paths[path]![method]!.responses).sort()
    expect(statuses('/buy/feed/v1/file/{file_id}/download')).toEqual([
      '200',
      '206',
      '400',
      '401',
      '403',
      '404',
      '416',
      '500',
    ])
    expect(statuses('/buy/feed/v1_beta/item_priority')).toEqual([
      '200',
      '204',
      '206',
      '400',
      '401',
      '403',
      '404',
      '416',
      '500',
    ])
    expect(statuses('/developer/key_management/v1/signing_key/{signing_key_id}')).toEqual([
      '200',
      '401',
      '403',
      '404',
      '500',
    ])
    expect(statuses('/commerce/notification/v1/subscription', 'post')).toEqual([
      '201',
      '400',
      '401',
      '403',
      '409',
      '413',
      '500',
    ])
  })

  test('has every error row of the clients at its operation and status, and no other', async () => {
    const told = new Set<string>()
    for (const options of [{}, { keyTokenErrorStatus: 400, conflictStatus: 409 } as const]) {
      const { document } = await describeEmulator(options)
      for (const { operationId, responses } of Object.values(document.paths).flatMap(methods =>
        Object.values(methods),
      )) {
        for (const [status, response] of Object.entries(responses))
          for (const id of errorIdsIn(response)) told.add(`${operationId} ${status} ${id}`)
      }
    }
    const rows = documentedErrors.map(
      ({ operation, status, errorId }) => `${operation} ${status} ${errorId}`,
    )
    expect(rows.length).toBeGreaterThan(100)
    expect(rows.filter(row => !told.has(row))).toEqual([])
    const clients = [...told].filter(row => row.split(' ')[0]! in OPERATIONS)
    expect(clients.filter(row => !rows.includes(row))).toEqual([])
  })

  test('marks the fields that are not always sent', async () => {
    const { document } = await describeEmulator()
    const optional = Object.entries(document.components.schemas).flatMap(
      ([name, { properties, required }]) =>
        Object.keys(properties).flatMap(field =>
          required.includes(field) ? [] : [`${name}.${field}`],
        ),
    )
    expect(optional).toEqual([
      'SupportedFeed.constraint',
      'FeedTypeSearchResponse.next',
      'FileMetadataSearchResponse.next',
      'Subscription.filterId',
    ])
  })

  test('has bodies with every documented field and no other', async () => {
    const { document } = await describeEmulator()
    const { FileMetadata, SigningKey } = document.components.schemas
    expect(FileMetadata?.required).toHaveLength(11)
    expect(SigningKey).toMatchObject({ additionalProperties: false })
    expect(SigningKey?.required).not.toContain('privateKey')
  })
})

describe('the check against it', () => {
  const path = 'http://emulator/developer/key_management/v1/signing_key/x'
  const wrong: [what: string, response: Response, problem: RegExp][] = [
    ['a status', Response.json({}, { status: 418 }), /418/],
    [
      'a media type',
      new Response('x', { headers: { 'content-type': 'text/plain' } }),
      /text\/plain/,
    ],
    ['a body', Response.json({ creationTime: 'yesterday' }), /creationTime/],
    ['a field', Response.json({ ...signingKey(), privateKey: 'x' }), /privateKey/],
    ['a code', Response.json({ errors: [{ errorId: 13006 }] }, { status: 404 }), /errorId/],
    [
      'a header that is missing',
      Response.json({ errors: [] }, { status: 401 }),
      /^$|minItems|WWW/i,
    ],
  ]

  function signingKey() {
    return {
      creationTime: 1,
      expirationTime: 2,
      jwe: '',
      publicKey: '',
      signingKeyCipher: 'RSA',
      signingKeyId: 'x',
    }
  }

  test.each(wrong)('finds the undocumented part: %s', async (_, response, problem) => {
    const check = responseCheck(
      (await describeEmulator()).document as unknown as Record<string, unknown>,
    )
    expect(await check(new Request(path), response)).toMatch(problem)
  })

  test('makes a test fail', async () => {
    const { text } = await describeEmulator()
    const fetch = validated({
      fetch: async input =>
        new Response(String(input).endsWith('.json') ? text : null, { status: 200 }),
    })
    await fetch('http://emulator/commerce/notification/v1/subscription', { method: 'POST' })
    await fetch('http://emulator/commerce/notification/v1/subscription', {
      method: 'POST',
      headers: { 'x-feedmill-fault': '429' },
    })
    expect(takeProblems()).toEqual([
      'POST http://emulator/commerce/notification/v1/subscription: status 200 is not documented',
    ])
  })

  test('finds an undocumented path, and passes correct answers', async () => {
    const check = responseCheck(
      (await describeEmulator()).document as unknown as Record<string, unknown>,
    )
    expect(await check(new Request('http://emulator/other'), new Response('x'))).toMatch(
      /not documented/,
    )
    expect(
      await check(new Request('http://emulator/other'), new Response('x', { status: 404 })),
    ).toBeUndefined()
    expect(await check(new Request(path), Response.json(signingKey()))).toBeUndefined()
  })
})
