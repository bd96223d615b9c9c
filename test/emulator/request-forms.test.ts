// Sends every form of an HTTP request as bytes on a socket. Each gets the answer of the plain form,
// or is refused, and nothing is printed. The plain form is HTTP/1.1 with Content-Length; the
// operations are a token, a subscription and a download. It is one file because every form is
// compared with the same plain one.

import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { createEmulator, type Emulator } from '../../src/emulator'
import { streamOf } from '../../src/emulator/http/body-stream'
import { plainErrors } from '../../src/emulator/http/error-family'
import { listen } from '../../src/emulator/http/listen'
import { token } from './emulator-client'
import { chunked, type RawAnswer, type RawStep, rawAnswers } from './raw-http'

const TOPICS = ['MARKETPLACE_ACCOUNT_DELETION', 'AUTHORIZATION_REVOCATION']
const EVERYTHING =
  'https://api.market.example/oauth/buy.item.feed https://api.market.example/oauth/api_scope'

let emulator: Emulator
let url: string
let bearer: string
const printed = vi.fn()

beforeAll(async () => {
  emulator = createEmulator({ world: { seed: 7, items: 30, churn: 20, hours: 72 } })
  url = (await emulator.listen()).url
  bearer = await token(emulator, 'http://emulator', emulator.fetch, EVERYTHING)
  for (const method of ['error', 'info', 'log', 'warn'] as const)
    vi.spyOn(console, method).mockImplementation(printed)
  vi.spyOn(process.stderr, 'write').mockImplementation(text => {
    printed(text)
    return true
  })
})
afterAll(async () => {
  vi.restoreAllMocks()
  await emulator.close()
})
afterEach(() => {
  const lines = printed.mock.calls.splice(0)
  expect(lines).toEqual([])
})

interface Operation {
  readonly method: string
  /** Path and query. */
  readonly target: string
  readonly headers: readonly string[]
  readonly body: string
  /** The parts of a good answer that are the same each time. */
  readonly good: unknown
  said(answer: RawAnswer): unknown
}

/** The two operations with a body, and the one without. */
function operations(): Record<'token' | 'subscription' | 'download', Operation> {
  const grant = {
    grant_type: 'client_credentials',
    client_id: emulator.clientId,
    client_secret: emulator.clientSecret,
  }
  const payload = { deliveryProtocol: 'HTTPS', format: 'JSON', schemaVersion: '9.9' }
  const subscription = {
    topicId: TOPICS[0],
    status: 'ENABLED',
    destinationId: emulator.destinations[0]!.destinationId,
    payload,
  }
  return {
    token: {
      method: 'POST',
      target: emulator.tokenPath,
      headers: ['Content-Type: application/x-www-form-urlencoded'],
      body: new URLSearchParams(grant).toString(),
      good: [200, 'Bearer', 7200],
      said: answer => [answer.status, jsonOf(answer).token_type, jsonOf(answer).expires_in],
    },
    // The version is wrong, so that it can be sent any number of times: the answer shows that the
    // body was read.
    subscription: {
      method: 'POST',
      target: emulator.paths.createSubscription,
      headers: ['Content-Type: application/json', `Authorization: Bearer ${bearer}`],
      body: JSON.stringify(subscription),
      good: [400, 195008],
      said: answer => [answer.status, (jsonOf(answer).errors as { errorId: number }[])[0]?.errorId],
    },
    download: {
      method: 'GET',
      target: `${emulator.paths.getItemFeed}?feed_scope=ALL_ACTIVE&category_id=220`,
      headers: [
        `Authorization: Bearer ${bearer}`,
        'X-MKT-C-MARKETPLACE-ID: MKT_US',
        'Range: bytes=0-9',
      ],
      body: '',
      good: [206, '10', '1f8b'],
      said: ({ status, headers, body }) => [
        status,
        headers['content-length'],
        body.subarray(0, 2).toString('hex'),
      ],
    },
  }
}

function jsonOf({ body }: RawAnswer): Record<string, unknown> {
  return JSON.parse(body.toString('utf8')) as Record<string, unknown>
}

/** The head of a request. By default `Connection: close` gives the answer an end. */
function head(
  { method, target, headers }: Operation,
  more: readonly string[] = [],
  { version = '1.1', last = true } = {},
): string {
  const host = version === '1.1' ? ['Host: service.test'] : []
  return `${[`${method} ${target} HTTP/${version}`, ...host, ...headers, ...more, ...(last ? ['Connection: close'] : [])].join('\r\n')}\r\n\r\n`
}

const withLength = (operation: Operation, options = {}) =>
  head(
    operation,
    operation.body === '' ? [] : [`Content-Length: ${operation.body.length}`],
    options,
  ) + operation.body

