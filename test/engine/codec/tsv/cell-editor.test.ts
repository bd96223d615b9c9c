// The options of a dialect that change rows, by the parser: what each means, and a naive reader as
// the oracle of all of them together.
// Long: it compares thousands of files with the naive reader, at many cuts.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { OWN_MEMORY } from '../../../../src/engine/codec/memory'
import type { RowBatch } from '../../../../src/engine/codec/row-batch'
import type { Dialect } from '../../../../src/engine/codec/tsv/dialect'
import { rowsInPlace } from '../../../../src/engine/codec/tsv/rows-in-place'
import { int32, text } from '../../../../src/engine/schema/column-kinds'
import { type Columns, defineSchema } from '../../../../src/engine/schema/feed-schema'
import { anyColumns, batchesIn, everyByte, readAll } from '../../../tsv-text'
import { comeFiles } from './come-files'
import { naiveReading } from './naive-reader'
import { READINGS, readingSo } from './reading'

const rowsOf = (text: string, dialect: Dialect) => readAll(text, { dialect }).rows
const readIn = (text: string, dialect: Dialect) => {
  const { rows, bad } = readAll(text, { dialect })
  return [rows, bad.map(({ code, position: { row, line } }) => [code, row, line])]
}

/** The rows of a batch, from the lines that a state keeps of them. */
function storedRows(batch: RowBatch): RowBatch[] {
  return [...batch].flatMap(row => {
    const line = Buffer.concat([batch.bytesOf(row.slot), Buffer.from('\n')])
    return rowsInPlace(batch.header, line, OWN_MEMORY)
  })
}

test('words for null are empty cells, quoted or not; others are text', () => {
  const file = 'a\tb\nNA\t"NA"\nna\tNA \n\\N\tNAN\n'
  expect(rowsOf(file, { nulls: ['NA', '\\N'] })).toEqual([
    ['', ''],
    ['na', 'NA '],
    ['', 'NAN'],
  ])
  const schema = defineSchema({ name: 'own', columns: { a: int32(), b: text() } })
  const [batch] = batchesIn('a\tb\nNA\tNA\n7\t-\n', { schema, dialect: { nulls: ['NA', '-'] } })
  expect([...batch!].map(row => row.toObject())).toEqual([
    { a: null, b: null },
    { a: 7, b: null },
  ])
})

test('blanks around cells and names are left out, those in quotes are not', () => {
  const file = ' a , b\r\n 1 \t,  \r\n" x ",\u00a0y z \r\n "q,\r\n "p" , "o\r\n'
  expect(readIn(file, { delimiter: ',', quoting: 'doubled', trim: true })).toEqual([
    [
      ['1', ''],
      [' x ', '\u00a0y z'],
      ['"q', ''],
      ['p', '"o'],
    ],
    [],
  ])
  const [batch] = batchesIn(file, {
    schema: anyColumns,
    dialect: { delimiter: ',', quoting: 'doubled', trim: true },
  })
  expect(batch!.header.columns.map(({ heading }) => heading)).toEqual(['a', 'b'])
})

test('escapes are a tab, line ends and a backslash; any other backslash is text', () => {
  const file = 'a\\tx\tb\n1\\t2\\n3\\r4\t\\\\N\n\\N\t\\x\\"\n"q"\t\\\n'
  expect(rowsOf(file, { quoting: 'escapes', nulls: ['\\N'] })).toEqual([
    ['1\t2\n3\r4', '\\N'],
    ['', '\\x\\"'],
    ['"q"', '\\'],
  ])
})

test('short rows are filled up, blank lines and long rows are not', () => {
  expect(readIn('a\tb\tc\n1\n1\t2\n\n1\t2\t3\t4\n', { shortRows: 'fill' })).toEqual([
    [
      ['1', '', ''],
      ['1', '2', ''],
    ],
    [
      ['TSV_ROW_BLANK', 3, 4],
      ['TSV_ROW_LONG', 4, 5],
    ],
  ])
})

test('blank lines are left out, also before the header line and in a file of one column', () => {
  expect(readIn('\n\r\na\tb\n\n1\t2\n\r\n3\n\n', { blankLines: 'skip' })).toEqual([
    [['1', '2']],
    [['TSV_ROW_SHORT', 4, 7]],
  ])
  expect(rowsOf('a\n\n1\n\n', { blankLines: 'skip' })).toEqual([['1']])
  expect(rowsOf('a\n\n1\n', {})).toEqual([[''], ['1']])
  const many = `\n${'\r\n'.repeat(40)}a\tb\n1\t2\n`
  expect(readAll(many, { dialect: { blankLines: 'skip' }, batchBytes: 64 }).rows).toEqual([
    ['1', '2'],
  ])
  expect(readAll('a\tb\n\n\n', { dialect: { blankLines: 'skip' } })).toEqual({ rows: [], bad: [] })
})

