// Headers that are refused: files of another kind, and headers that are too long or have too many
// columns.

import { gzipSync } from 'node:zlib'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { MAX_COLUMNS } from '../../../../src/engine/codec/tsv/header'
import { TsvParser, type TsvParserOptions } from '../../../../src/engine/codec/tsv/parser'
import { FeedError } from '../../../../src/engine/errors'
import { decimal, int32, text } from '../../../../src/engine/schema/column-kinds'
import {
  type Columns,
  defineSchema,
  type FeedSchema,
} from '../../../../src/engine/schema/feed-schema'
import { itemSchema } from '../../../../src/engine/schema/feed-schemas'
import { anyColumns, everyByte } from '../../../tsv-text'

const ids = defineSchema({
  name: 'other',
  columns: {
    id: int32(),
    price: decimal(),
  },
})

/** The names of the columns, or the code and reason of the refusal. */
function header(
  input: string | Uint8Array,
  options: Partial<TsvParserOptions<Columns>> = {},
  cuts: readonly number[] = [],
): unknown {
  const bytes = typeof input === 'string' ? Buffer.from(input) : input
  const parser = new TsvParser<Columns>({ schema: anyColumns, onBadRow: 'skip', ...options })
  try {
    let from = 0
    let names: string[] | undefined
    for (const to of [...cuts, bytes.length]) {
      for (const batch of parser.push(bytes.subarray(from, to)))
        names = batch.header.columns.map(({ name }) => name)
      from = to
    }
    for (const batch of parser.end()) names = batch.header.columns.map(({ name }) => name)
    return names ?? 'no rows'
  } catch (error) {
    if (!FeedError.is(error)) throw error
    return error.code === 'TSV_HEADER_INVALID' ? error.context.reason : error.code
  } finally {
    parser.destroy()
  }
}

const utf16 = Buffer.from('id\tprice\n1\t2\n', 'utf16le')