/** The Error object (feed-file-catalog.md, section 3.10) without a code, and its status. */
function expectRefusal(answer: RawAnswer | undefined, status: number): void {
  expect(answer?.status).toBe(status)
  expect(answer?.headers['content-type']).toBe('application/json')
  expect(jsonOf(answer!)).toEqual({
    category: 'REQUEST',
    domain: 'API_FEED',
    subdomain: 'feed',
    message: expect.stringMatching(/\w/),
    longMessage: expect.stringMatching(/\w/),
    inputRefIds: [],
    outputRefIds: [],
    parameters: [],
  })
}

const nextTurn = () => new Promise(resolve => setImmediate(resolve))

describe.each(['token', 'subscription'] as const)('a body to the operation %s is read', name => {
  const told = async (steps: (operation: Operation) => readonly RawStep[]) => {
    const operation = operations()[name]
    const answers = await rawAnswers(url, steps(operation))
    return { operation, answers, said: answers.map(answer => operation.said(answer)) }
  }
  const expectGood = async (steps: (operation: Operation) => readonly RawStep[], count = 1) => {
    const { operation, said } = await told(steps)
    expect(said).toEqual(Array(count).fill(operation.good))
  }

  test('with Content-Length', () => expectGood(operation => [withLength(operation)]))

  test.each([1, 7, 64, 100_000])('fault 103: in chunks of %i bytes', size =>
    expectGood(operation => [
      head(operation, ['Transfer-Encoding: chunked']) + chunked(operation.body, size),
    ]),
  )

  test('fault 103: in chunks with extensions and trailers', () =>
    expectGood(operation => [
      head(operation, ['Transfer-Encoding: chunked', 'Trailer: X-Sum']) +
        chunked(operation.body, 9, { extension: ';name="value"', trailers: 'X-Sum: 1\r\n' }),
    ]))

  test('fault 103: in chunks cut anywhere on the wire, slowly', () =>
    expectGood(operation => {
      const bytes = head(operation, ['Transfer-Encoding: chunked']) + chunked(operation.body, 33)
      const pieces = bytes.match(/[\s\S]{1,41}/g)!
      return pieces.flatMap(piece => [piece, nextTurn])
    }))

  test('fault 103: after 100-continue, with Content-Length and in chunks', async () => {
    for (const [header, body] of [
      [`Content-Length: ${operations()[name].body.length}`, operations()[name].body],
      ['Transfer-Encoding: chunked', chunked(operations()[name].body, 20)],
    ] as const) {
      const { operation, said, answers } = await told(asked => [
        head(asked, ['Expect: 100-continue', header]),
        nextTurn,
        body,
      ])
      expect([said, answers[0]?.continues]).toEqual([[operation.good], 1])
    }
  })

  test('fault 103: over HTTP/1.0, without and with keep-alive', async () => {
    await expectGood(operation => [withLength(operation, { version: '1.0' })])
    const kept = (operation: Operation) =>
      head(operation, ['Connection: keep-alive', `Content-Length: ${operation.body.length}`], {
        version: '1.0',
        last: false,
      }) + operation.body
    await expectGood(operation => [kept(operation) + withLength(operation, { version: '1.0' })], 2)
  })

  test('fault 103: with several at once on one connection, with Content-Length and in chunks', () =>
    expectGood(
      operation => [
        withLength(operation, { last: false }) +
          head(operation, ['Transfer-Encoding: chunked'], { last: false }) +
          chunked(operation.body, 11) +
          withLength(operation),
      ],
      3,
    ))

  test('fault 103: from a client that closes its half at once', () =>
    expectGood(operation => [
      head(operation, ['Transfer-Encoding: chunked'], { last: false }) +
        chunked(operation.body, 50),
      'end',
    ]))

  test('with header names in any case', () =>
    expectGood(operation => {
      const odd = (line: string) =>
        line.replace(/^[^:]+/, text =>
          [...text].map((c, i) => (i % 2 ? c.toUpperCase() : c.toLowerCase())).join(''),
        )
      const headers = [...operation.headers, `Content-Length: ${operation.body.length}`].map(odd)
      return [head({ ...operation, headers }) + operation.body]
    }))

  test.each([
    ['with Content-Length', (body: string) => `Content-Length: ${body.length}\r\n\r\n${body}`],
    ['in chunks', (body: string) => `Transfer-Encoding: chunked\r\n\r\n${chunked(body, 1_000)}`],
  ])(
    'fault 103: past the size limit %s as 413 with an Error object, and the connection stays usable',
    async (_, sent) => {
      const operation = operations()[name]
      const start = head(operation, [], { last: false }).slice(0, -2)
      const answers = await rawAnswers(url, [
        start + sent('x'.repeat(70_000)) + withLength(operation),
      ])
      expect(answers.map(({ status }) => status)).toEqual([413, (operation.good as number[])[0]])
      const body = jsonOf(answers[0]!) as { errors?: Record<string, unknown>[] }
      expect(body.errors?.[0] ?? body).toMatchObject({
        category: 'REQUEST',
        message: 'The body is longer than 65536 bytes.',
      })
    },
  )

  test('at exactly the size limit', async () => {
    const { answers } = await told(operation => [
      withLength({ ...operation, body: operation.body.padEnd(65_536, ' ') }),
    ])
    expect(answers[0]?.status).not.toBe(413)
  })

  test.each([
    [
      'shorter than its Content-Length',
      (operation: Operation) =>
        head(operation, [`Content-Length: ${operation.body.length + 9}`]) + operation.body,
    ],
    [
      'cut in a chunk',
      (operation: Operation) => `${head(operation, ['Transfer-Encoding: chunked'])}9\r\nabc`,
    ],
    [
      'in chunks that are none',
      (operation: Operation) => `${head(operation, ['Transfer-Encoding: chunked'])}zz\r\nabc`,
    ],
    [
      'with both lengths',
      (operation: Operation) =>
        head(operation, ['Transfer-Encoding: chunked', 'Content-Length: 5']) +
        chunked(operation.body, 9),
    ],
    [
      'with two Content-Lengths',
      (operation: Operation) =>
        head(operation, ['Content-Length: 1', 'Content-Length: 2']) + operation.body,
    ],
  ])('fault 103: %s gets 400', async (_, bytes) => {
    const [answer] = await rawAnswers(url, [bytes(operations()[name]), 'end'])
    expect(answer?.status).toBe(400)
  })
})

