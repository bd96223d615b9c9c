import fc from 'fast-check'
import { expect, test } from 'vitest'
import { pathSegment } from '../../src/service/path-segment'

test.each([
  '',
  '.',
  '..',
  '/etc/passwd',
  'a/b',
  'a\\b',
  '\\\\host',
  '../x',
  'a\nb',
  'a\0',
  '\x7f',
  '\ud800',
])('fault 86: identifier %j is refused', identifier => {
  expect(() => pathSegment('file_id', identifier)).toThrow(
    expect.objectContaining({
      code: 'HTTP_IDENTIFIER_INVALID',
      context: expect.objectContaining({ parameter: 'file_id' }),
    }),
  )
})

test('other identifiers are percent-encoded', () => {
  expect(pathSegment('file_id', 'FF-1_2.tsv')).toBe('FF-1_2.tsv')
  expect(pathSegment('file_id', '...')).toBe('...')
  expect(pathSegment('file_id', 'a b?c#d%2e;é|')).toBe('a%20b%3Fc%23d%252e%3B%C3%A9%7C')
})

test('fault 86: an accepted identifier stays one segment of its path', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^[./\\%2e]{0,8}$/)),
      identifier => {
        let segment: string
        try {
          segment = pathSegment('file_id', identifier)
        } catch {
          return
        }
        const url = new URL(`http://feed.test/file/${segment}/download`)
        expect(url.pathname.split('/').length).toBe(4)
        expect(decodeURIComponent(url.pathname.split('/')[2] ?? '')).toBe(identifier)
      },
    ),
  )
})
