import { basename, dirname, join, posix, resolve, win32 } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fileNameOf } from '../../../src/service/clients/file-name'

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
        one.map(id => id.toWellFormed()).join('\n') !== two.map(id => id.toWellFormed()).join('\n')
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