describe('a download is answered', () => {
  const good = async (bytes: (operation: Operation) => string, count = 1, ...then: RawStep[]) => {
    const operation = operations().download
    const answers = await rawAnswers(url, [bytes(operation), ...then])
    expect(answers.map(answer => operation.said(answer))).toEqual(Array(count).fill(operation.good))
  }

  test('for a plain request', () => good(operation => head(operation)))

  test('fault 103: for HTTP/1.0, without and with keep-alive', async () => {
    await good(operation => head(operation, [], { version: '1.0', last: false }))
    await good(
      operation =>
        head(operation, ['Connection: keep-alive'], { version: '1.0', last: false }) +
        head(operation, [], { version: '1.0' }),
      2,
    )
  })

  test('fault 103: for pipelined requests, among requests for tokens in chunks', async () => {
    const { download, token: grant } = operations()
    const bytes = [
      head(download, [], { last: false }),
      head(grant, ['Transfer-Encoding: chunked'], { last: false }) + chunked(grant.body, 8),
      head(download),
    ]
    const answers = await rawAnswers(url, [bytes.join('')])
    expect([download, grant, download].map((operation, i) => operation.said(answers[i]!))).toEqual([
      download.good,
      grant.good,
      download.good,
    ])
  })

  test('fault 103: for a request with an unused body, which is not taken for the next request', async () => {
    const bytes = (operation: Operation, header: string, body: string) =>
      head(operation, [header], { last: false }) + body + head(operation)
    await good(operation => bytes(operation, 'Content-Length: 9', 'GET / HTT'), 2)
    await good(
      operation => bytes(operation, 'Transfer-Encoding: chunked', chunked('GET / HTTP/1.1', 5)),
      2,
    )
  })

  test('fault 103: for an absolute target, whose host decides', async () => {
    await good(operation =>
      head({ ...operation, target: `http://other.test:81${operation.target}` }),
    )
    const listed = {
      ...operations().download,
      target: `http://other.test:81${emulator.paths.getFeedTypes}`,
    }
    const [answer] = await rawAnswers(url, [head(listed)])
    expect(jsonOf(answer!).href).toBe(`http://other.test:81${emulator.paths.getFeedTypes}`)
  })

  test('fault 103: for a client that closes its half at once', () =>
    good(operation => head(operation, [], { last: false }), 1, 'end'))

  test('with the headers alone for HEAD', async () => {
    const [answer, ...more] = await rawAnswers(
      url,
      [head({ ...operations().download, method: 'HEAD' })],
      true,
    )
    expect([answer?.status, answer?.headers['content-range']?.slice(0, 4), more]).toEqual([
      206,
      '0-9/',
      [],
    ])
  })

  test('for header names in any case, and blank lines before the request', () =>
    good(
      operation =>
        `\r\n\r\n${head({ ...operation, headers: operation.headers.map(line => line.replace(/^[^:]+/, name => name.toUpperCase())) })}`,
    ))

  test('with two values for a header that comes twice, and neither of them alone', async () => {
    const { download } = operations()
    const idIn = async (line: string) =>
      jsonOf((await rawAnswers(url, [head(download, [line])]))[0]!).errorId
    expect([await idIn('Range: bytes=0-3'), await idIn('X-MKT-C-MARKETPLACE-ID: MKT_US')]).toEqual([
      13016, 13012,
    ])
    const [answer] = await rawAnswers(url, [head(download, ['Authorization: Bearer other'])])
    expect(answer?.status).toBe(401)
  })

  test('for a request with an unknown upgrade, which is ignored', () =>
    good(operation => `${head({ ...operation, headers: [...operation.headers, 'Upgrade: h2c'] })}`))
})

