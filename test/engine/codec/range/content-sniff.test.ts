import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  contradictsSignature,
  GZIP_SIGNATURE,
  refusedContentType,
} from '../../../../src/engine/codec/range/content-sniff'

test('fault 34: media types of pages and messages are refused', () => {
  for (const type of [
    'text/html',
    'TEXT/HTML; charset=utf-8',
    'application/json',
    'application/problem+json',
    'text/xml',
    'application/xhtml+xml',
    'multipart/byteranges; boundary=x',
  ])
    expect([type, refusedContentType(type)]).toEqual([type, true])
  for (const type of [
    undefined,
    '',
    'application/octet-stream',
    'text/tab-separated-values',
    'application/gzip',
    'text/plain',
    'application/x-json-gzip',
  ])
    expect([type, refusedContentType(type)]).toEqual([type, false])
})

test('fault 34: a signature that arrives in several parts is checked', () => {
  const whole = fc.uint8Array({ minLength: 1, maxLength: 6 })
  fc.assert(
    fc.property(whole, fc.nat(6), fc.boolean(), (bytes, cut, isGzip) => {
      const file = isGzip ? Uint8Array.from([0x1f, 0x8b, ...bytes]) : bytes
      const [head, tail] = [file.subarray(0, cut), file.subarray(cut)]
      const found =
        contradictsSignature(0, head, GZIP_SIGNATURE) ||
        contradictsSignature(head.length, tail, GZIP_SIGNATURE)
      const expected = file[0] !== 0x1f || (file.length > 1 && file[1] !== 0x8b)
      expect(found).toBe(expected)
    }),
  )
  expect(contradictsSignature(0, Uint8Array.of(1, 2), new Uint8Array())).toBe(false)
})
