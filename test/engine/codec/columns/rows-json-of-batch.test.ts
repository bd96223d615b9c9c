// The lines of a batch equal what JSON.stringify makes of its rows, but for JSON cells, which are their
// texts: random cells of every kind, in every dialect.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BatchJson } from '../../../../src/engine/codec/columns/rows-json'
import { exactJson, exactObject } from '../../../../src/engine/codec/json-cell'
import { decoderOf } from '../../../../src/engine/codec/kinds/all-kinds'
import type { RowBatch } from '../../../../src/engine/codec/row-batch'
import { TextBuffer } from '../../../../src/engine/codec/text-buffer'
import type { TsvParserOptions } from '../../../../src/engine/codec/tsv/parser'
import { FeedError } from '../../../../src/engine/errors'
import * as kinds from '../../../../src/engine/schema/column-kinds'
import type { ColumnSpec } from '../../../../src/engine/schema/column-spec'
import { type Columns, defineSchema } from '../../../../src/engine/schema/feed-schema'
import { batchesIn, cellDialect, tsv, writtenIn } from '../../../tsv-text'
import { Bad, base64, cellOf, columns, outcome, types } from '../any-cells'

const batchesOf = (bytes: string | Uint8Array, options: Partial<TsvParserOptions<Columns>> = {}) =>
  batchesIn(bytes, { schema, ...options })

const linesOf = (batch: RowBatch<Columns>) =>
  [...batch].map(row => `${exactJson(exactObject(row))}\n`).join('')

/** The lines of a batch, or the error of its first bad cell. */
function linesOrError(lines: () => string): unknown {
  try {
    return lines()
  } catch (error) {
    if (FeedError.is(error)) return `${error.message} ${error.context['row' as never]}`
    throw error
  }
}

function written(batch: RowBatch<Columns>): string {
  const out = new TextBuffer(1)
  new BatchJson().write(batch, out)
  return out.view().toString()
}

const more = {
  scaled: kinds.decimal({ scale: 3 }),
  prices: kinds.list('|', kinds.decimal()),
  doubles: kinds.list(', ', kinds.float64()),
  colors: kinds.list(',', kinds.oneOf('red', 'green', 'ß')),
}
const cellsOfMore = {
  scaled: cellOf.decimal,
  prices: cellOf.numbers,
  doubles: fc.array(cellOf.float64, { maxLength: 4 }).map(texts => texts.join(', ')),
  colors: fc.array(cellOf.oneOf, { maxLength: 4 }).map(texts => texts.join(',')),
}
const schema = defineSchema({
  name: 'other',
  columns: { ...columns, ...more, lacking: kinds.aspects() },
})
const specs: Readonly<Record<string, ColumnSpec>> = { ...columns, ...more }
const file = [...types, ...Object.keys(more), '7', '__proto__', 'own\\"']
const cellsOfFile: Readonly<Record<string, fc.Arbitrary<string>>> = { ...cellOf, ...cellsOfMore }
const cellOfFile = (name: string) =>
  Object.hasOwn(cellsOfFile, name) ? cellsOfFile[name]! : cellOf.text
/** Whether a cell is of its column's type. */
const isGood = (name: string, text: string) => {
  if (text === '' || !Object.hasOwn(cellsOfFile, name)) return true
  return !(outcome(() => decoderOf(specs[name]!).decode(text)) instanceof Bad)
}
const row = fc.tuple(
  ...file.map(name =>
    fc.oneof({ weight: 1, arbitrary: fc.constant('') }, { weight: 9, arbitrary: cellOfFile(name) }),
  ),
)

