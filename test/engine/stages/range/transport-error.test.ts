import { expect, test } from 'vitest'
import { FeedError } from '../../../../src/engine/errors'
import { asTransportError } from '../../../../src/engine/stages/range/transport-error'

test('a FeedError is returned unchanged, and other errors become the cause of HTTP_TRANSPORT', () => {
  const typed = new FeedError('HTTP_CONTENT_LENGTH', 'bad', { url: 'u', received: '' })
  expect(asTransportError(typed, 'http://feed.test/')).toBe(typed)
  const cause = new TypeError('fetch failed')
  expect(asTransportError(cause, 'http://feed.test/')).toMatchObject({
    code: 'HTTP_TRANSPORT',
    retryable: true,
    context: { url: 'http://feed.test/' },
    cause,
  })
  expect(asTransportError('x'.repeat(500), 'u', 7)).toMatchObject({
    context: { url: 'u', byteOffset: 7 },
  })
  expect(asTransportError('x'.repeat(500), 'u').message.length).toBeLessThan(120)
})

test.each([
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
])('a certificate that is not accepted, %s, is not retryable', code => {
  const refused = Object.assign(new Error('not good'), { code })
  for (const error of [refused, new TypeError('fetch failed', { cause: refused })]) {
    const failure = asTransportError(error, 'https://a.test/')
    expect(failure).toMatchObject({ code: 'HTTP_TRANSPORT', retryable: false, cause: error })
    expect(failure.message).toContain(code)
  }
})

test('the message has the code of the system', () => {
  const reset = Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })
  expect(asTransportError(reset, 'u')).toMatchObject({
    retryable: true,
    message: 'the connection failed: socket hang up (ECONNRESET)',
  })
  expect(asTransportError(new TypeError('fetch failed', { cause: reset }), 'u').message).toContain(
    'ECONNRESET',
  )
})
