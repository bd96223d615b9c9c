import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  printableUrl,
  requestUrl,
  sendableHeaders,
} from '../../../../src/engine/codec/range/request'

test('http and https addresses without user info are accepted', () => {
  expect(requestUrl('url', 'HTTP://feed.test/a b').href).toBe('http://feed.test/a%20b')
  expect(requestUrl('url', new URL('https://feed.test:8443/?a=1')).href).toBe(
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
  // Node would ask port 80 or 443.
  'http://feed.test:0/',
  'https://feed.test:000/file',
])('%j is refused', url => {
  expect(() => requestUrl('url', url)).toThrow(
    expect.objectContaining({
      code: 'OPTION_INVALID',
      context: expect.objectContaining({ option: 'url' }),
    }),
  )
  expect(() => requestUrl('url', url)).not.toThrow(/secret/)
})

test('fault 114: user info, fragment and values of parameters are left out, and names stay', () => {
  expect(printableUrl('https://user:secret@feed.test:8443/item?day=1&sig=a%2Fb&&Policy=#x=1')).toBe(
    'https://feed.test:8443/item?day=…&sig=…&…',
  )
  expect(printableUrl('https://feed.test/f?c2lnbmF0dXJl')).toBe('https://feed.test/f?…')
})

test('fault 114: no value is shown, whatever the name of its parameter, and a shown URL stays as it is', () => {
  const secret = 'pw~S3cr3t'
  fc.assert(
    fc.property(fc.string({ unit: 'binary', minLength: 1 }), name => {
      const url = new URL('http://feed.test/f')
      url.searchParams.append(name, secret)
      url.searchParams.append('b', '')
      const shown = printableUrl(url)
      expect(decodeURIComponent(shown)).not.toContain(secret)
      expect(printableUrl(shown)).toBe(shown)
    }),
    { numRuns: 100 },
  )
})

test('a text that is no http or https URL is not shown', () => {
  expect(printableUrl('user:secret@feed')).toBe('user:…')
  expect(printableUrl('ftp://user:secret@feed/file')).toBe('ftp:…')
  expect(printableUrl('//secret')).toBe('(not a URL)')
})

test('fault 86: CR, LF, NUL and other forbidden characters are refused without showing the value', () => {
  for (const value of [
    'a\r\nX: secret',
    'a\nsecret',
    'a\rsecret',
    'secret\0',
    'secret\u2028',
    'sécret€',
  ])
    expect(() => sendableHeaders({ Accept: '*/*', Authorization: value })).toThrow(
      expect.objectContaining({
        code: 'HTTP_HEADER_INVALID',
        context: { header: 'Authorization' },
        message: expect.not.stringContaining('secret'),
      }),
    )
})

test('fault 86: a header name that is no token is refused', () => {
  for (const name of ['', 'a b', 'a:b', 'a\r\nb', 'é'])
    expect(() => sendableHeaders({ [name]: 'x' })).toThrow(
      expect.objectContaining({ code: 'HTTP_HEADER_INVALID' }),
    )
})

test('valid headers are returned unchanged', () => {
  const headers = {
    Authorization: 'Bearer a.b-c',
    'X-MKT-C-MARKETPLACE-ID': 'MKT_US',
    Note: 'tab\tand é',
  }
  expect(sendableHeaders(headers)).toBe(headers)
})
