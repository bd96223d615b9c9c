// A walk over the public roads with a marked secret of each kind, against servers that repeat it in
// every place of an answer, in success, failure and retry. Nothing that leaves has the mark: errors
// with their causes, notices, events, channels, logs, and the lines of the command.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect as shownByNode } from 'node:util'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { run as runCommand } from '../src/cli/program'
import { type DiagnosticsName, listen } from '../src/engine/diagnostics/channels'
import {
  byteSink,
  ChunkReassembler,
  decimal,
  defineSchema,
  fetchTransport,
  Gunzip,
  logTo,
  NodeTransport,
  pipeline,
  RangeFetcher,
  TsvObjectParser,
  TsvRowParser,
  text,
} from '../src/index'
import { inspect } from '../src/inspect'
import { postgresSink, postgresTarget } from '../src/postgres'
import { queueStatus, scheduleCategories } from '../src/queue'
import { type BucketOptions, bucketFiles, bucketObject, bucketTarget } from '../src/s3'
import { createFeedService, defineProfile } from '../src/service'
import { type FeedSource, sync } from '../src/sync'
import { outcomeOf } from './cli/served'

const SCHEMA = defineSchema({ name: 'own', columns: { id: text(), price: decimal() } })
const TABLE = 'id\tprice\na\t1.5\n'
const RETRY = { patienceMs: 6, backoffBaseMs: 1, backoffCapMs: 2, retryAfterCapMs: 2 }

// What leaves the library.

/** Everything that left during one case. */
let left: unknown[] = []

/** All that somebody could read of a value: its fields, hidden ones and bytes too. */
function shown(value: unknown): string {
  const depth = { depth: 40, maxArrayLength: 5_000, maxStringLength: 100_000 }
  const whole = shownByNode(value, {
    ...depth,
    showHidden: true,
    breakLength: Number.POSITIVE_INFINITY,
  })
  const stack = value instanceof Error ? value.stack : ''
  const json = value instanceof Error || typeof value === 'object' ? JSON.stringify(value) : ''
  return `${whole}\n${stack}\n${json}`
}

function expectCovered(secret: string, of: unknown): void {
  const bytes = Buffer.from(secret)
  const forms = [
    secret,
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    bytes.toString('base64').replaceAll('=', ''),
    bytes.toString('base64url'),
    bytes.toString('hex'),
    bytes.toString('hex').replace(/../g, '$& ').trim(),
  ]
  for (const value of left) {
    const visible = shown(value).toLowerCase()
    for (const form of forms)
      if (visible.includes(form.toLowerCase()))
        throw new Error(`${shown(of)} left ${form} in ${shown(value)}`)
  }
}

// A server that repeats what it was sent.

const FORMS: Record<string, (secret: string) => string> = {
  raw: secret => secret,
  percent: secret => encodeURIComponent(secret),
  base64: secret => Buffer.from(secret).toString('base64'),
  hex: secret => Buffer.from(secret).toString('hex'),
  json: secret => JSON.stringify(secret),
  sentence: secret => `the value ${secret.toUpperCase()} is not known`,
}

const HEADERS = [
  'content-type',
  'content-encoding',
  'content-length',
  'content-range',
  'transfer-encoding',
  'etag',
  'last-modified',
  'retry-after',
  'www-authenticate',
  'set-cookie',
  'x-echo',
]

const behaviourOf = fc.record({
  form: fc.constantFrom(...Object.keys(FORMS)),
  place: fc.constantFrom(
    'reason',
    'json',
    'text',
    'page',
    'heading',
    'cell',
    'short row',
    'gzip',
    'location',
    'elsewhere',
    'head',
    'chunk',
    'nothing but',
    ...HEADERS,
  ),
  status: fc.constantFrom(200, 206, 301, 302, 400, 401, 403, 404, 409, 416, 429, 500, 503),
  /** Requests that are answered well before, and answers that have it. */
  before: fc.constantFrom(0, 0, 0, 1, 2),
  times: fc.constantFrom(1, 2, 1_000),
})
type Behaviour = typeof behaviourOf extends fc.Arbitrary<infer B> ? B : never

let server: Server
let origin: string
let elsewhere: string
let behaviour: Behaviour
let repeated: string
let requests = 0
/** Sees each request before it is answered. */
let onHead = (_head: string) => {}
const sockets = new Set<Socket>()

