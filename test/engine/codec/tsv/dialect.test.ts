// Files in other dialects than the documented one, read by the parser: what each option means, its
// checks, and other parsers as the oracles.
// Long: it compares thirty pairs of dialects with another parser.

import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import Papa from 'papaparse'
import { describe, expect, test } from 'vitest'
import { type Dialect, rulesOf } from '../../../../src/engine/codec/tsv/dialect'
import { TsvParser, type TsvParserOptions } from '../../../../src/engine/codec/tsv/parser'
import {
  aspects,
  boolean,
  decimal,
  int32,
  list,
  text,
  timestamp,
} from '../../../../src/engine/schema/column-kinds'
import { type Columns, defineSchema } from '../../../../src/engine/schema/feed-schema'
import {
  anyColumns,
  cellDialect,
  DELIMITERS,
  everyByte,
  QUOTINGS,
  readAll,
  richCell,
  writtenIn,
} from '../../../tsv-text'
import { READINGS, readingSo } from './reading'

const CSV: Dialect = { delimiter: ',', quoting: 'doubled' }

const rowsOf = (text: string, dialect: Dialect, options: Partial<TsvParserOptions<Columns>> = {}) =>
  readAll(text, { dialect, ...options }).rows
const codesOf = (text: string, dialect: Dialect) =>
  readAll(text, { dialect }).bad.map(({ code }) => code)

describe('quoting', () => {
  test('doubled quotes are undone, also in the header, and a backslash is text', () => {
    const text = '"a ""1""",b\n"x ""y""",\\\n"""",""""""\n"\\",""\n'
    expect(rowsOf(text, CSV)).toEqual([
      ['x "y"', '\\'],
      ['"', '""'],
      ['\\', ''],
    ])
    const parser = new TsvParser({ schema: anyColumns, dialect: CSV })
    const [batch] = [...parser.push(Buffer.from(text)), ...parser.end()]
    expect(batch!.header.columns.map(({ name }) => name)).toEqual(['a "1"', 'b'])
  })

  test('doubled quotes: delimiters and line ends in quotes are text, a quote in a plain cell too', () => {
    expect(rowsOf('a,b\n"x,y\r\nz",5" pipe\n"1",2\r\n', CSV)).toEqual([
      ['x,y\r\nz', '5" pipe'],
      ['1', '2'],
    ])
  })

  test('doubled quotes: text behind a closing quote, and a quote that never closes, are bad rows', () => {
    expect(codesOf('a,b\n"x"y,1\n"x" ,2\n"x""""y"z,3\n', CSV)).toEqual([
      'TSV_QUOTE_TRAILING_TEXT',
      'TSV_QUOTE_TRAILING_TEXT',
      'TSV_QUOTE_TRAILING_TEXT',
    ])
    expect(codesOf('a,b\n"x"",1\n', CSV)).toEqual(['TSV_QUOTE_UNCLOSED'])
    expect(codesOf('a,b\n1,"""', CSV)).toEqual(['TSV_QUOTE_UNCLOSED'])
  })

  test('without quoting every byte but the delimiter and the line end is text', () => {
    const none: Dialect = { quoting: 'none' }
    expect(rowsOf('a\tb\n"x\t\\"y"\n"\t""\r\n', none)).toEqual([
      ['"x', '\\"y"'],
      ['"', '""'],
    ])
    expect(codesOf('a\tb\n"x\ty\tz"\n', none)).toEqual(['TSV_ROW_LONG'])
  })

  test('the default is the documented dialect, whether it is named or not', () => {
    const text = 'a\tb\n"x \\"y\\" \\\\"\t"\t"\n"a""b"\tc\n'
    const named: Dialect = { delimiter: '\t', quoting: 'backslash', header: true }
    for (const dialect of [undefined, {}, named])
      expect(readAll(text, dialect && { dialect })).toEqual(readAll(text))
    expect(readAll(text).rows).toEqual([['x "y" \\', '\t']])
  })
})

