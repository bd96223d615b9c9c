import { createHash } from 'node:crypto'
import { inspect } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Secrets } from '../../../src/engine/codec/secrets'
import { FeedError } from '../../../src/engine/errors'

function knowing(...known: string[]): Secrets {
  const secrets = new Secrets()
  for (const secret of known) secrets.remember(secret)
  return secrets
}

test('an error that shows no secret is returned unchanged', () => {
  const cause = new Error('connection reset')
  const error = new FeedError('HTTP_TRANSPORT', 'no', { url: 'https://a.test/' }, { cause })
  expect(knowing('tok-4711').covered(error)).toBe(error)
})

test('fault 85: secrets are removed from the message, the context and both kinds of causes', () => {
  const secrets = knowing('tok-4711')
  const foreign = Object.assign(new Error('x'), {
    request: { headers: new Headers({ authorization: 'Bearer tok-4711' }) },
  })
  const inner = new FeedError(
    'HTTP_TRANSPORT',
    'inner tok-4711',
    { url: 'https://a.test/?q=tok-4711' },
    { cause: foreign },
  )
  const parameters = [{ name: 'tok-4711', value: 'a tok-4711 b' }]
  const outer = new FeedError(
    'HTTP_STATUS',
    'outer',
    { url: 'u', status: 500, parameters },
    { cause: inner, retryable: true },
  )
  const covered = secrets.covered(outer)
  expect(inspect(covered, { depth: 20, showHidden: true })).not.toContain('4711')
  expect(covered).toMatchObject({ code: 'HTTP_STATUS', message: 'outer', retryable: true })
  expect(covered.context.parameters).toEqual([{ name: 'redacted', value: 'a redacted b' }])
  expect(covered.cause).toMatchObject({ code: 'HTTP_TRANSPORT', message: 'inner redacted' })
  expect((covered.cause as Error).cause).toBeUndefined()
})

test('fault 85: the rest of a secret is removed where a text was cut', () => {
  const secrets = knowing('abcdefghijklmnop')
  expect(secrets.cover('token abcdefghi…')).toBe('token redacted…')
  expect(secrets.cover('token abcdefghijklmno')).toBe('token redacted')
  expect(secrets.cover('token abcde')).toBe('token abcde')
})

test('fault 85: encoded forms, and one secret inside another, are removed', () => {
  const secrets = knowing('a/b+c"d', 'tok1', 'tok1-longer')
  expect(secrets.cover(`${encodeURIComponent('a/b+c"d')} a/b+c\\"d tok1-longer tok1`)).toBe(
    'redacted redacted redacted redacted',
  )
})

test('fault 85: a secret is removed at any place in a text, and each time', () => {
  const secret = fc.stringMatching(/^[A-Za-z0-9._~+/-]{8,40}$/)
  const text = fc.array(fc.string({ maxLength: 20 }), { maxLength: 5 })
  fc.assert(
    fc.property(secret, text, (token, parts) => {
      expect(knowing(token).cover(parts.join(token))).not.toContain(token)
    }),
    { numRuns: 100 },
  )
})

test('a bounded number of the newest secrets is remembered, and short texts are no secrets', () => {
  const secrets = new Secrets()
  secrets.rememberForGood('the client’s own')
  const token = (n: number) => createHash('sha256').update(String(n)).digest('base64url')
  for (let n = 0; n < 2000; n++) secrets.remember(token(n))
  for (let n = 1800; n < 2000; n++) expect(secrets.cover(token(n))).toBe('redacted')
  expect(secrets.cover(`x ${token(1)} x`)).toBe(`x ${token(1)} x`)
  expect(secrets.cover('the client’s own')).toBe('redacted')
  secrets.remember('abc')
  expect(secrets.cover('abc')).toBe('abc')
})

/** Secrets so random that no part of one occurs in ordinary words. */
const aSecret = fc.stringMatching(/^[A-Za-z0-9._~+/-]{20,60}$/)
const wrap = (middle: string) => `error: ${middle} (end)`