describe('fault 100: a file of another kind is refused at its header', () => {
  test.each<[string, string | Uint8Array, RegExp]>([
    [
      'commas',
      'id,price\n1,2\n',
      /looks comma-separated: give the parser dialect: \{ delimiter: ',' \}/,
    ],
    ['semicolons', 'id;price, in EUR;x\n1;2;3\n', /looks semicolon-separated/],
    ['pipes', 'id|price\n1|2\n', /looks pipe-separated/],
    ['quoted names and commas', '"id","price"\n"1","2"\n', /looks comma-separated/],
    [
      'no header line, an identifier',
      'v1|1|0\tA title\nv1|2|0\tAnother\n',
      /no header line: "v1\|1\|0"/,
    ],
    ['no header line, an address', 'A title\thttps://example.org/1.jpg\n', /no header line/],
    ['no header line, an instant', 'A title\t2026-03-01T12:00:00.000Z\n', /no header line/],
    ['line ends that are CR alone', 'id\tprice\r1\t2\r', /CR alone/],
    [
      'gzip data',
      gzipSync('id\tprice\n1\t2\n'),
      /gzip data: put Gunzip before the parser, pipeline\(source\)\.to\(new Gunzip\(\)\)/,
    ],
    ['a ZIP archive', Buffer.from('PK\x03\x04 and so on'), /ZIP archive/],
    ['UTF-16 with its mark', Buffer.concat([Buffer.from([0xff, 0xfe]), utf16]), /UTF-16/],
    [
      'UTF-16, the other order',
      Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from(utf16).swap16()]),
      /UTF-16/,
    ],
    [
      'UTF-16 without a mark',
      utf16,
      /UTF-16 text without a byte order mark: give the parser dialect: \{ encoding: 'utf-16le' \}/,
    ],
    [
      'UTF-16 without a mark, the other order',
      Buffer.from(utf16).swap16(),
      /UTF-16 text without a byte order mark: give the parser dialect: \{ encoding: 'utf-16be' \}/,
    ],
    [
      'Latin-1',
      Buffer.from('größe\tpreis\n1\t2\n', 'latin1'),
      /look like Latin-1 or Windows-1252: give the parser dialect: \{ encoding: 'windows-1252' \}/,
    ],
    [
      'UTF-8 that is damaged',
      Buffer.from('gr\xc3\xb6\xdfe\tid\n', 'latin1'),
      /^bytes that are not UTF-8$/,
    ],
    [
      'Zstandard data',
      Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 4, 0]),
      /Zstandard data: put Decompress before the parser/,
    ],
    ['xz data', Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0]), /xz data: decompress it/],
  ])('%s', (_, input, reason) => {
    for (const schema of [anyColumns, ids as FeedSchema<Columns>]) {
      // A schema sees earlier that no column is its own.
      const expected =
        schema === ids && /header line/.test(reason.source)
          ? /none of its columns is in the schema/
          : reason
      expect(header(input, { schema })).toMatch(expected)
      expect(header(input, { schema }, everyByte(input.length))).toMatch(expected)
    }
  })

  test('another delimiter than that of the dialect', () => {
    const csv = { dialect: { delimiter: ',', quoting: 'doubled' } } as const
    expect(header('id\tprice\n1\t2\n', csv)).toMatch(
      /looks tab-separated: give the parser dialect: \{ delimiter: '\\t' \}/,
    )
    expect(header('"id";"price"\n', csv)).toMatch(/looks semicolon-separated/)
    expect(header('id,price\n1,2\n', csv)).toEqual(['id', 'price'])
    expect(header('a\tb,c\n1,2\n', csv)).toEqual(['a\tb', 'c'])
  })

  test('a dialect with comments or without a header line sees the format of the file first', () => {
    const files: [Buffer, RegExp][] = [
      [gzipSync('# x\n1\t2\n'), /new Gunzip\(\)/],
      [Buffer.from('# x\n1\t2\n', 'utf16le'), /'utf-16le'/],
      [Buffer.from('# x\n1\t2\n', 'utf16le').swap16(), /'utf-16be'/],
    ]
    for (const [bytes, reason] of files) {
      for (const dialect of [{ comment: '#' }, { header: ['a', 'b'] }]) {
        expect(header(bytes, { dialect })).toMatch(reason)
        expect(header(bytes, { dialect }, everyByte(bytes.length))).toMatch(reason)
      }
    }
  })

  test('the files are read by the encodings that the reasons name', () => {
    const text = 'id\tgröße\n1\té\n'
    const files: [Buffer, string][] = [
      [Buffer.from(text, 'latin1'), 'windows-1252'],
      [Buffer.from(`\ufeff${text}`, 'utf16le'), 'utf-16le'],
      [Buffer.from(text, 'utf16le').swap16(), 'utf-16be'],
    ]
    for (const [bytes, encoding] of files) {
      expect(header(bytes, { dialect: { encoding } })).toEqual(['id', 'größe'])
    }
  })

  test('rows of Latin-1 behind a header of ASCII say so too', () => {
    const parser = new TsvParser({ schema: anyColumns })
    const read = () => [
      ...parser.push(Buffer.from('a\tb\n1\tfa\xe7ade\n', 'latin1')),
      ...parser.end(),
    ]
    expect(read).toThrow(
      /row 1, line 2, byte 4: .* look like Latin-1 or Windows-1252: give the parser dialect: /,
    )
  })

  test('no column of the schema in the header', () => {
    expect(header('a\tb\n1\t2\n', { schema: ids })).toMatch(/none of its columns is in the schema/)
    expect(header('1\t2\n3\t4\n', { schema: ids })).toMatch(/whether it has a header line/)
    expect(header('v1|1|0\tA title\n', { schema: itemSchema })).toMatch(
      /none of its columns is in the schema/,
    )
    expect(header('itemId,title\n', { schema: itemSchema })).toMatch(/looks comma-separated/)
  })

  test('files that may be what they are', () => {
    expect(header('id\n1\n', { schema: ids })).toEqual(['id'])
    expect(header('a\tb\n1\t2\n')).toEqual(['a', 'b'])
    expect(header('\t0\t1\n1\t2\t3\n')).toEqual(['', '0', '1'])
    expect(header('2024\t2025\n1\t2\n')).toEqual(['2024', '2025'])
    expect(header('a, b\tc|d\n1\t2\n')).toEqual(['a, b', 'c|d'])
    expect(header('other\tPRICE\n1\t2\n', { schema: ids })).toEqual(['other', 'price'])
  })

  test('one column whose name has a comma: quoted, or in the schema', () => {
    expect(header('"city, country"\nx\n')).toEqual(['city, country'])
    const named = defineSchema({ name: 'other', columns: { 'city, country': text() } })
    expect(header('city, country\nx\n', { schema: named })).toEqual(['city, country'])
  })
})

