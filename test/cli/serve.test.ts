import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { ServeOptions } from '../../src/cli/emulator-commands'
import { program } from '../../src/cli/program'
import { serveLines, startService } from '../../src/cli/serve'
import type { Emulator } from '../../src/emulator'
import { outcomeOf } from './served'

const open: Emulator[] = []
afterEach(async () => {
  for (const emulator of open.splice(0)) await emulator.close()
})

const OPTIONS: ServeOptions = {
  port: 0,
  items: 80,
  seed: 5,
  shape: 'plain',
  hours: 24,
  sandbox: false,
  headerForm: 'documented',
  json: true,
}

async function started(options: Partial<ServeOptions> = {}) {
  const service = await startService({ ...OPTIONS, ...options })
  open.push(service.emulator)
  return service
}

/** Returns the words into which a shell splits a line. */
function shellWords(line: string): string[] {
  return [...line.trim().matchAll(/(?:'[^']*'|\\.|[^\s'\\])+/g)].map(([word]) =>
    word.replaceAll(/'([^']*)'|\\(.)/g, '$1$2'),
  )
}

async function tokenOf(tokenUrl: string, form: Record<string, string>) {
  const response = await fetch(tokenUrl, { method: 'POST', body: new URLSearchParams(form) })
  return (await response.json()) as {
    access_token: string
    error?: string
    error_description?: string
  }
}

describe('serve --json tells enough for a client without this package', () => {
  test('it prints these fields', async () => {
    const { address } = await started()
    expect(Object.keys(address)).toEqual([
      'url',
      'tokenUrl',
      'clientId',
      'clientSecret',
      'scopeBase',
      'authorizationCode',
      'redirectUri',
      'signingKeyIds',
      'destinations',
      'topics',
      'marketplaces',
      'categories',
      'marketplaceHeader',
      'now',
      'maxRangeBytes',
      'openapiUrl',
    ])
    expect(JSON.parse(JSON.stringify(address))).toEqual(address)
    expect([address.now, address.maxRangeBytes]).toEqual(['2026-03-02T01:00:00.000Z', 100_000_000])
  })

  test('a client reads a feed and a signing key and creates both kinds of subscription', async () => {
    const { address } = await started({ sandbox: true })
    const {
      url,
      tokenUrl,
      clientId,
      clientSecret,
      scopeBase,
      marketplaceHeader,
      marketplaces,
      categories,
      maxRangeBytes,
    } = address
    const client = { client_id: clientId, client_secret: clientSecret }
    const scope = `${scopeBase}/buy.item.feed ${scopeBase}/api_scope`
    const application = await tokenOf(tokenUrl, {
      grant_type: 'client_credentials',
      ...client,
      scope,
    })
    const authorization = `Bearer ${application.access_token}`

    const item = `${url}/buy/feed/v1_beta/item?feed_scope=ALL_ACTIVE&category_id=${categories[0]}`
    const headers = {
      authorization,
      [marketplaceHeader]: marketplaces[0]!,
      range: `bytes=0-${maxRangeBytes}`,
    }
    expect((await fetch(item, { headers })).status).toBe(200)

    const key = await fetch(
      `${url}/developer/key_management/v1/signing_key/${address.signingKeyIds[0]}`,
      { headers: { authorization } },
    )
    expect([key.status, await key.json()]).toMatchObject([
      200,
      { signingKeyId: address.signingKeyIds[0] },
    ])

    const code = {
      grant_type: 'authorization_code',
      code: address.authorizationCode,
      redirect_uri: address.redirectUri,
    }
    const user = await tokenOf(tokenUrl, { ...code, ...client })
    const destinationId = address.destinations.find(
      ({ status }) => status === 'ENABLED',
    )!.destinationId
    for (const [context, token] of [
      ['APPLICATION', application],
      ['USER', user],
    ] as const) {
      const topic = address.topics.find(known => known.context === context)!
      const [payload] = topic.supportedPayloads.map(
        ({ deliveryProtocol, format, schemaVersion }) => ({
          deliveryProtocol,
          format: format[0],
          schemaVersion,
        }),
      )
      const created = await fetch(`${url}/commerce/notification/v1/subscription`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token.access_token}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify({ topicId: topic.topicId, status: 'ENABLED', destinationId, payload }),
      })
      expect([context, created.status]).toEqual([context, 201])
    }

    expect((await fetch(address.openapiUrl)).status).toBe(200)
  })

  test('a refused token says which scope is unknown', async () => {
    const { address } = await started()
    const { clientId: client_id, clientSecret: client_secret } = address
    const refused = await tokenOf(address.tokenUrl, {
      grant_type: 'client_credentials',
      client_id,
      client_secret,
      scope: 'https://x/buy.item.feed',
    })
    expect(refused).toMatchObject({
      error: 'invalid_scope',
      error_description: expect.stringContaining('unknown scope https://x/buy.item.feed'),
    })
  })
})

