// Line ends of every kind, and headings that have one inside their quotes: by the scanner and row by
// row, for every cut, with csv-parse as the independent reader.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Dialect } from '../../../../src/engine/codec/tsv/dialect'
import { TsvParser, type TsvParserOptions } from '../../../../src/engine/codec/tsv/parser'
import { FeedError } from '../../../../src/engine/errors'
import { pipeline } from '../../../../src/engine/pipeline/pipeline'
import type { Columns } from '../../../../src/engine/schema/feed-schema'
import { csvSink } from '../../../../src/engine/sinks/csv-sink'
import { FileSource } from '../../../../src/engine/stages/file-source'
import { TsvRowParser } from '../../../../src/engine/stages/tsv-row-parser'
import { anyColumns, everyByte, richCell, writtenIn } from '../../../tsv-text'
import { READINGS, readingSo } from './reading'

const CSV = { delimiter: ',', quoting: 'doubled' } as const
const LINE_ENDS = ['\n', '\r\n']

/** The column names and cells of a text, or its first error. */
function read(
  text: string,
  options: Partial<TsvParserOptions<Columns>>,
  cuts: readonly number[] = [],
): { names: readonly string[] | undefined; rows: string[][] } | string {
  const parser = new TsvParser<Columns>({ schema: anyColumns, ...options })
  const rows: string[][] = []
  const bytes = Buffer.from(text)
  try {
    let from = 0
    for (const to of [...cuts, bytes.length]) {
      for (const batch of parser.push(bytes.subarray(from, to)))
        for (const row of batch) rows.push(batch.header.columns.map(({ name }) => row.text(name)))
      from = to
    }
    for (const batch of parser.end())
      for (const row of batch) rows.push(batch.header.columns.map(({ name }) => row.text(name)))
    return { names: parser.columnNames, rows }
  } catch (error) {
    if (!FeedError.is(error)) throw error
    return `${error.code}: ${error.message}`
  } finally {
    parser.destroy()
  }
}