describe('a file without a header line', () => {
  const dialect: Dialect = { header: ['id', 'name'] }

  test('has the names that are given, and its first line is its first row', () => {
    const parser = new TsvParser({ schema: anyColumns, dialect })
    const [batch] = [...parser.push(Buffer.from('\ufeff1\tone\n2\ttwo')), ...parser.end()]
    expect([...batch!].map(row => row.toStrings())).toEqual([
      { id: '1', name: 'one' },
      { id: '2', name: 'two' },
    ])
    expect([...batch!].map(row => row.position)).toEqual([
      { row: 1, line: 1, byteOffset: 3 },
      { row: 2, line: 2, byteOffset: 9 },
    ])
  })

  test('may be empty, and has no other number of cells than names', () => {
    for (const text of ['', '\ufeff'])
      expect(readAll(text, { dialect })).toEqual({ rows: [], bad: [] })
    expect(readAll('# none', { dialect: { ...dialect, comment: '#' } }).rows).toEqual([])
    expect(codesOf('1\n2\ttwo\t3\n\n', dialect)).toEqual([
      'TSV_ROW_SHORT',
      'TSV_ROW_LONG',
      'TSV_ROW_BLANK',
    ])
  })

  test('has the types of a schema, by the names that are given', () => {
    const schema = defineSchema({ name: 'own', columns: { id: int32({ required: true }) } })
    const parser = new TsvParser({ schema, dialect: { header: ['name', 'ID'] } })
    const [batch] = [...parser.push(Buffer.from('one\t1\n')), ...parser.end()]
    expect(batch!.row(0).toObject()).toEqual({ name: 'one', id: 1 })
  })

  test('is refused where it is a file of another kind', () => {
    expect(() => readAll(Buffer.from([0x1f, 0x8b, 8, 0]), { dialect })).toThrow(/new Gunzip\(\)/)
  })
})

describe('comments', () => {
  const dialect: Dialect = { comment: '#' }

  test('stand before the header line or the first row, and nowhere else', () => {
    const text = '# one\n#\r\na\tb\n#\t1\n'
    expect(rowsOf(text, dialect)).toEqual([['#', '1']])
    expect(rowsOf(text, { ...dialect, header: ['x', 'y'] })).toEqual([
      ['a', 'b'],
      ['#', '1'],
    ])
    expect(rowsOf('"#"\tb\n1\t2\n', dialect)).toEqual([['1', '2']])
    expect(rowsOf('#\tb\n1\t2\n', {})).toEqual([['1', '2']])
  })

  test('may be longer than a row, a block and the first input, at every cut', () => {
    const text = `\ufeff#${'x'.repeat(300)}\n#\n#${'"y\t'.repeat(70)}\r\na\tb\n1\t2\n`
    const options = { dialect, batchBytes: 64, maxRowBytes: 64 }
    const whole = readAll(text, options)
    expect(whole).toEqual({ rows: [['1', '2']], bad: [] })
    for (let cut = 0; cut <= Buffer.byteLength(text); cut++)
      expect(readAll(text, options, [cut])).toEqual(whole)
    expect(readAll(text, options, everyByte(Buffer.byteLength(text)))).toEqual(whole)
  })

  test('count as lines of the file: the position of a bad header', () => {
    const bad = '# one\n#\n\xff\tb\n'
    expect(() => readAll(Buffer.from(bad, 'latin1'), { dialect })).toThrow(
      expect.objectContaining({
        code: 'TSV_HEADER_INVALID',
        context: expect.objectContaining({ row: 0, line: 3, byteOffset: 8 }),
      }),
    )
  })

  test('alone are a file without a header line', () => {
    for (const text of ['#', '# one\n', '# one\n# two'])
      expect(() => readAll(text, { dialect })).toThrow(
        expect.objectContaining({ code: 'TSV_EMPTY' }),
      )
  })

  test('are not looked for where the input begins in the middle of a file, whose positions go on', () => {
    const rows = Array.from({ length: 40 }, (_, n) => ({
      row: n + 1,
      line: n + 3,
      byteOffset: 106 + 7 * n,
    }))
    const text = Buffer.from(`#${'x'.repeat(100)}\na;b\n${'#;"2;"\n'.repeat(40)}`)
    const options = { schema: anyColumns, batchBytes: 64, dialect: { ...dialect, delimiter: ';' } }
    const read = (from: number, startsAt?: TsvParserOptions<Columns>['startsAt']) => {
      const parser = new TsvParser<Columns>({ ...options, ...(startsAt && { startsAt }) })
      const batches = [...parser.push(text.subarray(from)), ...parser.end()]
      return batches.flatMap(batch => [...batch].map(row => [row.text('b'), row.position]))
    }
    const whole = rows.map(position => ['2;', position])
    expect(read(0)).toEqual(whole)
    for (const [n, position] of rows.entries()) {
      const startsAt = { columnNames: ['a', 'b'], position }
      expect(read(position.byteOffset, startsAt)).toEqual(whole.slice(n))
    }
  })
})

