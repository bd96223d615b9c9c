import { expect, test } from 'vitest'
import type { Dialect } from '../../src'
import { inspect } from '../../src/inspect'
import { guessedDialect } from '../../src/inspect/dialect-guess'

const guessed = (text: string, given?: Dialect, isWhole = true) =>
  guessedDialect(Buffer.from(text), isWhole, given)
const LINES: Dialect = { quoting: 'json-lines' }
const doubled = (delimiter: string): Dialect => ({ delimiter, quoting: 'doubled' })

test.each<[what: string, text: string, given: Dialect | undefined, guess: Dialect | undefined]>([
  ['commas', 'a,b\n1,2\n', undefined, doubled(',')],
  ['semicolons, quoted', '"a";"b"\n"1";"2"\n', undefined, doubled(';')],
  ['pipes, without a line end', 'a|b', {}, doubled('|')],
  ['tabs', 'a\tb\n1\t2\n', undefined, undefined],
  ['one column', 'a\n1\n', undefined, undefined],
  ['nothing', '', undefined, undefined],
  ['a page', '<!doctype html><p>a, b</p>\n', undefined, undefined],
  ['a byte order mark', '\ufeffa;b\n', undefined, doubled(';')],
  ['the quoting of the caller', 'a,b\n', { quoting: 'none' }, { delimiter: ',', quoting: 'none' }],
  ['comments', '#,\na;b\n', { comment: '#' }, { ...doubled(';'), comment: '#' }],
  ['a comment that begins with the delimiter', 'a;b\n', { comment: ';' }, undefined],
  ['the delimiter of the caller', 'a,b\n', { delimiter: ';' }, undefined],
  ['a line sep=', '\ufeffsep=;\r\na;b\n', { delimiter: ',' }, doubled(';')],
  [
    'a line sep= and the quoting',
    'sep=|\na|b\n',
    { quoting: 'none' },
    { delimiter: '|', quoting: 'none' },
  ],
  ['names of the caller', 'a,b\n', { header: ['x'] }, undefined],
  ['lines of JSON', '\ufeff{"a":1}\n\n {"a"', undefined, { quoting: 'json-lines' }],
  ['lines of JSON and names', '{"a":1}\n{', { header: ['a'] }, { header: ['a'], ...LINES }],
  ['lines of JSON that are not asked for', '{"a":1}\n{"a":2}\n', { quoting: 'doubled' }, undefined],
  ['an object of JSON', '{"a":1}\n', undefined, undefined],
  ['headings in braces', '{a}\n{b}\n', undefined, undefined],
])('the dialect of a file with %s', (_, text, given, guess) => {
  expect(guessed(text, given)).toEqual(guess)
})

test('a header line that does not end in the start is not judged', () => {
  expect(guessed('a,b', undefined, false)).toBeUndefined()
})

test('a stream is read by the guess from its first byte, whatever its blocks are', async () => {
  const bytes = Buffer.from('a;b\n"1;""x""";2\n')
  const report = await inspect(Array.from(bytes, byte => Buffer.of(byte)))
  expect(report).toMatchObject({
    rows: 1,
    textBytes: bytes.length,
    dialect: doubled(';'),
    dialectIsGuess: true,
    failure: null,
  })
  expect(report.sample[0]!.cells.map(({ text }) => text)).toEqual(['1;"x"', '2'])
})

test.each<[encoding: string, encode: (text: string) => Buffer]>([
  ['utf-16le', text => Buffer.from(text, 'utf16le')],
  ['utf-16be', text => Buffer.from(text, 'utf16le').swap16()],
  ['windows-1252', text => Buffer.from(text, 'latin1')],
])('a file in %s is read by its encoding and its delimiter', async (encoding, encode) => {
  const text = `größe;b\n${'ä;"2"\n'.repeat(20_000)}`
  expect(guessedDialect(encode(text).subarray(0, 2 ** 16), false)).toEqual({
    encoding,
    ...doubled(';'),
  })
  expect(guessedDialect(encode('größe\n1\n'), true)).toEqual({ encoding })
  const report = await inspect([encode(text)])
  expect(report).toMatchObject({
    rows: 20_000,
    badRows: { count: 0 },
    header: { columns: ['größe', 'b'] },
    dialect: { encoding, ...doubled(';') },
    dialectIsGuess: true,
    failure: null,
  })
})