test('every kind of cell, in every dialect', () => {
  let writtenBatches = 0
  fc.assert(
    fc.property(
      fc.array(row, { minLength: 1, maxLength: 4 }),
      fc.subarray([...file]),
      cellDialect,
      fc.boolean(),
      (cells, shown, dialect, hasBad) => {
        const good = cells.map(cellsOfRow =>
          cellsOfRow.map((text, n) =>
            !shown.includes(file[n]!) ||
            text.includes('\0') ||
            (!hasBad && !isGood(file[n]!, text)) ||
            (dialect.quoting === 'none' && /[\n\r"\\]/.test(text + dialect.delimiter)) ||
            (dialect.quoting === 'none' && text.includes(dialect.delimiter))
              ? ''
              : text,
          ),
        )
        const bytes = good
          .map(texts => texts.map(text => writtenIn(dialect, text)).join(dialect.delimiter))
          .join('\n')
        const headed = { ...dialect, header: file }
        for (const batch of batchesOf(bytes, { dialect: headed, batchBytes: 256 })) {
          const lines = linesOrError(() => written(batch))
          expect(lines).toEqual(linesOrError(() => linesOf(batch)))
          if (String(lines).endsWith('\n')) writtenBatches++
        }
      },
    ),
    { numRuns: 400 },
  )
  expect(writtenBatches).toBeGreaterThan(200)
})

test('all escapes of JSON, in texts of every length', () => {
  const bytes = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)).join('')
  const texts = [...bytes].flatMap((char, n) => [
    char,
    'ü'.repeat(n % 20) + char,
    `${char}${bytes}`,
  ])
  const cells = texts.filter(text => !/[\0\t\n\r"\\]/.test(text.slice(0, 1)))
  const values = cells.map(text => `${base64(text)}|${base64(text)}:${base64(text)}`)
  const [batch] = batchesOf(
    tsv([['text', 'aspects'], ...cells.map((text, n) => [text, values[n]!])]),
  )
  expect(written(batch!)).toBe(linesOf(batch!))
})

test('the values at the edges of their kinds', () => {
  const rows = [
    ['-2147483648', '-999999999999999999', '-0', '0000-02-29', '9999-12-31T23:59:59Z', 'green'],
    ['2147483647', '999999999999999999', '-000.50', '9999-12-31', '0000-01-01T00:00:00.001Z', 'ß'],
    [
      '-0',
      '-0',
      `${'9'.repeat(60)}.${'0'.repeat(60)}`,
      '2024-02-29',
      '1969-12-31T23:59:59Z',
      'red',
    ],
    ['007', '10', '0', '', '', ''],
  ]
  const [batch] = batchesOf(
    tsv([['int32', 'int64', 'decimal', 'date', 'timestamp', 'oneOf'], ...rows]),
  )
  expect(written(batch!)).toBe(linesOf(batch!))
})

test('rows with more text than the module has room for, alone and between others', () => {
  const long = ['x', '\x01', 'ü'].map(text => text.repeat(90_000))
  const short = new Array<string>(10).fill('\x01'.repeat(9000))
  const texts = ['a', long[0]!, 'b', long[1]!, 'c', long[2]!, ...short]
  const [batch] = batchesOf(tsv([['text'], ...texts.map(text => [text])]), { batchBytes: 500_000 })
  expect(batch!.length).toBe(texts.length)
  expect(written(batch!)).toBe(linesOf(batch!))
})

test('a list of many values, and a label that covers many pairs', () => {
  const many = Array.from({ length: 5000 }, (_, n) => n)
  const list = many.map(n => `${n}"`).join('|')
  const pairs = `${base64('l'.repeat(60))}|${many.map(n => `${base64(`${n}\n`)}:QQ==`).join(';')}`
  const [batch] = batchesOf(
    tsv([
      ['pipeList', 'aspects', 'regions'],
      [list, '', `COUNTRY:${list};REGION:`],
      ['', pairs.slice(0, 40_000).replace(/;[^;]*$/, ''), ''],
    ]),
  )
  expect(written(batch!)).toBe(linesOf(batch!))
})

test('rows in view, and columns that the file lacks', () => {
  const [batch] = batchesOf('int32\textra\n1\ta\n2\tb\n3\tc\n')
  const some = batch!.select(({ slot }) => slot !== 1)
  expect(written(some)).toBe(linesOf(some))
  expect(written(some)).toContain('"lacking":[]')
})

test('decoded cells, cells of other kinds, and a wide batch are written as JSON.stringify does', () => {
  const [good] = batchesOf('int32\tint64\n1\t1\n')
  const decoded = good!.withDecoded(0, () => 'other' as never)
  expect(written(decoded)).toBe(linesOf(decoded))
  const [wide] = batchesOf(
    tsv([
      Array.from({ length: 2000 }, (_, n) => (n === 0 ? 'text' : `c${n}`)),
      Array<string>(2000).fill('x'),
    ]),
  )
  expect(written(wide!)).toBe(linesOf(wide!))
  const own = defineSchema({
    name: 'other',
    columns: {
      n: kinds.int32(),
      value: kinds.cell(text =>
        text === 'none' ? undefined : { text, toJSON: (key: string) => key },
      ),
    },
  })
  const [batch] = batchesOf('n\tvalue\n1\ta\n2\tnone\n3\t\n', { schema: own as never })
  expect(written(batch!)).toBe([...batch!].map(row => `${JSON.stringify(row)}\n`).join(''))
})

test('a bad cell, and an empty one of a notNull column, fail as the first of their row does', () => {
  const [bad] = batchesOf('int32\tint64\n1\t1\nx\ty\n')
  expect(() => written(bad!)).toThrow('int32: not readable as int32: not a whole number')
  for (const column of [
    kinds.int32({ notNull: true }),
    kinds.list('|', kinds.text(), { notNull: true }),
  ]) {
    const strict = defineSchema({ name: 'other', columns: { n: column, m: kinds.text() } })
    const [batch] = batchesOf('n\tm\n1\ta\n\tb\n', { schema: strict as never })
    expect(() => written(batch!)).toThrow('the cell is empty, and the column is notNull')
  }
})