test('positions of good and bad rows, counted by hand', () => {
  const text = '#x\n# y\r\na,b\n1,2\n3\n#,4\n"5"6,7\n"8""\n9",10\n"open,1\n11,12,13\n'
  for (const way of READINGS) {
    for (const cuts of [[], everyByte(text.length)]) {
      const dialect: Dialect = { ...CSV, comment: '#' }
      const { rows, bad } = readingSo(way, () => readAll(text, { dialect }, cuts))
      expect(rows).toEqual([
        ['1', '2'],
        ['#', '4'],
        ['8"\n9', '10'],
      ])
      expect(
        bad.map(({ code, position: { row, line, byteOffset } }) => [code, row, line, byteOffset]),
      ).toEqual([
        ['TSV_ROW_SHORT', 2, 5, 16],
        ['TSV_QUOTE_TRAILING_TEXT', 4, 7, 22],
        ['TSV_QUOTE_UNCLOSED', 6, 10, 40],
        ['TSV_ROW_LONG', 7, 11, 48],
      ])
    }
  }
})

describe('fault 102: wrong dialects are refused at once', () => {
  const schema = defineSchema({
    name: 'own',
    columns: {
      id: text({ required: true }),
      name: text(),
    },
  })
  const character = 'one ASCII character other than a quote, a backslash, CR, LF and NUL'
  test.each<[unknown, string]>([
    ['csv', 'dialect must be an object, not "csv"'],
    [{ separator: ',' }, 'separator'],
    [{ delimiter: '' }, `dialect.delimiter must be ${character}, not ""`],
    [{ delimiter: '||' }, `dialect.delimiter must be ${character}`],
    [{ delimiter: 'é' }, `dialect.delimiter must be ${character}`],
    [{ delimiter: 9 }, `dialect.delimiter must be ${character}, not 9`],
    ...['"', '\\', '\r', '\n', '\0'].map((delimiter): [unknown, string] => [
      { delimiter },
      `dialect.delimiter must be ${character}`,
    ]),
    [
      { quoting: 'off' },
      `dialect.quoting must be 'backslash' or 'doubled' or 'none' or 'escapes' or 'json-lines', not "off"`,
    ],
    [{ skipLines: -1 }, 'dialect.skipLines'],
    [{ unitLines: 1.5 }, 'dialect.unitLines'],
    [{ encoding: 'utf-7' }, 'dialect.encoding must be an encoding that TextDecoder knows'],
    [{ nulls: 'NA' }, 'dialect.nulls must be an array'],
    [{ nulls: [''] }, 'dialect.nulls[0] must be text that is not empty'],
    [{ trim: 'yes' }, 'dialect.trim must be true or false'],
    [{ shortRows: 'pad' }, `dialect.shortRows must be 'bad-row' or 'fill'`],
    [{ blankLines: true }, `dialect.blankLines must be 'bad-row' or 'skip'`],
    [{ repeatedHeader: 'fill' }, `dialect.repeatedHeader must be 'row' or 'skip'`],
    [{ comment: '//' }, `dialect.comment must be ${character}, and not the delimiter, not "//"`],
    [{ delimiter: '#', comment: '#' }, 'and not the delimiter'],
    [{ comment: '\t' }, 'and not the delimiter'],
    [
      { header: false },
      'dialect.header must be true, or the names of 1 to 4096 columns, not false',
    ],
    [
      { header: [] },
      'dialect.header must be true, or the names of 1 to 4096 columns, not an array',
    ],
    [{ header: Array(4097).fill('x') }, '1 to 4096 columns'],
    [{ header: [''] }, 'dialect.header[0] must be text that is not empty, not ""'],
    [{ header: ['id', 2] }, 'dialect.header[1] must be text that is not empty, not 2'],
    [{ header: ['x', 'y'] }, 'fit the schema (own; none of them is in it), not "x, y"'],
    [{ header: ['name'] }, 'fit the schema (own; the header has no column id)'],
    [{ header: ['id', 'ID'] }, 'fit the schema (own; the header names id twice)'],
  ])('%j', (dialect, message) => {
    expect(() => new TsvParser({ schema, dialect: dialect as Dialect })).toThrow(
      expect.objectContaining({
        code: 'OPTION_INVALID',
        message: expect.stringContaining(message),
      }),
    )
  })
})