function goodAnswer(head: string): Buffer {
  const isToken = head.startsWith('POST /token')
  const body = isToken
    ? JSON.stringify({ access_token: 'granted-token-4711', token_type: 'Bearer', expires_in: 60 })
    : head.includes('.gz')
      ? gzipSync(TABLE)
      : TABLE
  const bytes = Buffer.from(body)
  const [, first, last] = /^range: bytes=(\d+)-(\d+)/im.exec(head) ?? []
  const end = Math.min(Number(last) + 1, bytes.length)
  if (first === undefined || Number(first) >= bytes.length)
    return answer(200, { 'Content-Type': isToken ? 'application/json' : 'text/plain' }, bytes)
  const range = { 'Content-Range': `bytes ${first}-${end - 1}/${bytes.length}`, ETag: '"one"' }
  return answer(206, range, bytes.subarray(Number(first), end))
}

function answer(
  status: number,
  headers: Record<string, string>,
  body: string | Uint8Array,
  reason = 'Some',
): Buffer {
  const bytes = Buffer.from(body as string)
  const lines = Object.entries({ 'Content-Length': String(bytes.length), ...headers })
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name}: ${value}\r\n`)
  const head = Buffer.from(
    `HTTP/1.1 ${status} ${reason}\r\nConnection: close\r\n${lines.join('')}\r\n`,
  )
  return Buffer.concat([head, bytes])
}

function repeatingAnswer(): Buffer {
  const { place, status, form } = behaviour
  const echo = FORMS[form]!(repeated)
  switch (place) {
    case 'reason':
      return answer(status, {}, '', echo)
    case 'json': {
      const error = {
        errorId: 12,
        message: echo,
        longMessage: echo,
        parameters: [{ name: echo, value: echo }],
      }
      const body = { errors: [error], error: 'invalid_client', error_description: echo }
      return answer(status, { 'Content-Type': 'application/json' }, JSON.stringify(body))
    }
    case 'page':
      return answer(status, { 'Content-Type': 'text/html' }, `<!doctype html><html>${echo}</html>`)
    case 'text':
      return answer(status, {}, echo)
    case 'heading':
      return answer(status, {}, `${echo}\tother\na\tb\n`)
    case 'cell':
      return answer(status, {}, `id\tprice\na\t${echo}\n`)
    case 'short row':
      return answer(status, {}, `id\tprice\n${echo}\n`)
    case 'gzip':
      return answer(status, {}, gzipSync(`id\tprice\n${echo}\n`))
    case 'location':
      return answer(
        302,
        { Location: `/${encodeURIComponent(echo)}?again=${encodeURIComponent(echo)}` },
        '',
      )
    case 'elsewhere':
      return answer(307, { Location: `${elsewhere}/f?sig=${encodeURIComponent(echo)}` }, '')
    case 'head':
      return Buffer.from(`HTTP/1.1 ${echo}\r\n\r\n`)
    case 'chunk':
      return Buffer.from(
        `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nid\t\r\n${echo}\r\n`,
      )
    case 'nothing but':
      return Buffer.from(`${echo}\r\n\r\n`)
    default:
      return answer(status, { [place]: place === 'etag' ? `"${echo}"` : echo }, TABLE)
  }
}

beforeAll(async () => {
  server = createServer(socket => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    let head = ''
    socket.on('data', bytes => {
      head += bytes.toString('latin1')
      if (!head.includes('\r\n\r\n')) return
      onHead(head)
      const at = requests++ - behaviour.before
      const isRepeating = at >= 0 && at < behaviour.times
      socket.end(isRepeating ? repeatingAnswer() : goodAnswer(head))
      head = ''
    })
  })
  server.listen(0, '127.0.0.1')
  await new Promise(resolve => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  origin = `http://127.0.0.1:${port}`
  elsewhere = `http://localhost:${port}`
})
afterAll(() => {
  for (const socket of sockets) socket.destroy()
  server.close()
})
afterEach(() => {
  vi.restoreAllMocks()
})

// The roads.

/** What a caller gives to a download, and the secret in it. */
interface Given {
  readonly secret: string
  readonly headers?: Record<string, string>
  readonly query?: string
}

