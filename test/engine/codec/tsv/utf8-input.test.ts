// Files in other encodings: their texts read as those of UTF-8, however they are cut, and a malformed
// sequence makes a bad row.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Dialect } from '../../../../src/engine/codec/tsv/dialect'
import { encodingOf } from '../../../../src/engine/codec/tsv/utf8-input'
import { ARCHIVES, PAGES } from '../../../foreign-bodies'
import { everyByte, readAll, tsv } from '../../../tsv-text'

/** Characters of Windows-1252 and their bytes, by its table. */
const WINDOWS_1252 = new Map<string, number>([
  ...Array.from({ length: 0x80 }, (_, code): [string, number] => [String.fromCharCode(code), code]),
  ...Array.from({ length: 0x60 }, (_, n): [string, number] => [
    String.fromCharCode(0xa0 + n),
    0xa0 + n,
  ]),
  ...[...'€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ'].map(
    (character, n): [string, number] => [character, 0x80 + n],
  ),
])

const utf16le = (text: string) => Buffer.from(text, 'utf16le')
const utf16be = (text: string) => utf16le(text).swap16()
const windows1252 = (text: string) => Buffer.from([...text].map(one => WINDOWS_1252.get(one)!))

const tables = (character: fc.Arbitrary<string>) => {
  const cell = fc.array(character, { maxLength: 6 }).map(all => all.join('').replaceAll('\0', ''))
  return fc
    .array(fc.tuple(cell, cell), { maxLength: 10 })
    .map(rows => tsv([['größe', 'b'], ...rows.map(([a, b]) => [a, b])]))
}

const encodings = fc.oneof(
  fc.record({
    encoding: fc.constantFrom('windows-1252', 'latin1', 'ISO-8859-1'),
    encode: fc.constant(windows1252),
    text: tables(fc.constantFrom(...WINDOWS_1252.keys())),
  }),
  fc.record({
    encoding: fc.constantFrom('utf-16le', 'utf-16'),
    encode: fc.constant(utf16le),
    text: tables(fc.string({ unit: 'binary', minLength: 1, maxLength: 1 })),
  }),
  fc.record({
    encoding: fc.constant('utf-16be'),
    encode: fc.constant(utf16be),
    text: tables(fc.string({ unit: 'binary', minLength: 1, maxLength: 1 })),
  }),
  // A mark comes before the name.
  fc.record({
    encoding: fc.constantFrom('windows-1252', 'utf-16le', 'shift_jis'),
    encode: fc.constantFrom(utf16be, utf16le, (text: string) => Buffer.from(text)),
    text: tables(fc.string({ unit: 'binary', minLength: 1, maxLength: 1 })).map(
      text => `\ufeff${text}`,
    ),
  }),
)

test('a file in any encoding has the rows of its text in UTF-8, at every cut', () => {
  fc.assert(
    fc.property(
      encodings,
      fc.constantFrom(64, 1 << 16),
      fc.infiniteStream(fc.nat(800)),
      ({ encoding, encode, text: raw }, batchBytes, cuts) => {
        // U+FFFD is what a malformed sequence is read as.
        const text = raw.replaceAll('\ufffd', 'x')
        const bytes = encode(text)
        const options = { batchBytes, dialect: { encoding } }
        const expected = readAll(text, { batchBytes })
        const places = [...cuts.take(6)].map(cut => cut % (bytes.length + 1)).sort((a, b) => a - b)
        for (const all of [[], places, everyByte(bytes.length)])
          expect(readAll(bytes, options, all)).toEqual(expected)
      },
    ),
    { numRuns: 150 },
  )
})

test('a file that is longer than many blocks, in inputs that cut each character', () => {
  const text = tsv(Array.from({ length: 9000 }, (_, n) => [`ключ ${n}`, '😀'.repeat(n % 30), 'é']))
  const bytes = utf16be(text)
  const cuts = Array.from({ length: Math.floor(bytes.length / 4097) }, (_, n) => (n + 1) * 4097)
  const { rows, bad } = readAll(bytes, { dialect: { encoding: 'utf-16be' } }, cuts)
  expect(bad).toEqual([])
  expect(rows).toEqual(readAll(text).rows)
})