interface Table {
  readonly dialect: Dialect
  readonly names: readonly string[]
  readonly rows: readonly (readonly string[])[]
  readonly text: string
  readonly comments: string
}

/** A table of any cells that its dialect can write, in every combination of the options. */
function tableIn(cells: fc.Arbitrary<Dialect>): fc.Arbitrary<Table> {
  return fc
    .record({
      cells,
      isHeaderless: fc.boolean(),
      comments: fc.constantFrom('', '#\n', '# a "comment"\r\n#,\t;\n'),
      hasComments: fc.boolean(),
      lineEnd: fc.constantFrom('\n', '\r\n'),
      rows: fc.integer({ min: 1, max: 5 }).chain(columns =>
        fc.array(fc.array(richCell, { minLength: columns, maxLength: columns }), {
          minLength: 1,
          maxLength: 12,
        }),
      ),
    })
    .map(({ cells, isHeaderless, comments, hasComments, lineEnd, rows }) => {
      const names = rows[0]!.map((_, at) => `c${at}`)
      const dialect: Dialect = {
        ...cells,
        ...(isHeaderless && { header: names }),
        ...(hasComments && { comment: '#' }),
      }
      const written = rows.map(row => row.map(cell => writable(cell, dialect)))
      // A NUL in every other byte of the first four looks like UTF-16.
      if (isHeaderless) written[0] = written[0]!.map(cell => cell.replaceAll('\0', 'x'))
      const lines = isHeaderless ? written : [names, ...written]
      const text = lines.map(
        line => line.map(cell => writtenIn(dialect, cell)).join(cells.delimiter) + lineEnd,
      )
      const before = hasComments ? comments : ''
      return { dialect, names, rows: written, comments: before, text: before + text.join('') }
    })
}

/** Without quoting no cell has a delimiter or a line end. */
const writable = (cell: string, { quoting, delimiter }: Dialect) =>
  quoting === 'none' ? cell.replace(/[\r\n]/g, 'x').replaceAll(delimiter!, 'x') : cell