const secretOf = fc
  .tuple(
    fc.string({ minLength: 8, maxLength: 30, unit: fc.constantFrom(...'abcdefXYZ0123456789-._~') }),
    fc.constantFrom('', '+/a', 'K=='),
  )
  .map(([name, end]) => `Mk${name}${end}`)

const givenOf: fc.Arbitrary<Given> = secretOf.chain(secret =>
  fc.constantFrom<Given>(
    { secret, headers: { Authorization: `Bearer ${secret}` } },
    { secret, headers: { authorization: `Basic ${secret}` } },
    { secret, headers: { 'X-Api-Key': secret } },
    { secret, headers: { Cookie: `theme=dark; sid=${secret}; b=1` } },
    { secret, query: `?a=1&X-Amz-Signature=${encodeURIComponent(secret)}` },
    { secret, query: `?${encodeURIComponent(secret)}` },
  ),
)

type Road = (url: string, given: Given) => Promise<unknown>

const onRetry = (retry: unknown) => void left.push(retry)
const fetching = (url: string, { headers = {} }: Given, transport: NodeTransport) => ({
  url,
  headers,
  transport,
  chunkBytes: 5,
  retry: { ...RETRY, onRetry },
})

async function withTransport<T>(use: (transport: NodeTransport) => Promise<T>): Promise<T> {
  const transport = new NodeTransport()
  try {
    return await use(transport)
  } finally {
    await transport.close()
  }
}

const ROADS: Record<string, Road> = {
  'a stage alone': (url, given) =>
    withTransport(async transport => {
      const fetcher = new RangeFetcher(fetching(url, given, transport))
      fetcher.info.catch(error => left.push(error))
      for await (const _ of fetcher);
    }),
  'a pipeline of rows': (url, given) =>
    withTransport(transport => {
      const bytes = pipeline(new RangeFetcher(fetching(url, given, transport)), {
        onSettled: (_, error) => void left.push(error),
      }).to(new ChunkReassembler())
      const plain = url.includes('.gz') ? bytes.to(new Gunzip()) : bytes
      return plain.to(new TsvObjectParser({ schema: SCHEMA })).toArray()
    }),
  'over fetch': (url, given) =>
    pipeline(
      new RangeFetcher({
        ...fetching(url, given, new NodeTransport()),
        transport: fetchTransport(fetch),
      }),
    )
      .to(new ChunkReassembler())
      .to(new TsvRowParser({ schema: SCHEMA }))
      .toArray(),
  inspect: async (url, { headers }) => {
    if (headers === undefined) left.push((await inspect(url)).failure)
  },
  'a feed of one’s own': async (url, { headers = {} }) => {
    const folder = mkdtempSync(join(tmpdir(), 'feedmill-secrets-'))
    const file = { id: 'one', from: url, kind: 'full', time: new Date('2026-01-01') } as const
    try {
      const running = sync({
        source: { name: 'own', schema: SCHEMA, key: 'id', files: [file], headers },
        folder,
        retry: { ...RETRY, onRetry },
      })
      // The example of a bad cell is data of the file, as its rows are.
      for await (const event of running) left.push(withoutData(event))
      left.push(await running.summary)
    } finally {
      rmSync(folder, { recursive: true })
    }
  },
}

function withoutData(told: object): object {
  return 'entry' in told
    ? { ...told, entry: { ...(told.entry as object), firstBadCell: null } }
    : told
}

async function walk(road: () => Promise<unknown>): Promise<void> {
  requests = 0
  left = []
  const names: DiagnosticsName[] = [
    'feedmill:request',
    'feedmill:retry',
    'feedmill:file',
    'feedmill:run',
  ]
  const stop = listen(
    Object.fromEntries(names.map(name => [name, (said: unknown) => left.push(said)])),
  )
  const log = (...line: unknown[]) => void left.push(line)
  const quiet = logTo({ debug: log, info: log, warn: log, error: log }, { level: 'debug' })
  try {
    await road().catch(error => left.push(error))
  } finally {
    stop()
    quiet()
  }
}

/** What the walk has of the table in SECURITY.md. */
const KINDS = [
  'bearer token',
  'client secret',
  'token of a user',
  'header of the caller',
  'cookie',
  'parameter of an address',
  'password of PostgreSQL',
  'secret key, session token or signature of a bucket',
  'password of Redis',
  'argument or variable of the command',
]