test('Shift_JIS, whose second bytes may be a backslash or a quote of ASCII', () => {
  // 表 is 95 5C, テ is 83 65, ソ is 83 5C.
  const bytes = Buffer.from('a\tb\n"\x95\x5c"\t\x83\x65\n\x83\x5c\t\xb1\n', 'latin1')
  const expected = [
    ['表', 'テ'],
    ['ソ', 'ｱ'],
  ]
  for (const cuts of [[], everyByte(bytes.length)])
    expect(readAll(bytes, { dialect: { encoding: 'Shift_JIS' } }, cuts).rows).toEqual(expected)
})

test('fault 180: a malformed sequence makes a bad row, or reads as U+FFFD', () => {
  const lone = utf16le('a\tb\n1\t2\n\ud800\té\n3\t4\n5\t\udc00\ud801')
  const odd = Buffer.concat([utf16le('a\tb\n1\t2\n3\té'), Buffer.from('x')])
  const cases: [Buffer, string, number[], string[][]][] = [
    [
      lone,
      'utf-16le',
      [3, 5],
      [
        ['1', '2'],
        ['\ufffd', 'é'],
        ['3', '4'],
        ['5', '\ufffd\ufffd'],
      ],
    ],
    [
      odd,
      'utf-16le',
      [3],
      [
        ['1', '2'],
        ['3', 'é\ufffd'],
      ],
    ],
    [
      Buffer.from('a\tb\n\x81\t1\n2\t3\n', 'latin1'),
      'shift_jis',
      [2],
      [
        ['\ufffd', '1'],
        ['2', '3'],
      ],
    ],
  ]
  for (const [bytes, encoding, lines, all] of cases)
    for (const cuts of [[], everyByte(bytes.length)]) {
      const dialect: Dialect = { encoding }
      const { rows, bad } = readAll(bytes, { dialect }, cuts)
      expect(bad.map(({ code, position }) => [code, position.line])).toEqual(
        lines.map(line => ['TSV_UTF8_INVALID', line]),
      )
      expect(bad[0]!.error.message).toContain(`bytes that are not ${encoding}`)
      expect(rows).toEqual(all.filter(row => !row.join('').includes('\ufffd')))
      expect(readAll(bytes, { dialect, invalidUtf8: 'replace' }, cuts)).toEqual({
        rows: all,
        bad: [],
      })
    }
  expect(() => readAll(utf16le('a\t\ud800\n1\t2\n'), { dialect: { encoding: 'utf-16' } })).toThrow(
    expect.objectContaining({
      code: 'TSV_HEADER_INVALID',
      message: expect.stringContaining('bytes that are not utf-16le'),
    }),
  )
})

test('a file of another kind is refused by its own bytes', () => {
  for (const { name, bytes, what } of [...ARCHIVES, ...PAGES])
    for (const cuts of [[], everyByte(Math.min(bytes.length, 600))])
      expect(() => readAll(bytes, { dialect: { encoding: 'windows-1252' } }, cuts), name).toThrow(
        expect.objectContaining({
          code: 'TSV_HEADER_INVALID',
          message: expect.stringMatching(what),
        }),
      )
  expect(() =>
    readAll(utf16le('<!doctype html><p>x'), { dialect: { encoding: 'utf-16' } }),
  ).toThrow(/HTML or XML/)
})

test('names of encodings', () => {
  expect(encodingOf('e', 'UTF8')).toBe(undefined)
  expect(encodingOf('e', 'latin1')).toBe('windows-1252')
  for (const wrong of ['', 'utf-7', 'nonsense', 7, null])
    expect(() => encodingOf('dialect.encoding', wrong as string)).toThrow(
      expect.objectContaining({
        code: 'OPTION_INVALID',
        message: expect.stringContaining(
          "dialect.encoding must be an encoding that TextDecoder knows, such as 'windows-1252', not",
        ),
      }),
    )
})
