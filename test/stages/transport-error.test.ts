import { expect, test } from 'vitest'
import { FeedError } from '../../src/errors'
import { asTransportError } from '../../src/stages/transport-error'

test('a typed failure stays, the rest becomes a failed connection with its cause', () => {
  const typed = new FeedError('HTTP_CONTENT_LENGTH', 'bad', { url: 'u', received: '' })
  expect(asTransportError(typed, 'http://feed.test/')).toBe(typed)
  const cause = new TypeError('fetch failed')
  expect(asTransportError(cause, 'http://feed.test/')).toMatchObject({
    code: 'HTTP_TRANSPORT',
    retryable: true,
    context: { url: 'http://feed.test/' },
    cause,
  })
  expect(asTransportError('x'.repeat(500), 'u', 7)).toMatchObject({ context: { url: 'u', byteOffset: 7 } })
  expect(asTransportError('x'.repeat(500), 'u').message.length).toBeLessThan(120)
})
