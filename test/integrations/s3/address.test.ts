// Addresses of buckets, and what HTTP makes of them.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bucketAddress, bucketRoot, objectUrl } from '../../../src/integrations/s3/address'

test('a key is what stands behind the bucket, to the letter', () => {
  const key = fc.string({ unit: 'binary', maxLength: 20 })
  fc.assert(
    fc.property(key, key => {
      expect(bucketAddress('a', `s3://shop-1/${key}`)).toEqual({ bucket: 'shop-1', key })
      if (/(?:^|\/)\.\.?(?:\/|$)/.test(key)) return
      const { pathname, search, hash } = objectUrl(new URL('http://store/b/'), key)
      expect([decodeURIComponent(pathname), search, hash]).toEqual([`/b/${key}`, '', ''])
    }),
  )
})

test.each([
  'shop/a',
  's3:/shop/a',
  's3://',
  's3://a/b',
  's3://sh op/a',
  's3://u:p@shop/a',
  7,
  null,
])('%j is no address', address =>
  expect(() => bucketAddress('a', address as string)).toThrow(
    expect.objectContaining({ code: 'OPTION_INVALID' }),
  ),
)

test.each([
  ['shop', undefined, 'https://shop.s3.eu-west-1.amazonaws.com/'],
  ['sh.op', undefined, 'https://s3.eu-west-1.amazonaws.com/sh.op/'],
  ['shop', 'http://127.0.0.1:9000', 'http://127.0.0.1:9000/shop/'],
  ['shop', 'https://store.example/s3', 'https://store.example/s3/shop/'],
  ['shop', 'https://store.example/s3/', 'https://store.example/s3/shop/'],
])('the bucket %s of %s is at %s', (bucket, endpoint, root) =>
  expect(bucketRoot(bucket, 'eu-west-1', endpoint).href).toBe(root),
)

test.each(['.', '..', 'a/../b', './a', 'a/.'])(
  'the key %s, which no address has, is refused',
  key =>
    expect(() => objectUrl(new URL('http://store/b/'), key)).toThrow(
      'key must be a key without the parts',
    ),
)
