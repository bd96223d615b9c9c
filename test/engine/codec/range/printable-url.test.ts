import fc from 'fast-check'
import { expect, test } from 'vitest'
import { printableUrl } from '../../../../src/engine/codec/range/printable-url'

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
