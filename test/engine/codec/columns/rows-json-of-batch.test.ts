// The lines of a batch equal what JSON.stringify makes of its rows: random cells of every kind, in
// every dialect.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BatchJson } from '../../../../src/engine/codec/columns/rows-json'
import type { RowBatch } from '../../../../src/engine/codec/row-batch'
import { TextBuffer } from '../../../../src/engine/codec/text-buffer'
import type { TsvParserOptions } from '../../../../src/engine/codec/tsv/parser'
import * as kinds from '../../../../src/engine/schema/column-kinds'
import { type Columns, defineSchema } from '../../../../src/engine/schema/feed-schema'
import { batchesIn, cellDialect, tsv, writtenIn } from '../../../tsv-text'
import { Bad, base64, cellOf, columns, type Name, plainly, types } from '../any-cells'

const batchesOf = (bytes: string | Uint8Array, options: Partial<TsvParserOptions<Columns>> = {}) =>
  batchesIn(bytes, { schema, ...options })

const linesOf = (batch: RowBatch<Columns>) =>
  [...batch].map(row => `${JSON.stringify(row)}\n`).join('')

/** The lines that the module writes; undefined where it leaves the batch. */
function written(batch: RowBatch<Columns>): string | undefined {
  const out = new TextBuffer(1)
  const isWritten = new BatchJson().write(batch, out)
  if (!isWritten) expect(out.length).toBe(0)
  return isWritten ? out.view().toString() : undefined
}

/** The kinds of cells that the module never writes. */
const LEFT = ['float64', 'json', 'cell', 'numbers', 'times'] as const
const names = types.filter(name => !(LEFT as readonly string[]).includes(name))
const { float64: _f, json: _j, cell: _c, numbers: _n, times: _t, ...kept } = columns
const schema = defineSchema({
  name: 'other',
  columns: { ...kept, scaled: kinds.decimal({ scale: 3 }), lacking: kinds.aspects() },
})
const file = [...names, 'scaled', '7', '__proto__', 'own\\"'] as const
const cellOfFile = (name: (typeof file)[number]) =>
  Object.hasOwn(cellOf, name)
    ? cellOf[name as Name]
    : name === 'scaled'
      ? cellOf.decimal
      : cellOf.text
const typeOfFile = (name: (typeof file)[number]): Name =>
  Object.hasOwn(cellOf, name) ? (name as Name) : name === 'scaled' ? 'decimal' : 'text'
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
      (cells, shown, dialect) => {
        const good = cells.map(cellsOfRow =>
          cellsOfRow.map((text, n) =>
            !shown.includes(file[n]!) ||
            text.includes('\0') ||
            plainly(typeOfFile(file[n]!), text) instanceof Bad ||
            (file[n] === 'scaled' && !/^-?\d{1,9}(\.\d{1,3})?$/.test(text)) ||
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
          const lines = written(batch)
          if (lines === undefined) continue
          writtenBatches++
          expect(lines).toBe(linesOf(batch))
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

test('a batch is left to JSON.stringify where a cell is bad, decoded or of another kind', () => {
  const [bad] = batchesOf('int32\tint64\n1\t1\nx\t2\n')
  expect(written(bad!)).toBeUndefined()
  const [good] = batchesOf('int32\n1\n')
  expect(written(good!.withDecoded(0, () => 'other'))).toBeUndefined()
  const [wide] = batchesOf(
    tsv([
      Array.from({ length: 2000 }, (_, n) => (n === 0 ? 'text' : `c${n}`)),
      Array<string>(2000).fill('x'),
    ]),
  )
  expect(written(wide!)).toBeUndefined()
  for (const name of LEFT.filter(name => name !== 'json')) {
    const only = defineSchema({ name: 'other', columns: { [name]: columns[name] } })
    const [batch] = batchesOf(`${name}\n2\n`, { schema: only as never })
    expect(written(batch!)).toBeUndefined()
  }
})

test('an empty cell of a notNull column is left to what throws', () => {
  for (const column of [
    kinds.int32({ notNull: true }),
    kinds.list('|', kinds.text(), { notNull: true }),
  ]) {
    const strict = defineSchema({ name: 'other', columns: { n: column, m: kinds.text() } })
    const [batch] = batchesOf('n\tm\n1\ta\n\tb\n', { schema: strict as never })
    expect(written(batch!)).toBeUndefined()
  }
})