describe('laws of every dialect', () => {
  test('what was written is read, either way, whatever the cuts and the block size', () => {
    fc.assert(
      fc.property(
        tableIn(cellDialect),
        fc.constantFrom(...READINGS),
        fc.constantFrom(64, 256, 1 << 18),
        fc.infiniteStream(fc.nat(400)),
        ({ dialect, rows, text }, way, batchBytes, cuts) => {
          const size = Buffer.byteLength(text)
          const places = [...cuts.take(10)].map(cut => cut % (size + 1)).sort((a, b) => a - b)
          const options = { dialect, batchBytes }
          for (const all of [places, everyByte(size)])
            expect(readingSo(way, () => readAll(text, options, all))).toEqual({ rows, bad: [] })
        },
      ),
      { numRuns: 300 },
    )
  })

  test('any bytes: the same rows and bad rows for every cut and block size, read either way', () => {
    const soup = fc.array(
      fc.constantFrom(
        'a',
        '"',
        '""',
        '\\',
        '\t',
        ',',
        '\n',
        '\r',
        '#',
        'é',
        '",',
        ',"',
        '"\n',
        '\\"',
      ),
      { maxLength: 60 },
    )
    const dialect = fc.record({
      delimiter: fc.constantFrom(',', '\t'),
      quoting: fc.constantFrom(...QUOTINGS),
      header: fc.constantFrom(['a', 'b'], ['a']),
      comment: fc.constantFrom('#', 'a'),
    })
    fc.assert(
      fc.property(
        soup,
        dialect,
        fc.constantFrom(64, 128),
        fc.constantFrom(64, 1 << 20),
        fc.infiniteStream(fc.nat(200)),
        (parts, dialect, batchBytes, maxRowBytes, cuts) => {
          const bytes = Buffer.from(parts.join(''))
          const options = { dialect, maxRowBytes, batchBytes }
          const whole = readingSo('row by row', () => readAll(bytes, options))
          const places = [...cuts.take(10)]
            .map(cut => cut % (bytes.length + 1))
            .sort((a, b) => a - b)
          const large = { ...options, batchBytes: 1 << 18 }
          for (const way of READINGS) {
            expect(readingSo(way, () => readAll(bytes, options, places))).toEqual(whole)
            expect(readingSo(way, () => readAll(bytes, large))).toEqual(whole)
          }
        },
      ),
      { numRuns: 400 },
    )
  })

  test('a projection has the same cells and positions', () => {
    fc.assert(
      fc.property(
        tableIn(cellDialect),
        fc.constantFrom(...READINGS),
        fc.constantFrom(64, 1 << 16),
        ({ dialect, names, text }, way, batchBytes) => {
          const last = names.at(-1)!
          const read = (columns?: string[]) => {
            const parser = new TsvParser<Columns>({
              schema: anyColumns,
              dialect,
              batchBytes,
              ...(columns && { columns }),
            })
            return [...parser.push(Buffer.from(text)), ...parser.end()].flatMap(batch =>
              [...batch].flatMap(row =>
                [row, row.detach()].map(each => [
                  each.text(last),
                  each.toStrings([last]),
                  each.position,
                ]),
              ),
            )
          }
          expect(readingSo(way, () => read([last]))).toEqual(read())
        },
      ),
      { numRuns: 100 },
    )
  })

  test('the position of a row is that of its bytes', () => {
    fc.assert(
      fc.property(tableIn(cellDialect), fc.constantFrom(64, 1 << 18), (table, batchBytes) => {
        const { dialect, rows, text } = table
        const bytes = Buffer.from(text)
        const parser = new TsvParser<Columns>({ schema: anyColumns, batchBytes, dialect })
        let n = 0
        for (const batch of [...parser.push(bytes), ...parser.end()]) {
          for (const row of batch) {
            const { row: number, line, byteOffset } = row.position
            const cells = rows[n++]!.map(cell => writtenIn(dialect, cell)).join(dialect.delimiter)
            expect(number).toBe(n)
            expect(bytes.subarray(byteOffset).toString().startsWith(cells)).toBe(true)
            expect(bytes.subarray(0, byteOffset).filter(byte => byte === 10).length + 1).toBe(line)
          }
        }
        expect(n).toBe(rows.length)
      }),
      { numRuns: 100 },
    )
  })
})

