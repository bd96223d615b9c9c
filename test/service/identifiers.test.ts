import { basename, dirname, join, posix, resolve, win32 } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fileNameOf, pathSegment } from '../../src/service/identifiers'

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

describe('file names', () => {
  test.each([
    '..',
    '.',
    '/etc/passwd',
    '../../x',
    'a/b',
    'a\\b',
    'C:\\x',
    'x\0y',
    '~',
    '\ud800',
    'CON',
    ' ',
    '%2e%2e%2f',
    '‮gz',
  ])('fault 87: %j stays in its folder', identifier => {
    const name = fileNameOf('file', [identifier])
    for (const path of [posix, win32]) {
      expect(path.dirname(path.resolve('/data/in', name))).toBe(path.resolve('/data/in'))
      expect(path.basename(name)).toBe(name)
    }
  })

  test('fault 87: different identifiers give different names', () => {
    const identifiers = fc.array(fc.string({ unit: 'binary', minLength: 1, maxLength: 400 }), {
      minLength: 1,
      maxLength: 3,
    })
    fc.assert(
      fc.property(identifiers, identifiers, (one, two) => {
        const name = fileNameOf('file', one)
        expect(name).toMatch(/^file\.[\w%.-]+\.tsv\.gz$/)
        expect(name).not.toContain('..')
        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255)
        expect(dirname(resolve('/data', name))).toBe('/data')
        expect(basename(join('/data', name))).toBe(name)
        if (
          one.map(id => id.toWellFormed()).join('\n') !==
          two.map(id => id.toWellFormed()).join('\n')
        ) {
          expect(fileNameOf('file', two)).not.toBe(name)
        }
      }),
      { numRuns: 150 },
    )
  })

  test('fault 87: a long name may be cut anywhere', () => {
    for (let length = 100; length <= 200; length++) {
      const name = fileNameOf('file', ['a'.repeat(length), 'b'.repeat(200)])
      expect(name).not.toContain('..')
      expect(name).toHaveLength(207)
    }
  })

  test('an empty identifier is refused', () => {
    expect(() => fileNameOf('file', [''])).toThrow(
      expect.objectContaining({ code: 'HTTP_IDENTIFIER_INVALID' }),
    )
  })
})