describe('the size of a header', () => {
  const options = [64, 1 << 10, 1 << 16].flatMap(batchBytes => [
    { batchBytes },
    { batchBytes, columns: ['c0'] },
  ])
  const wide = (columns: number) => Array.from({ length: columns }, (_, n) => `c${n}`).join('\t')

  test('a header longer than maxRowBytes is refused, whatever the other options and the cuts are', () => {
    const line = wide(100)
    const text = `${line}\n${line}\n`
    for (const sizes of options) {
      for (const cuts of [[], [64], everyByte(text.length)]) {
        const read = (maxRowBytes: number) => header(text, { ...sizes, maxRowBytes }, cuts)
        expect(read(line.length + 1)).toContain('c0')
        expect(read(line.length)).toBe(`longer than the ${line.length} bytes of maxRowBytes`)
        expect(read(64)).toBe('longer than the 64 bytes of maxRowBytes')
      }
    }
    expect(header(line, { maxRowBytes: line.length })).toBe('no rows')
    expect(header(line, { maxRowBytes: line.length - 1 })).toMatch(/longer than/)
  })

  test('the excerpt of a refused header is of its line', () => {
    const parser = new TsvParser({ schema: ids })
    const read = () => [...parser.push(Buffer.from('a\tb\n1\t2\n')), ...parser.end()]
    expect(read).toThrow(
      expect.objectContaining({
        context: expect.objectContaining({ excerpt: 'a\tb', row: 0, line: 1 }),
      }),
    )
  })

  test('a header of more columns than the documented cap is refused', () => {
    expect(header(`${wide(MAX_COLUMNS)}\n${'\t'.repeat(MAX_COLUMNS - 1)}\n`)).toHaveLength(
      MAX_COLUMNS,
    )
    expect(header(`${wide(MAX_COLUMNS + 1)}\n`)).toBe(`more than ${MAX_COLUMNS} columns`)
  })
})

describe('fault 99: thousands of equal or very long column names', () => {
  const lookups = { count: 0 }
  const { has } = Map.prototype
  beforeEach(() => {
    lookups.count = 0
  })

  test('equal names cost a few look-ups each', () => {
    const spy = vi.spyOn(Map.prototype, 'has').mockImplementation(function (
      this: Map<unknown, unknown>,
      key: unknown,
    ) {
      lookups.count++
      return has.call(this, key)
    })
    const names = header(
      `${'a\t'.repeat(MAX_COLUMNS - 1)}a\n${'\t'.repeat(MAX_COLUMNS - 1)}\n`,
    ) as string[]
    spy.mockRestore()
    expect(lookups.count).toBeLessThan(10 * MAX_COLUMNS)
    expect(new Set(names).size).toBe(MAX_COLUMNS)
    expect([names[0], names[1], names.at(-1)]).toEqual(['a', 'a#2', `a#${MAX_COLUMNS}`])
  })

  test('names that look like copies keep theirs', () => {
    expect(header('a\ta#3\ta\ta\ta\n\t\t\t\t\n')).toEqual(['a', 'a#3', 'a#2', 'a#4', 'a#5'])
  })

  test('names as long as a row may be are read', () => {
    const name = 'x'.repeat(500_000)
    expect(header(`${name}\t${name}\n1\t2\n`)).toEqual([name, `${name}#2`])
  })
})