describe.each(READINGS)('fault 138: line ends of CR CR LF and CR, %s', way => {
  const rowsOf = (text: string, options: Partial<TsvParserOptions<Columns>> = {}) =>
    readingSo(way, () => {
      const whole = read(text, { dialect: CSV, ...options })
      const cuts = everyByte(text.length)
      for (const batchBytes of [64, 1 << 16])
        expect(read(text, { dialect: CSV, batchBytes, ...options }, cuts)).toEqual(whole)
      return whole
    })
  const refused = /TSV_HEADER_INVALID.*a line end is CR alone or CR CR LF: convert line ends to LF/

  test('are refused at the header, with the way out, also where they are mixed with others', () => {
    const named = { dialect: { ...CSV, header: ['id', 'title'] } } as const
    for (const twice of ['\r\r\n', '\r\r\r\n', '\r'])
      for (const other of ['\n', '\r\n', '\r\r\n', '\r', '']) {
        const rows = `1,lamp${other}2,chair${other}`
        expect(rowsOf(`id,title${twice}${rows}`)).toMatch(refused)
        expect(rowsOf(`"id","title"${twice}${rows}`)).toMatch(refused)
        expect(rowsOf(`id,title,${twice}${rows}`)).toMatch(refused)
        expect(rowsOf(`id,title${twice}${rows}`, { columns: ['id'] })).toMatch(refused)
        expect(rowsOf(`${'x'.repeat(100)},title${twice}${rows}`)).toMatch(refused)
      }
    for (const other of ['\n', '\r\n', '\r\r\n', '']) {
      const rows = `1,lamp\r\r\n2,chair${other}`
      expect(rowsOf(`id,title\n${rows}`)).toMatch(refused)
      expect(rowsOf(`id,title\n${rows}`, { columns: ['id'] })).toMatch(refused)
      expect(rowsOf(`id,title\n${rows}`, { onBadRow: 'skip' })).toMatch(refused)
      expect(rowsOf(rows, named)).toMatch(refused)
    }
    // The first row may be the only one.
    expect(rowsOf('id,title\n1,lamp\r\r\n')).toMatch(refused)
    expect(rowsOf('1,lamp\r\r\n', named)).toMatch(refused)
    expect(rowsOf('id,title\n1,lamp\r2,chair\r')).toMatch(/TSV_ROW_LONG/)
    const large = `id,title\r${'1,lamp\r'.repeat(100)}`
    expect(rowsOf(large, { maxRowBytes: 64 })).toMatch(refused)
    expect(read(`id,title\r${'1,lamp\r'.repeat(5000)}`, { dialect: CSV })).toMatch(refused)
  })

  test('LF and CRLF may be mixed', () => {
    for (const first of ['\n', '\r\n'])
      for (const second of ['\n', '\r\n'])
        for (const last of ['\n', '\r\n', '']) {
          const expected = {
            names: ['id', 'title'],
            rows: [
              ['1', 'lamp'],
              ['2', 'chair'],
            ],
          }
          expect(rowsOf(`id,title${first}1,lamp${second}2,chair${last}`)).toEqual(expected)
          expect(rowsOf(`"id","title"${first}1,"lamp"${second}"2","chair"${last}`)).toEqual(
            expected,
          )
        }
  })

  test('a CR inside a cell or its quotes is text, and at the end of a row of a file with CRLF', () => {
    expect(rowsOf('id,title\r\n1,"lamp\r"\r\n\r2,la\rmp\r\n3,"\r\r\n"\r\n4,\r\n5,x\r\r\n')).toEqual(
      {
        names: ['id', 'title'],
        rows: [
          ['1', 'lamp\r'],
          ['\r2', 'la\rmp'],
          ['3', '\r\r\n'],
          ['4', ''],
          ['5', 'x\r'],
        ],
      },
    )
    expect(rowsOf('id,title\r\n1,x\r\r\n')).toMatchObject({ rows: [['1', 'x\r']] })
    expect(rowsOf('id,title\n1,"\r\r\n"\n2,"x\r"\r\n')).toMatchObject({
      rows: [
        ['1', '\r\r\n'],
        ['2', 'x\r'],
      ],
    })
    expect(rowsOf('"id","title\r"\n1,x\n')).toMatchObject({ names: ['id', 'title\r'] })
  })

  test('csv-parse agrees about cells and lines', () => {
    const line = fc.record({
      cells: fc.array(richCell, { minLength: 2, maxLength: 2 }),
      end: fc.constantFrom('\n', '\r\n'),
    })
    const batchBytes = fc.constantFrom(64, 300, 1 << 16)
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 12 }), batchBytes, (lines, bytes) => {
        const text = lines
          .map(({ cells, end }) => cells.map(each => writtenIn(CSV, each)).join(',') + end)
          .join('')
        const oracle = parse(text, {
          record_delimiter: ['\r\n', '\n'],
          relax_quotes: true,
        }) as unknown as string[][]
        expect(oracle).toEqual(lines.map(({ cells }) => cells))
        const dialect: Dialect = { ...CSV, header: ['a', 'b'] }
        const found = readingSo(way, () => read(text, { dialect, batchBytes: bytes }))
        expect(found).toMatchObject({ rows: oracle })
        const cuts = everyByte(Buffer.byteLength(text))
        expect(readingSo(way, () => read(text, { dialect, batchBytes: bytes }, cuts))).toEqual(
          found,
        )
      }),
      { numRuns: 150 },
    )
  })
})