describe('other parsers agree', () => {
  const combinations = DELIMITERS.flatMap(delimiter =>
    QUOTINGS.map((quoting): [string, Dialect] => [
      `${JSON.stringify(delimiter)}, ${quoting}`,
      { delimiter, quoting },
    ]),
  )

  test.each(combinations)('csv-parse: %s', (_, cells) => {
    fc.assert(
      fc.property(tableIn(fc.constant(cells)), ({ dialect, rows, text }) => {
        // Elsewhere csv-parse takes such lines for comments too.
        fc.pre(!rows.some(([first]) => first!.startsWith('#')))
        const { delimiter = '\t', quoting, header, comment } = dialect
        const oracle = parse(text, {
          delimiter,
          quote: quoting === 'none' ? false : '"',
          escape: quoting === 'doubled' ? '"' : '\\',
          record_delimiter: ['\n', '\r\n'],
          relax_quotes: true,
          from: header ? 1 : 2,
          ...(comment && { comment, comment_no_infix: true }),
        }) as unknown as string[][]
        expect(readAll(text, { dialect }).rows).toEqual(oracle)
        expect(oracle).toEqual(rows)
      }),
      { numRuns: 40 },
    )
  })

  test.each(DELIMITERS)('papaparse, where quotes are doubled: %j', delimiter => {
    fc.assert(
      fc.property(
        tableIn(fc.constant({ delimiter, quoting: 'doubled' })),
        ({ dialect, text, comments }) => {
          const body = text.slice(comments.length)
          const newline = /\r\n$/.test(text) ? '\r\n' : '\n'
          const { data } = Papa.parse<string[]>(body, { delimiter, newline, quoteChar: '"' })
          // Papaparse reads an empty line behind the last line end.
          const lines = data.slice(dialect.header ? 0 : 1, -1)
          expect(readAll(text, { dialect }).rows).toEqual(lines)
        },
      ),
      { numRuns: 40 },
    )
  })
})

test('typed cells are the same in every dialect that can write them', () => {
  const schema = defineSchema({
    name: 'own',
    columns: {
      list: list(','),
      pipes: list('|'),
      aspects: aspects(),
      price: decimal(),
      count: int32(),
      at: timestamp(),
      flag: boolean(),
    },
  })
  const names = Object.keys(schema.columns)
  const rows = [
    ['a,b', 'x|y', 'QQ==:Qg==;Qw==:RA==', '1.50', '7', '2026-03-01T12:00:00.000Z', 'true'],
    ['"q",r', '"', '', '-0.1', '-3', '', 'false'],
    ['"b"', '"x|y"', 'QQ==:Qg==', '', '', '', ''],
  ]
  const read = (dialect: Dialect) => {
    const text = [names, ...rows]
      .map(row => `${row.map(cell => writtenIn(dialect, cell)).join(dialect.delimiter ?? '\t')}\n`)
      .join('')
    const parser = new TsvParser({ schema, dialect })
    return [...parser.push(Buffer.from(text)), ...parser.end()].flatMap(batch =>
      [...batch].map(row => JSON.stringify(row)),
    )
  }
  const expected = read({})
  expect(expected).toHaveLength(3)
  for (const delimiter of DELIMITERS) {
    for (const quoting of QUOTINGS) {
      const isWritable = ![names, ...rows].flat().some(cell => cell.includes(delimiter))
      if (isWritable || quoting !== 'none') expect(read({ delimiter, quoting })).toEqual(expected)
    }
  }
})

test('a dialect is checked once: its rules are plain bytes', () => {
  expect(rulesOf({ delimiter: ',', quoting: 'doubled', comment: '#' }, anyColumns)).toEqual({
    cells: { delimiter: 0x2c, quote: 0x22, escapedBy: 0x22 },
    columnNames: undefined,
    comment: 0x23,
    skipLines: 0,
    unitLines: 0,
    encoding: undefined,
    isJson: false,
  })
})
