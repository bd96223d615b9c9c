import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  readChallenge,
  readRefusal,
  readServiceError,
  statusError,
} from '../../../../src/engine/codec/range/status-error'

const facts = { url: 'https://a.test/', status: 400 }

test('the context has the description and the request', () => {
  const cause = new Error('x')
  const error = statusError(
    { ...facts, operation: 'getFile', byteOffset: 5 },
    { errorId: 14004, category: 'REQUEST' },
    cause,
  )
  expect(error).toMatchObject({
    code: 'HTTP_STATUS',
    message: 'getFile: status 400, error 14004',
    retryable: false,
    cause,
  })
  expect(error.context).toEqual({
    ...facts,
    operation: 'getFile',
    byteOffset: 5,
    errorId: 14004,
    category: 'REQUEST',
  })
  expect(statusError(facts, {})).toMatchObject({ message: 'status 400', context: facts })
})

test('fault 27: some statuses and error codes are retryable', () => {
  for (const status of [202, 408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524])
    expect(statusError({ ...facts, status }, {}).retryable).toBe(true)
  for (const status of [400, 401, 403, 404, 409, 410, 416, 451, 501, 505, 525, 526])
    expect(statusError({ ...facts, status }, {}).retryable).toBe(false)
  for (const errorId of [13006, 13007]) expect(statusError(facts, { errorId }).retryable).toBe(true)
  expect(statusError({ ...facts, status: 404 }, { errorId: 14004 }).retryable).toBe(false)
})

test.each([
  [undefined, undefined],
  ['', undefined],
  ['Bearer', undefined],
  ['Bearer realm="feeds"', undefined],
  ['Basic realm="error=\\"x\\""', undefined],
  ['Basic error="not of a Bearer challenge"', undefined],
  ['Bearer error="invalid_token"', { error: 'invalid_token' }],
  ['bearer ERROR = invalid_token', { error: 'invalid_token' }],
  [
    'Bearer error_description="a \\"quoted\\" word, error=x"',
    { description: 'a "quoted" word, error=x' },
  ],
  [
    'Basic realm="a, b", Bearer scope="x", error="insufficient_scope",error_description="more"',
    { error: 'insufficient_scope', description: 'more' },
  ],
  ['Bearer error="one", Bearer error="two"', { error: 'one' }],
])('%s', (header, challenge) => {
  expect(readChallenge(header)).toEqual(challenge)
})

test('long texts are cut', () => {
  const { error, description } = readChallenge(
    `Bearer error="${'e'.repeat(500)}", error_description="${'d'.repeat(500)}"`,
  )!
  expect([error!.length <= 41, description!.length <= 201]).toEqual([true, true])
})

test('no header of a server makes the parser throw', () => {
  const part = fc.constantFrom(
    'Bearer',
    'Basic',
    ' ',
    ',',
    '=',
    '"',
    '\\',
    'error',
    'error_description',
    'x',
  )
  fc.assert(
    fc.property(fc.array(part), parts => {
      readChallenge(parts.join(''))
    }),
  )
})

test('a long header is read in linear time', () => {
  expect(readChallenge(`Bearer ${'a'.repeat(200_000)}${'="'.repeat(10_000)}`)).toBeUndefined()
})

const nowMs = Date.parse('Sun, 06 Nov 1994 08:49:37 GMT')

function refused(status: number, headers: Record<string, string>, text?: string) {
  const header = (name: string) => headers[name]
  return text === undefined ? { status, header } : { status, header, text }
}

test('a refusal has the facts of the body, the challenge and Retry-After', () => {
  const text = JSON.stringify({ errorId: 13006, message: 'internal problem' })
  const challenge = 'Bearer error="invalid_token", error_description="expired"'
  const headers = { 'www-authenticate': challenge, 'retry-after': '7' }
  const where = { url: 'http://feed.test/', operation: 'getFiles' }
  const { error, description, retryAfterMs } = readRefusal(
    refused(500, headers, text),
    where,
    nowMs,
  )
  expect(error).toMatchObject({
    code: 'HTTP_STATUS',
    retryable: true,
    context: {
      url: 'http://feed.test/',
      status: 500,
      operation: 'getFiles',
      errorId: 13006,
      challenge: { error: 'invalid_token', description: 'expired' },
    },
  })
  expect(description).toEqual({ errorId: 13006, message: 'internal problem' })
  expect(retryAfterMs).toBe(7000)
})

test('a refusal without a body or headers has only its status', () => {
  const where = { url: 'http://feed.test/', byteOffset: 3 }
  const { error, description, retryAfterMs } = readRefusal(refused(404, {}), where, nowMs)
  expect(error.context).toEqual({ url: 'http://feed.test/', status: 404, byteOffset: 3 })
  expect(error.retryable).toBe(false)
  expect(description).toEqual({})
  expect(retryAfterMs).toBeUndefined()
})

const described = {
  errorId: 13006,
  category: 'APPLICATION',
  domain: 'API_FEED',
  subdomain: 'feed',
  message: 'wait',
  longMessage: 'wait and retry',
  parameters: [{ name: 'a', value: 'b' }, { name: 'c' }],
}

test('both forms of the error body are read', () => {
  expect(readServiceError(JSON.stringify({ ...described }))).toEqual(described)
  expect(readServiceError(JSON.stringify({ errors: [described, { errorId: 1 }] }))).toEqual(
    described,
  )
})

test('a body that is no description gives an empty description', () => {
  for (const text of [
    '',
    '<html>',
    '{"errorId":',
    'null',
    '3',
    '[]',
    '{"errors":[]}',
    '{"errors":[null]}',
    '{"errors":["x"]}',
    '{"errorId":"13006","message":5}',
    '{"errorId":1.5,"parameters":{},"domain":null}',
  ])
    expect([text, readServiceError(text)]).toEqual([text, {}])
})

test('parameters of the wrong kind are left out, and there are at most 20', () => {
  const parameters = [null, 5, 'x', { value: 'no name' }, { name: 'a', value: 7 }]
  expect(readServiceError(JSON.stringify({ parameters }))).toEqual({ parameters: [{ name: 'a' }] })
  const many = Array.from({ length: 50 }, (_, n) => ({ name: `p${n}`, value: 'v'.repeat(999) }))
  const read = readServiceError(JSON.stringify({ parameters: many })).parameters
  expect([read?.length, read?.[0]?.value?.length]).toEqual([20, 200])
})

test('long texts of a body are cut', () => {
  const { message, category } = readServiceError(
    JSON.stringify({ message: 'm'.repeat(999), category: 'c'.repeat(999) }),
  )
  expect([message?.length, category?.length]).toEqual([200, 40])
})

test('the subdomain and the references to parts of the request are read: texts are cut, lists are capped, other types are left out', () => {
  const many = Array.from({ length: 50 }, (_, n) => `p${n}`)
  const body = JSON.stringify({
    errorId: 13012,
    subdomain: 's'.repeat(100),
    inputRefIds: ['~.marketplace', 7, 'x'.repeat(500)],
    outputRefIds: many,
  })
  const { subdomain, inputRefIds, outputRefIds } = readServiceError(body)
  expect([
    subdomain?.length,
    inputRefIds?.length,
    inputRefIds?.[0],
    inputRefIds?.[1]?.length,
  ]).toEqual([40, 2, '~.marketplace', 80])
  expect(outputRefIds).toEqual(many.slice(0, 20))
  expect(readServiceError('{"errorId":1,"inputRefIds":"a","outputRefIds":[]}')).toEqual({
    errorId: 1,
  })
})