test('the table of secrets in SECURITY.md is that of the walk', () => {
  const [, table = ''] = readFileSync('SECURITY.md', 'utf8').split(
    '| secret | given to |\n|---|---|\n',
  )
  const kinds = table
    .split('\n\n')[0]!
    .split('\n')
    .map(line => line.split(' | ')[0]!.slice(2))
  expect(kinds).toEqual(KINDS)
})

describe('fault 165: no secret of a call leaves', () => {
  test.each(Object.keys(ROADS))('by %s', async name => {
    await fc.assert(
      fc.asyncProperty(behaviourOf, givenOf, fc.boolean(), async (how, given, isGzip) => {
        // `inspect` repeats a request as long as it does by default.
        behaviour = name === 'inspect' ? { ...how, times: 1 } : how
        repeated = given.secret
        const url = `${origin}/file${isGzip ? '.gz' : ''}${given.query ?? ''}`
        await walk(() => ROADS[name]!(url, given))
        expectCovered(given.secret, { name, how, given, isGzip })
      }),
      { numRuns: name === 'inspect' ? 40 : 150 },
    )
  })

  test('by the clients of the service', async () => {
    await fc.assert(
      fc.asyncProperty(
        behaviourOf,
        secretOf,
        fc.constantFrom('secret', 'token', 'user'),
        fc.constantFrom('rows', 'list', 'subscribe'),
        async (how, secret, kind, operation) => {
          behaviour = how
          repeated = secret
          const credentials =
            kind === 'secret' ? { clientId: 'a-client', clientSecret: secret } : () => secret
          const profile = defineProfile({
            baseUrl: origin,
            tokenUrl: `${origin}/token`,
            scopeBase: 'https://scope.test',
            allowHttp: true,
          })
          const service = createFeedService(profile, credentials, { retry: { ...RETRY, onRetry } })
          const query = { marketplace: 'MKT_US', categoryId: '220', scope: 'ALL_ACTIVE' } as const
          await walk(async () => {
            if (operation === 'rows') await service.feeds.getItemFeed(query).rows().toArray()
            else if (operation === 'list') await service.catalog.getFeedTypes().toArray()
            else await service.feeds.getItemFeed(query).info()
          })
          await service.close()
          expectCovered(secret, { how, secret, kind, operation })
        },
      ),
      { numRuns: 200 },
    )
  })

  test('by buckets, whose store repeats keys, tokens and signatures', async () => {
    await fc.assert(
      fc.asyncProperty(
        behaviourOf,
        secretOf,
        fc.constantFrom('key', 'token', 'signature'),
        fc.constantFrom('download', 'list', 'upload'),
        async (how, secret, kind, operation) => {
          behaviour = how
          repeated = secret
          const others = { accessKeyId: 'an-id', secretAccessKey: 'another-secret-key' }
          const credentials = {
            ...others,
            ...(kind === 'key' && { secretAccessKey: secret }),
            ...(kind === 'token' && { sessionToken: secret }),
          }
          if (kind === 'signature')
            onHead = head => {
              repeated = /Signature=(\w+)/i.exec(head)![1]!
            }
          const options: BucketOptions = {
            endpoint: origin,
            credentials: () => credentials,
            retry: { ...RETRY, onRetry },
          }
          await walk(async () => {
            const address = 's3://bucket/a-key'
            if (operation === 'download') {
              const object = bucketObject(address, options)
              const fetcher = new RangeFetcher({ ...object, chunkBytes: 5, retry: options.retry! })
              // What is in the file is data.
              for await (const _ of pipeline(fetcher).to(new ChunkReassembler()));
            } else if (operation === 'upload')
              await pipeline([Buffer.from('x')]).run(byteSink(bucketTarget(address, options)))
            else {
              const { files } = bucketFiles({ ...options, bucket: address, full: '*' })
              await (files as Extract<FeedSource['files'], (...a: never) => unknown>)({
                signal: new AbortController().signal,
              })
            }
          })
          onHead = () => {}
          expectCovered(repeated, { how, secret, kind, operation })
        },
      ),
      { numRuns: 300 },
    )
  })

  test('by PostgreSQL and Redis, whose servers repeat the password', async () => {
    await fc.assert(
      fc.asyncProperty(secretOf, fc.constantFrom(...Object.keys(FORMS)), async (secret, form) => {
        const hostile = createServer(socket => {
          const echo = FORMS[form]!(secret)
          socket.on('error', () => {})
          socket.on('data', bytes => {
            const fields = Buffer.from(`SFATAL\0C28P01\0Mno user with ${echo}\0D${echo}\0\0`)
            const length = Buffer.alloc(4)
            length.writeInt32BE(fields.length + 4)
            // An answer to each command that has come.
            const commands = bytes.toString('latin1').match(/\*\d+\r\n\$/g)?.length ?? 1
            const refusal = `-${isEarly ? 'ERR' : 'WRONGPASS'} no ${echo}\r\n`
            if (isRedis) socket.write(refusal.repeat(commands))
            else socket.end(Buffer.concat([Buffer.from('E'), length, fields]))
          })
        })
        let isRedis = false
        let isEarly = true
        hostile.listen(0, '127.0.0.1')
        await new Promise(resolve => hostile.once('listening', resolve))
        const { port } = hostile.address() as AddressInfo
        const host = `u:${encodeURIComponent(secret)}@127.0.0.1:${port}`
        try {
          const parts = { host: '127.0.0.1', port, user: 'u', database: 'd', password: secret }
          for (const connection of [`postgres://${host}/d`, parts]) {
            await walk(() =>
              pipeline([{ id: 'a', price: '1' }]).run(
                postgresSink(connection, { table: 'items', mode: 'append', schema: SCHEMA }),
              ),
            )
            expectCovered(secret, { secret, form, connection })
            await walk(async () => {
              const target = postgresTarget(connection, {})
              const opened = await target.open({
                origin: { marketplace: 'own', service: 'own' },
                memoryBytes: 2 ** 28,
                signal: new AbortController().signal,
              } as never)
              left.push(opened)
            })
            expectCovered(secret, { secret, form, connection })
          }
          isRedis = true
          for (const queue of [
            { url: `redis://${host}`, timeoutMs: 60 },
            { url: `redis://127.0.0.1:${port}`, password: secret, timeoutMs: 60 },
          ]) {
            await walk(async () => left.push(await queueStatus(queue)))
            expectCovered(secret, { secret, form, queue })
            isEarly = !isEarly
            await walk(() =>
              scheduleCategories({ queue, marketplace: 'MKT_US', categories: ['220'] } as never),
            )
            expectCovered(secret, { secret, form, queue })
          }
        } finally {
          hostile.close()
        }
      }),
      { numRuns: 8 },
    )
  })

  test('by the command', async () => {
    await fc.assert(
      fc.asyncProperty(behaviourOf, secretOf, fc.nat(11), async (how, secret, which) => {
        // A command repeats a request as long as it does by default.
        behaviour = { ...how, times: 1 }
        repeated = secret
        const value = encodeURIComponent(secret)
        const address = ['--base-url', origin, '--token-url', `${origin}/token`, '--allow-http']
        const service = [...address, '--scope-base', 'https://s.test', '--json']
        const words = [
          ['inspect', `${origin}/file?sig=${value}`],
          ['inspect', ` ${origin}/file?sig=${value}`],
          ['inspect', `s3://bucket/file?sig=${value}`],
          ['inspect', `file:///folder/file?sig=${value}`],
          ['inspect', `--sample=${origin}/?sig=${value}`, 'x'],
          ['inspect', `ftp://u:${value}@host/file`],
          [
            'sync',
            ...service,
            '--marketplace',
            'MKT_US',
            '--category',
            '1',
            '--state',
            `s3://b?sig=${value}`,
          ],
          ['status', `https://u:${value}@host/`],
          [`https://u:${value}@host/`],
          ['catalog', 'feed-types', ...service],
          ['catalog', 'access', ...service],
          ['keys', 'get', '12', ...service],
        ][which]!
        vi.stubEnv('FEEDMILL_CLIENT_ID', 'a-client')
        vi.stubEnv('FEEDMILL_CLIENT_SECRET', which < 9 ? 'another-secret' : secret)
        await walk(async () => {
          const { out, err } = await outcomeOf(() => runCommand(['node', 'feedmill', ...words]))
          left.push(out, err)
        })
        vi.unstubAllEnvs()
        expectCovered(secret, { how, words })
      }),
      { numRuns: 120 },
    )
  })
})
