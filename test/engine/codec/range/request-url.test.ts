import { expect, test } from 'vitest'
import { requestUrl } from '../../../../src/engine/codec/range/request-url'

test('http and https addresses without user info are accepted', () => {
  expect(requestUrl('HTTP://feed.test/a b').href).toBe('http://feed.test/a%20b')
  expect(requestUrl(new URL('https://feed.test:8443/?a=1')).href).toBe(
    'https://feed.test:8443/?a=1',
  )
})

test.each([
  '',
  'feed.test/file',
  '/file',
  'ftp://feed.test/',
  'file:///etc/passwd',
  'http://user@feed.test/',
  'http://:secret@feed.test/',
])('%j is refused', url => {
  expect(() => requestUrl(url)).toThrow(
    expect.objectContaining({
      code: 'OPTION_INVALID',
      context: expect.objectContaining({ option: 'url' }),
    }),
  )
  expect(() => requestUrl(url)).not.toThrow(/secret/)
})