describe('fault 139: a heading with a line end inside its quotes', () => {
  test('is read in every dialect that has quotes', () => {
    for (const delimiter of [',', ';', '\t', '|'])
      for (const quoting of ['doubled', 'backslash'] as const)
        for (const end of LINE_ENDS)
          for (const heading of ['Price\n(EUR)', 'Price\r\n(EUR)', '\n', 'a\n\nb\n']) {
            const dialect = { delimiter, quoting }
            const text = `sku${delimiter}"${heading}"${end}A${delimiter}1${end}`
            const expected = { names: ['sku', heading], rows: [['A', '1']] }
            expect(read(text, { dialect })).toEqual(expected)
            const cuts = everyByte(text.length)
            expect(read(text, { dialect, batchBytes: 64 }, cuts)).toEqual(expected)
          }
  })

  test('csvSink writes one, and it is read again', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'feedmill-headings-'))
    try {
      const path = join(folder, 'file.csv')
      const objects = [{ sku: 'A', 'Price\n(EUR)': '1', 'a "b"\r\n,c': 'x' }]
      await pipeline(objects).run(csvSink(path))
      expect(readFileSync(path, 'utf8')).toContain('"Price\n(EUR)"')
      const rows = await pipeline(new FileSource(path))
        .to(new TsvRowParser({ dialect: CSV }))
        .toArray()
      expect(rows.map(row => row.toObject())).toEqual(objects)
      expect(rows[0]!.position).toMatchObject({ row: 1, line: 4 })
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  test('a header over several blocks, and its cap', () => {
    const names = Array.from({ length: 40 }, (_, n) => `name ${n}\nof ${'x'.repeat(n)}`)
    const text = `${names.map(name => `"${name}"`).join(',')}\n${'1,'.repeat(39)}1\n`
    const headerBytes = text.lastIndexOf('"') + 2
    for (const batchBytes of [64, 1000, 1 << 16])
      for (const cuts of [[], everyByte(text.length)]) {
        const options = { dialect: CSV, batchBytes }
        expect(read(text, { ...options, maxRowBytes: headerBytes }, cuts)).toMatchObject({ names })
        expect(read(text, { ...options, maxRowBytes: headerBytes - 1 }, cuts)).toMatch(
          /TSV_HEADER_INVALID.*longer than/,
        )
        expect(read(text, { ...options, maxRowBytes: 100 }, cuts)).toMatch(/longer than the 100 by/)
      }
  })

  test('csv-parse agrees about random headings, however the file is cut', () => {
    const headings = fc.array(richCell, { minLength: 2, maxLength: 6 })
    const anyDialect = fc.record({
      delimiter: fc.constantFrom(',', ';', '\t'),
      quoting: fc.constantFrom('doubled' as const, 'backslash' as const),
    })
    const lineEnd = fc.constantFrom(...LINE_ENDS)
    fc.assert(
      fc.property(headings, anyDialect, lineEnd, (names, dialect, end) => {
        // A NUL in every other byte would be UTF-16.
        fc.pre(names.some(name => name !== '') && !names[0]!.includes('\0'))
        const line = (cells: readonly string[]) =>
          cells.map(cell => writtenIn(dialect, cell)).join(dialect.delimiter) + end
        const text = line(names) + line(names.map((_, n) => `${n}`))
        const [oracle] = parse(text, {
          delimiter: dialect.delimiter,
          escape: dialect.quoting === 'doubled' ? '"' : '\\',
          record_delimiter: [...LINE_ENDS].reverse(),
          relax_quotes: true,
        }) as unknown as string[][]
        expect(oracle).toEqual(names)
        const expected = { names: oracle, rows: [names.map((_, n) => `${n}`)] }
        expect(read(text, { dialect })).toEqual(expected)
        const cuts = everyByte(Buffer.byteLength(text))
        expect(read(text, { dialect, batchBytes: 64 }, cuts)).toEqual(expected)
      }),
      { numRuns: 300 },
    )
  })
})

test('a cell or a heading that begins with a quote that is text: the message names the way out', () => {
  const cure = /give the dialect of the parser quoting: 'none'/
  const dialect = { delimiter: ',', quoting: 'doubled' } as const
  for (const row of ['1,"Lucky" lamp\n', '1,"Lucky\n', '"1,x\n2,y\n'])
    expect(read(`id,title\n${row}`, { dialect })).toMatch(cure)
  expect(read('id,"Lucky" title\n1,x\n', { dialect })).toMatch(cure)
  expect(read('id,"title\n1,x\n', { dialect })).toMatch(cure)
  expect(read(`id,"title\n${'1,x\n'.repeat(100)}`, { dialect, maxRowBytes: 64 })).toMatch(cure)
  const none = { delimiter: ',', quoting: 'none' } as const
  expect(read('id,title\n1,"Lucky\n', { dialect: none })).toMatchObject({ rows: [['1', '"Lucky']] })
})

test('a header line that is blank: the message names the way out', () => {
  for (const text of ['\nid,title\n', '\r\n\r\nid,title\r\n', '\ufeff\nid\n'])
    expect(read(text, { dialect: CSV })).toMatch(/blank: remove the lines before the header line/)
})