test('a header line in the middle is left out, with a byte order mark and other quotes too', () => {
  const dialect: Dialect = { repeatedHeader: 'skip' }
  expect(rowsOf('a\tb\n1\t2\na\tb\n3\t4\n\ufeffa\t"b"\na\tB\n', dialect)).toEqual([
    ['1', '2'],
    ['3', '4'],
    ['a', 'B'],
  ])
  expect(rowsOf('1\n2\na\n', { header: ['a'], repeatedHeader: 'skip' })).toEqual([['1'], ['2']])
})

test('lines before and behind the header line are passed over, whatever they hold', () => {
  const file = 'Report "1\n\n# x\na\tb\n"kg\tm\tm\n1\t2\n'
  const dialect: Dialect = { skipLines: 2, comment: '#', unitLines: 1 }
  expect(readIn(file, dialect)).toEqual([[['1', '2']], []])
  const long = `${'t'.repeat(900)}\na\tb\n${'u'.repeat(900)}\n1\t2\n`
  for (const cuts of [[], everyByte(long.length)])
    expect(
      readAll(
        long,
        { dialect: { skipLines: 1, unitLines: 1 }, batchBytes: 64, maxRowBytes: 64 },
        cuts,
      ),
    ).toEqual({ rows: [['1', '2']], bad: [] })
  for (const text of ['', 'x', 'x\n', 'x\ny\n'])
    expect(() => readAll(text, { dialect: { skipLines: 2 } })).toThrow(
      expect.objectContaining({ code: 'TSV_EMPTY' }),
    )
  expect(readAll('a\nx', { dialect: { unitLines: 3 } }).rows).toEqual([])
})

describe('a line sep=', () => {
  test('names the delimiter, and is the first of the lines that are passed over', () => {
    const file = '\ufeffsep=;\r\na;b\r\n"x;""y""";2\r\n'
    for (const dialect of [{}, { delimiter: ';', quoting: 'doubled' }, { skipLines: 1 }] as const)
      expect(rowsOf(file, dialect)).toEqual([['x;"y"', '2']])
    expect(rowsOf('sep=,\na,b\n1,2\n', { delimiter: ';' })).toEqual([['1', '2']])
    expect(rowsOf('sep=,\ntitle\na,b\n1,2\n', { skipLines: 2 })).toEqual([['1', '2']])
    expect(rowsOf('sep=;\n1;NA\n', { header: ['a', 'b'], nulls: ['NA'] })).toEqual([['1', '']])
  })

  test('is one only at the start, and complete', () => {
    expect(rowsOf('a\tb\nsep=;\tx\n', {})).toEqual([['sep=;', 'x']])
    expect(rowsOf('sep=\tb\n1\t2\n', {})).toEqual([['1', '2']])
    expect(() => rowsOf('sep=;', {})).toThrow(
      expect.objectContaining({ code: 'TSV_HEADER_INVALID' }),
    )
  })
})

test('a carriage return at the end of the last cell survives the copy', () => {
  const dialect: Dialect = { shortRows: 'fill', delimiter: ',', quoting: 'none' }
  const [batch] = batchesIn('a,b\n1,2\n"x,y\r\r\n', { schema: anyColumns, dialect })
  const stored = storedRows(batch!).flatMap(rows => [...rows])
  for (const rows of [[...batch!], stored])
    expect(rows.map(row => row.toStrings())).toEqual([
      { a: '1', b: '2' },
      { a: '"x', b: 'y\r' },
    ])
})

test('any file reads as the naive reader reads it, whatever the cuts and blocks, either way', () => {
  fc.assert(
    fc.property(
      comeFiles,
      fc.constantFrom(...READINGS),
      fc.constantFrom(64, 1 << 16),
      fc.infiniteStream(fc.nat(400)),
      ({ dialect, text }, way, batchBytes, cuts) => {
        const expected = naiveReading(text, dialect)
        const size = Buffer.byteLength(text)
        const places = [...cuts.take(6)].map(cut => cut % (size + 1)).sort((a, b) => a - b)
        const options = { dialect, batchBytes }
        const cells = expected.rows.map(row => row.cells)
        for (const all of [places, everyByte(size)]) {
          const { rows, bad } = readingSo(way, () => readAll(text, options, all))
          expect(rows).toEqual(cells)
          expect(bad.map(({ code, position }) => [code, position.line])).toEqual(expected.bad)
        }
        const batches = readingSo(way, () =>
          batchesIn<Columns>(text, { schema: anyColumns, onBadRow: 'skip', ...options }),
        )
        expect(batches.flatMap(batch => [...batch].map(row => row.position))).toEqual(
          expected.rows.map(({ row, line, byteOffset }) => ({ row, line, byteOffset })),
        )
        const last = expected.names.at(-1)!
        const projected = readingSo(way, () =>
          batchesIn<Columns>(text, {
            schema: anyColumns,
            onBadRow: 'skip',
            columns: [last],
            ...options,
          }),
        )
        expect(projected.flatMap(batch => [...batch].map(row => row.text(last)))).toEqual(
          cells.map(row => row.at(-1)),
        )
        // What a state keeps of a batch is its lines.
        const stored = batches.flatMap(storedRows).flatMap(batch => [...batch])
        expect(stored.map(row => expected.names.map(name => row.text(name)))).toEqual(cells)
      },
    ),
    { numRuns: 400 },
  )
})
