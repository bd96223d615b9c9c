import { expect, test } from 'vitest'
import { FeedError } from '../../src/errors'
import { contentLengthRefusal } from '../../src/service/content-length-refusal'

const url = 'http://feed.test/file'

test('fault 20: what a parser says of Content-Length, by its words or its code', () => {
  const errors = [
    new Error('Content-Length mismatch'),
    Object.assign(new Error('Parse Error'), { code: 'HPE_UNEXPECTED_CONTENT_LENGTH' }),
    Object.assign(new Error('Parse Error'), { code: 'HPE_INVALID_CONTENT_LENGTH' }),
  ]
  for (const cause of errors)
    expect(contentLengthRefusal(cause, url)).toMatchObject({ code: 'HTTP_CONTENT_LENGTH', context: { url }, cause })
})

test('anything else is another’s to name', () => {
  for (const error of [new Error('reset'), undefined, 'x', new FeedError('HTTP_TRANSPORT', 'no content-length', { url })])
    expect(contentLengthRefusal(error, url)).toBeUndefined()
})