describe('fault 103: a request for no operation is refused with an Error object', () => {
  const { raw } = String
  const cases: [what: string, status: number, bytes: () => string][] = [
    [
      'no such path',
      404,
      () =>
        head({ ...operations().token, target: '/nowhere' }, ['Content-Length: 3']).concat('abc'),
    ],
    ['OPTIONS', 404, () => head({ ...operations().download, method: 'OPTIONS' })],
    ['TRACE', 404, () => head({ ...operations().download, method: 'TRACE' })],
    [
      'TRACE that is to fail',
      404,
      () => head({ ...operations().download, method: 'TRACE' }, ['x-feedmill-fault: 500']),
    ],
    [
      'PUT in chunks',
      404,
      () =>
        head({ ...operations().token, method: 'PUT' }, ['Transfer-Encoding: chunked']) +
        chunked('abc', 1),
    ],
    [
      'a target that is no path',
      400,
      () => head({ ...operations().download, method: 'OPTIONS', target: '*' }),
    ],
    [
      'a backslash in the path',
      400,
      () =>
        head({ ...operations().download, target: raw`/a\b` }).replace(
          'service.test',
          'Service.Test',
        ),
    ],
    ['a host that is none', 400, () => head(operations().download).replace('service.test', 'a b')],
  ]
  test.each(cases)('fault 103: %s gets %i', async (_, status, bytes) => {
    const answers = await rawAnswers(url, [bytes()])
    expect(answers).toHaveLength(1)
    expectRefusal(answers[0], status)
  })
})

describe('fault 103: what is no HTTP is refused', () => {
  const cases: [what: string, status: number, bytes: () => string][] = [
    ['a method of nobody', 400, () => head({ ...operations().download, method: 'BREW' })],
    [
      'HTTP/1.1 without a host',
      400,
      () => head(operations().download).replace('Host: service.test\r\n', ''),
    ],
    [
      'another expectation',
      417,
      () => head(operations().token, ['Expect: miracles', 'Content-Length: 0']),
    ],
    [
      'headers past every measure',
      431,
      () => head(operations().download, [`X-Long: ${'x'.repeat(20_000)}`]),
    ],
    ['a folded header', 400, () => head(operations().download, ['X-Folded: a\r\n b'])],
    ['lines without CR', 400, () => head(operations().download).replaceAll('\r', '')],
    ['another protocol', 400, () => '\x16\x03\x01\x02\x00\r\n\r\n'],
    [
      'another version of HTTP',
      400,
      () => head(operations().download).replace('HTTP/1.1', 'HTTP/1.2'),
    ],
  ]
  test.each(cases)('fault 103: %s gets %i', async (_, status, bytes) => {
    const answers = await rawAnswers(url, [bytes()])
    expect(answers.map(answer => answer.status)).toEqual([status])
  })

  test('after an answer on the same connection', async () => {
    const { download } = operations()
    const [first, second] = await rawAnswers(url, [
      `${head(download, [], { last: false })}nonsense\r\n\r\n`,
    ])
    // The server may write both answers at the same moment; then only the refusal is read.
    expect((second ?? first)?.status).toBe(400)
  })
})

describe('a listener whose answers fail', () => {
  const plain = plainErrors(false)

  test('fault 103: gives 500 with an Error object before the answer', async () => {
    const server = await listen(() => Promise.reject(new TypeError('inside')), plain)
    const [answer] = await rawAnswers(server.url, [
      'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    ])
    expect([answer?.status, jsonOf(answer!).category]).toEqual([500, 'APPLICATION'])
    await server.close()
  })

  test('fault 103: resets the connection inside a file, after the bytes that were sent', async () => {
    const failing = async () => {
      const body = streamOf(
        (async function* () {
          yield Buffer.alloc(1_000)
          await nextTurn()
          throw new TypeError('inside')
        })(),
      )
      return new Response(body, { headers: { 'content-length': '5000' } })
    }
    const server = await listen(failing, plain)
    const got = await rawAnswers(server.url, ['GET / HTTP/1.1\r\nHost: x\r\n\r\n']).catch(
      (error: NodeJS.ErrnoException) => error.code,
    )
    expect(Array.isArray(got) ? got[0]!.body.length : got).toSatisfy(
      seen => seen === 'ECONNRESET' || Number(seen) <= 1_000,
    )
    await server.close()
  })
})