const ENCODINGS: [string, (text: string) => string][] = [
  ['as it is', text => text],
  ['in lower case', text => text.toLowerCase()],
  ['in upper case', text => text.toUpperCase()],
  ['in a URL', text => encodeURIComponent(text)],
  ['percent-encoded throughout', text => Buffer.from(text).toString('hex').replace(/../g, '%$&')],
  ['hexadecimal', text => Buffer.from(text).toString('hex')],
  ['hexadecimal in upper case', text => Buffer.from(text).toString('hex').toUpperCase()],
  ['Base64', text => Buffer.from(text).toString('base64')],
  ['Base64url', text => Buffer.from(text).toString('base64url')],
  ['Base64 behind other text', text => Buffer.from(`Bearer ${text}; more`).toString('base64')],
]

test.each(ENCODINGS)(
  'fault 85: any part of a secret with 12 characters or more is removed, %s',
  (name, encode) => {
    fc.assert(
      fc.property(aSecret, fc.nat(), fc.integer({ min: 12, max: 60 }), (secret, at, length) => {
        const start = at % (secret.length - 11)
        const part = secret.slice(start, start + length)
        const shown = encode(part)
        const covered = knowing(secret).cover(wrap(shown))
        // Beside the cover stand the edges, whose characters Base64 shares with other bytes, and
        // what was around the secret.
        const left = covered.split('redacted').join('').length - wrap('').length
        expect(left).toBeLessThanOrEqual(name.includes('behind') ? 26 : 6)
      }),
      { numRuns: 150 },
    )
  },
)

test('fault 85: the search time grows with the length of the text alone', () => {
  const secret = 'ab'.repeat(2_000)
  const text = 'ab'.repeat(20_000)
  expect(knowing(secret).cover(text)).toBe('redacted')
  const error = new FeedError('HTTP_TRANSPORT', 'x'.repeat(10_000_000), { url: 'u' })
  expect(knowing('abcdefghijklmnop').covered(error).message.length).toBeLessThan(70_000)
})

test('a foreign cause that is too large to search is left out', () => {
  const error = new FeedError(
    'HTTP_TRANSPORT',
    'no',
    { url: 'u' },
    { cause: new Error('x'.repeat(1_000_000)) },
  )
  expect(knowing('abcdefghijklmnop').covered(error).cause).toBeUndefined()
})

test('fault 165: bytes of a cause or a context that have a secret are not shown', () => {
  const secrets = knowing('tok-4711-and-more')
  const bytes = Buffer.from('GET / tok-4711-and-more')
  for (const cause of [
    Object.assign(new Error('x'), { rawPacket: bytes }),
    Object.assign(new Error('x'), { deep: { map: new Map([['a', new Uint8Array(bytes)]]) } }),
    { [Symbol('tok-4711-and-more')]: 1 },
    new Set([new URL('http://a.test/?q=tok-4711-and-more')]),
    Object.defineProperty({}, 'hidden', { value: bytes.buffer, enumerable: false }),
  ])
    expect(
      secrets.covered(new FeedError('HTTP_TRANSPORT', 'no', { url: 'u' }, { cause })).cause,
    ).toBeUndefined()
  const context = { url: 'u', received: bytes } as never
  expect(secrets.covered(new FeedError('HTTP_TRANSPORT', 'no', context)).context).toEqual({
    url: 'u',
    received: 'redacted',
  })
  const plain = Object.assign(new Error('x'), { rawPacket: Buffer.from('GET /') })
  const kept = new FeedError('HTTP_TRANSPORT', 'no', { url: 'u' }, { cause: plain })
  expect(secrets.covered(kept)).toBe(kept)
})

test('fault 165: any part of a long token is removed, and its edges', () => {
  const long = createHash('sha512').update('a').digest('hex').repeat(400)
  const secrets = knowing(long)
  expect(secrets.cover(`x ${long} x`)).toBe('x redacted x')
  for (let start = 0; start < 300; start += 7)
    expect(secrets.cover(`x ${long.slice(start, start + 40)} x`)).toBe('x redacted x')
})
