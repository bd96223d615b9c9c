import { expect, test } from 'vitest'
import { GZIP_SIGNATURE } from '../../../../src/engine/codec/range/content-sniff'
import { FeedError } from '../../../../src/engine/errors'
import { BodyRules } from '../../../../src/engine/stages/range/body-rules'
import { rangeSettings } from '../../../../src/engine/stages/range/range-settings'
import type { RangeResponse } from '../../../../src/engine/stages/range/range-transport'

const url = 'http://feed.test/file'
const settings = rangeSettings({
  url,
  transport: { send: () => Promise.reject(new TypeError('unused')) },
  idleMs: 7,
  signature: GZIP_SIGNATURE,
})
const rules = new BodyRules(settings, new AbortController().signal)
const response = { header: () => 'application/octet-stream' } as unknown as RangeResponse

test('fault 34: the signature is checked at its offsets', () => {
  rules.checkSignature(0, Uint8Array.of(0x1f), response)
  rules.checkSignature(1, Uint8Array.of(0x8b, 1), response)
  rules.checkSignature(2, Uint8Array.of(0), response)
  expect(() => rules.checkSignature(0, new TextEncoder().encode('<html>'), response)).toThrow(
    expect.objectContaining({
      code: 'HTTP_CONTENT_TYPE',
      context: { url, contentType: 'application/octet-stream', excerpt: '<html>', byteOffset: 0 },
    }),
  )
})

test('failures that may pass are returned, and others thrown', () => {
  expect(rules.passing(new TypeError('reset'), 5)).toMatchObject({
    code: 'HTTP_TRANSPORT',
    context: { url, byteOffset: 5 },
  })
  const fatal = new FeedError('HTTP_CONTENT_LENGTH', 'bad', { url, received: '' })
  expect(() => rules.passing(fatal, 5)).toThrow(fatal)
  const abort = new AbortController()
  abort.abort()
  expect(() => new BodyRules(settings, abort.signal).passing(new TypeError('reset'), 5)).toThrow(
    FeedError,
  )
})

test('limits and lengths are in the errors', () => {
  expect(rules.idleLimit(3).onLimit()).toMatchObject({
    code: 'HTTP_TIMEOUT',
    context: { url, phase: 'body', limitMs: 7, byteOffset: 3 },
  })
  expect(rules.shortBody(3)).toMatchObject({
    code: 'HTTP_TRANSPORT',
    retryable: true,
    context: { byteOffset: 3 },
  })
  expect(rules.tooLong(3, 9)).toMatchObject({
    code: 'RANGE_BODY_TOO_LONG',
    retryable: false,
    context: { byteOffset: 3, expectedBytes: 9 },
  })
})