test('the service has several marketplaces and categories', async () => {
  const argv = [
    'node',
    'cli.js',
    'serve',
    '--marketplace',
    'MKT_US',
    '--marketplace',
    'MKT_DE',
    '--category',
    '220',
    '--category',
    '11450',
  ]
  const command = program(argv).commands.find(known => known.name() === 'serve')!
  let given: Partial<ServeOptions> = {}
  command.action(options => void (given = options))
  await command.parseAsync(argv.slice(3), { from: 'user' })
  const { address } = await started({ ...given, items: 20, port: 0 })
  expect([address.marketplaces, address.categories]).toEqual([
    ['MKT_US', 'MKT_DE'],
    ['220', '11450'],
  ])
})

test.each([
  [{ port: 99_999 }, 'OPTION_INVALID', { option: 'port' }],
  [{ category: ['books'] }, 'OPTION_INVALID', { option: 'categories' }],
] as const)('the command refuses %j', async (options, code, context) => {
  await expect(started(options)).rejects.toMatchObject({ code, context })
})

test('the error names a port that is in use', async () => {
  const { address } = await started()
  const port = Number(new URL(address.url).port)
  await expect(started({ port })).rejects.toMatchObject({
    code: 'LISTEN_FAILED',
    context: { port, reason: 'EADDRINUSE' },
  })
})

test('a seed below zero is a seed', () => {
  const serve = program(['node', 'cli.js']).commands.find(command => command.name() === 'serve')!
  expect(serve.parseOptions(['--seed=-404']).unknown).toEqual([])
  expect(serve.opts().seed).toBe(-404)
})

describe('the printed commands work without a change', () => {
  test.each([
    ['plain', 24],
    ['market', 336],
  ] as const)('feedmill sync and feedmill status, %s, after %d hours', async (shape, hours) => {
    const { address } = await started({ category: ['220', '11450'], shape, hours })
    const lines = serveLines(address, OPTIONS)
    for (const word of shellWords(lines.find(text => text.includes('export'))!).slice(1))
      vi.stubEnv(word.split('=')[0]!, word.slice(word.indexOf('=') + 1))
    const words = shellWords(lines.find(text => text.includes('feedmill sync'))!)
    expect(words.slice(0, 3)).toEqual(['npx', 'feedmill', 'sync'])
    const folder = mkdtempSync(join(tmpdir(), 'feedmill-serve-'))
    const before = process.cwd()
    try {
      process.chdir(folder)
      const argv = ['node', 'cli.js', ...words.slice(2)]
      const { exitCode, error } = await outcomeOf(
        async () => void (await program(argv).parseAsync(argv)),
      )
      expect([error, exitCode, existsSync(join(folder, 'feedmill-state'))]).toEqual([
        undefined,
        undefined,
        true,
      ])
      const status = shellWords(lines.find(text => text.includes('feedmill status'))!)
      const told = await outcomeOf(async () => {
        await program(['node', 'cli.js']).parseAsync(['node', 'cli.js', ...status.slice(2)])
      })
      expect(told.out.filter(line => / (due|lost): /.test(line))).toEqual([])
    } finally {
      vi.unstubAllEnvs()
      process.chdir(before)
      rmSync(folder, { recursive: true, force: true })
    }
  })

  test('curl', async () => {
    const { address } = await started()
    const words = shellWords(serveLines(address, OPTIONS).find(text => text.includes('curl'))!)
    const argument = (option: string) => words[words.indexOf(option) + 1]!
    const [name, scope] = [
      argument('--data-urlencode').slice(0, 5),
      argument('--data-urlencode').slice(6),
    ]
    expect([words[0], words[1], name]).toEqual(['curl', '-s', 'scope'])
    const response = await fetch(words.at(-1)!, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(argument('-u')).toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: `${argument('-d')}&scope=${encodeURIComponent(scope)}`,
    })
    expect(response.status).toBe(200)
  })

  test('the command quotes words that a shell would split', async () => {
    const { address } = await started()
    const line = serveLines({ ...address, clientSecret: "it's $HOME" }, OPTIONS).find(text =>
      text.includes('export'),
    )!
    expect(line).toContain(`FEEDMILL_CLIENT_SECRET='it'\\''s $HOME'`)
    expect(shellWords(line).at(-1)).toBe("FEEDMILL_CLIENT_SECRET=it's $HOME")
  })
})
